//go:build !windows

package nofollow

import (
	"io/fs"
	"os"
)

// ReadDir is os.ReadDir. On Windows it would keep others from renaming the directory while it
// reads.
func ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
