//go:build !windows

package control

import (
	"os"
	"path/filepath"
)

// createPrivate makes a file next to another one that only this account may read.
func createPrivate(beside string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(beside), filepath.Base(beside)+".*")
}
