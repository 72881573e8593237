//go:build !unix

package watcher

import (
	"os"
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
