package watcher

import (
	"fmt"

	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// A Drive is what a simulation changes of the drive below a root. The zero value changes nothing.
type Drive struct {
	// Spoil is asked before each reading of a directory or of a file's content; its error is the
	// reading's. Nil spoils nothing.
	Spoil func(path string) error
	// Spelling gives a path below a root as its directories list it, where the drive ignores letter
	// case. Nil leaves that to the system.
	Spelling func(root, below string) string
	// Cache makes it a network drive, whose listings and attributes come from there. Nil leaves that
	// to the system.
	Cache Cache
}

// A Cache keeps a drive's answers for a while.
type Cache interface {
	// Recall returns the kept answer about a path, or reads it now.
	Recall(about Question, path string, read func() (any, error)) (any, error)
	// Forget drops the answers about a file before it is opened: the drive then reads it afresh.
	Forget(path string)
}

// A Question is what a drive is asked about a path.
type Question int

// The questions.
const (
	Standing Question = iota // of a directory, that it is there
	Listing                  // its entries
	Entry                    // the attributes of one of them
	Named                    // the attributes of a file that is asked for by its path
)

// recall asks a drive about a path below its root, or takes the answer from the drive's cache.
func recall[T any](d *disk, about Question, below string, read func() (T, error)) (T, error) {
	if d.drive.Cache == nil {
		return read()
	}
	answer, err := d.drive.Cache.Recall(about, d.path(below), func() (any, error) { return read() })
	if err != nil {
		var none T
		return none, err
	}
	return answer.(T), nil
}

func (d *disk) forget(below string) {
	if d.drive.Cache != nil {
		d.drive.Cache.Forget(d.path(below))
	}
}

// survey reads the volume below the root.
func (d *disk) survey(root string) (volume.Volume, error) {
	v, err := volume.Survey(root)
	if d.drive.Cache != nil {
		v.Network, v.Lasting = true, false
	}
	return v, err
}

// attrsIn returns how the attributes of a folder's entries are read.
func (d *disk) attrsIn(folder string) statFunc {
	if d.drive.Cache == nil {
		return d.stat
	}
	return func(at nofollow.Dir, name string) (nofollow.Attrs, error) {
		return recall(d, Entry, folder+"/"+name, func() (nofollow.Attrs, error) { return d.stat(at, name) })
	}
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
	return nofollow.Spelled(d.root, below, d.composed)
}
