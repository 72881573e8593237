//go:build !unix

package watcher

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// dir is a directory by its path. An open one would keep others from renaming those above it.
type dir struct {
	path        string
	root, below string // of a directory opened below a root
}

func openDir(path string) (dir, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return dir{}, err
	}
	if !info.IsDir() {
		return dir{}, errFolder
	}
	return dir{path: path}, nil
}

// openBelow checks nothing. openRegular checks the path when it opens a file of the directory.
func openBelow(root, below string) (dir, error) {
	return dir{filepath.Join(root, filepath.FromSlash(below)), root, below}, nil
}

func (d dir) close() {}

// names are in byte order.
func (d dir) names() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// stat does not believe the listing: NTFS brings size and time there up to date only when a file is
// closed.
func (d dir) stat(name string) (attrs, error) {
	info, err := os.Lstat(filepath.Join(d.path, name))
	if err != nil {
		return attrs{}, err
	}
	return attrsOf(info), nil
}

// openRegular opens a regular file of a directory below a root for reading, and follows no link on
// the way. It opens through os.Root, because on Windows os.Open keeps others from renaming and
// replacing the file.
func (d dir) openRegular(name string) (*os.File, error) {
	if err := straight(d.root, d.below); err != nil {
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
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: not a regular file", full)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("open %s: it was replaced meanwhile", full)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// isOwn is false: access lists decide about the owner too.
func isOwn(fs.FileInfo) bool { return false }
