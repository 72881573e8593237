//go:build !windows

package nofollow

import (
	"io/fs"
	"os"
)

// ReadDir is os.ReadDir. On Windows that would keep others from renaming the directory meanwhile.
func ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
