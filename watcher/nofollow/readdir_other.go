//go:build !windows

package nofollow

import (
	"io/fs"
	"os"
)

// ReadDir is os.ReadDir. On Windows it would keep others from renaming the directory while it
// reads.
func ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// IsRegular reports whether a path of this mode is that of a regular file. On Windows the mode does
// not tell.
func IsRegular(_ string, mode fs.FileMode) bool { return mode.IsRegular() }
