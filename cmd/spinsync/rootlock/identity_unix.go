//go:build unix

package rootlock

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// identity is the same for all paths of a directory.
func identity(dir string) (string, error) {
	var s unix.Stat_t
	if err := unix.Stat(dir, &s); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x-%x", uint64(s.Dev), s.Ino), nil
}
