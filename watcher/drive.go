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

// A Cache remembers for a while what a drive told of a path.
type Cache interface {
	// Recall is what it remembers of a path, or what it reads now.
	Recall(what Told, path string, read func() (any, error)) (any, error)
	// Forget comes before a file is opened, which tells all of it afresh.
	Forget(path string)
}

// Told is what a drive tells of a path.
type Told int

// A drive tells of these.
const (
	Standing Told = iota // of a directory, that it is there
	Listing              // its entries
	Entry                // the attributes of one of them
	Named                // the attributes of a file that is asked for by its path
)

// recall reads what a drive tells of a path below its root, or takes it from the drive's cache.
func recall[T any](d *disk, what Told, below string, read func() (T, error)) (T, error) {
	if d.drive.Cache == nil {
		return read()
	}
	told, err := d.drive.Cache.Recall(what, d.path(below), func() (any, error) { return read() })
	if err != nil {
		var none T
		return none, err
	}
	return told.(T), nil
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

// attrsIn gives what the drive tells of the entries of a folder.
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
	return nofollow.Spelled(d.root, below)
}
