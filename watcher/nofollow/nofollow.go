// Package nofollow reads directories and opens files below a root without following a link:
// OpenBelow opens a directory, and OpenRegular a file in it.
//
// It opens nothing but directories and regular files. On Windows it opens no directory, since that
// would keep others from renaming those above it.
package nofollow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrGone means that a file or directory is not there.
var ErrGone = errors.New("is not there")

// ErrNoDir means that something else is there, and no directory.
var ErrNoDir = fmt.Errorf("no directory: %w", ErrGone)

// IsGone reports whether an error means that a file or directory is not there. Not every
// fs.ErrNotExist does: for Go, Windows' error for a server that does not answer is one too.
func IsGone(err error) bool { return errors.Is(err, ErrGone) || isOne(err, gone) }

// IsBusy reports whether an error means that another program holds a file, and lets nobody read it.
func IsBusy(err error) bool { return isOne(err, busy) }

func isOne(err error, of []error) bool {
	return slices.ContainsFunc(of, func(one error) bool { return errors.Is(err, one) })
}

// Attrs are the attributes of a directory entry.
type Attrs struct {
	Regular, Dir bool
	Away         bool // a cloud or an archive has the content, and who reads the file fetches it
	Size         int64
	ModTime      time.Time
	Inode        uint64
	Changed      int64 // when the inode changed last, in nanoseconds
}

// attrsOf leaves the inode out: it is used where inodes do not last.
func attrsOf(info fs.FileInfo) Attrs {
	return Attrs{Regular: info.Mode().IsRegular(), Dir: info.IsDir(), Size: info.Size(), ModTime: info.ModTime()}
}

// Ask opens a file below a root to learn its attributes. Those that a network drive keeps in its
// cache may be a minute old.
func Ask(root, file string) (Attrs, error) {
	at, err := OpenBelow(root, path.Dir(file))
	if err != nil {
		return Attrs{}, err
	}
	defer at.Close()
	f, err := at.OpenRegular(path.Base(file))
	if err != nil {
		return Attrs{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Attrs{}, err
	}
	a := attrsOf(info)
	a.Regular = true
	return a, nil
}

// inOrder sorts the names of a directory. A network drive may list one twice, while files come and
// go.
func inOrder(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// Straight makes sure that every segment of a path below the root is a directory and no link.
func Straight(root, below string) error {
	at := root
	for seg := range strings.SplitSeq(below, "/") {
		if seg == "." {
			continue
		}
		at = filepath.Join(at, seg)
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s: %w", at, ErrNoDir)
		}
	}
	return nil
}
