package watcher

import (
	"fmt"

	"spinsync/watcher/nofollow"
)

// A Drive is what a simulation changes of the drive below a root. The zero value changes nothing.
type Drive struct {
	// Spoil is asked before each reading of a directory or of a file's content; its error is the
	// reading's. Nil spoils nothing.
	Spoil func(path string) error
	// Spelling gives a path below a root as its directories list it, where the drive ignores letter
	// case. Nil leaves that to the system.
	Spelling func(root, below string) string
}

// listed is where the drive finds a path below the root.
func (d *disk) listed(below string) string {
	if d.drive.Spelling == nil {
		return below
	}
	return d.drive.Spelling(d.root, below)
}

// spelled makes sure that the directories list a path by its very bytes.
func (d *disk) spelled(below string) error {
	if listed := d.listed(below); listed != below {
		return fmt.Errorf("%s is listed as %s: %w", below, listed, ErrGone)
	}
	return nofollow.Spelled(d.root, below)
}
