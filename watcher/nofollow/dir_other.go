//go:build !unix

package nofollow

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// Dir is a directory by its path. An open one would keep others from renaming those above it.
type Dir struct {
	path        string
	root, below string // of a directory opened below a root
}

// Open opens a directory that is no link itself.
func Open(path string) (Dir, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Dir{}, err
	}
	if !info.IsDir() {
		return Dir{}, ErrNoDir
	}
	return Dir{path: path}, nil
}

// OpenBelow checks nothing. OpenRegular checks the path when it opens a file of the directory.
func OpenBelow(root, below string) (Dir, error) {
	return Dir{filepath.Join(root, filepath.FromSlash(below)), root, below}, nil
}

// Close closes the directory.
func (d Dir) Close() {}

// Names are in byte order, each once.
func (d Dir) Names() ([]string, error) {
	entries, err := ReadDir(d.path)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return inOrder(names), err
}

// Stat does not believe the listing: NTFS brings size and time there up to date only when a file is
// closed.
func (d Dir) Stat(name string) (Attrs, error) {
	path := filepath.Join(d.path, name)
	info, err := os.Lstat(path)
	if err != nil {
		return Attrs{}, err
	}
	a := attrsOf(info)
	a.Regular, a.Away = IsRegular(path, info.Mode()), isAway(info)
	return a, nil
}

// OpenRegular opens a regular file of a directory below a root for reading, and follows no link on
// the way. It opens through os.Root, because on Windows os.Open keeps others from renaming the file.
func (d Dir) OpenRegular(name string) (*os.File, error) {
	if err := Straight(d.root, d.below); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(d.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	full := filepath.Join(d.path, name)
	name = filepath.FromSlash(path.Join(d.below, name))
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !IsRegular(full, before.Mode()) {
		return nil, fmt.Errorf("open %s: not a regular file", full)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("open %s: it has just been replaced", full)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
