//go:build !unix

package watcher

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// dir is a directory by its path.
type dir struct{ path string }

func openDir(path string) (dir, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return dir{}, err
	}
	if !info.IsDir() {
		return dir{}, errFolder
	}
	return dir{path}, nil
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

// stat does not believe the listing: NTFS brings size and time there up to date only when a file is closed.
func (d dir) stat(name string) (attrs, error) {
	info, err := os.Lstat(filepath.Join(d.path, name))
	if err != nil {
		return attrs{}, err
	}
	return attrsOf(info), nil
}

// openRegular opens a regular file for reading and follows no link on the way, not even one inside the root. It
// opens through os.Root, because on Windows os.Open keeps others from renaming and replacing the file.
func openRegular(root, below string) (*os.File, error) {
	if err := straight(root, path.Dir(below)); err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	name := filepath.FromSlash(below)
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: not a regular file", filepath.Join(root, name))
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("open %s: it was replaced meanwhile", filepath.Join(root, name))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
