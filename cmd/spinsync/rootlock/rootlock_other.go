//go:build unix && !linux

package rootlock

import (
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// folded lets all ways to write a name be the same, as they usually are on macOS.
func folded(path string) string { return strings.ToLower(norm.NFC.String(path)) }

// hold locks a file without the holder's name: what others wrote into a file of its name would have
// to be overwritten.
func hold(name string, _ holder) (h heldName, by holder, err error) {
	h, err = holdFile(fileOf(name))
	return h, holder{}, err
}

// find reports whether a name is held.
func find(name string) (by holder, held bool) { return holder{}, isFileHeld(fileOf(name)) }

// fileOf is in a directory that all users share, in which nobody can remove what others made, and
// that is not tidied up as /tmp is.
func fileOf(name string) string {
	dir := "/var/tmp"
	if runtime.GOOS == "darwin" {
		dir = "/Users/Shared"
	}
	return filepath.Join(dir, "."+systemName(name))
}
