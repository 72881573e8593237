package publish

import (
	"path"
	"slices"
	"strings"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Twins are product folders with the same photos. When several of them are renamed at once, the
// photos do not tell which is which: SKU, title, the files themselves and the place do, or a
// person.

// A predecessor is what the folder was before under another name.
type predecessor struct {
	key    syncstate.Folder
	record syncstate.Record
}

// recogniseAs tells which of the folders that are gone this one was before; nil for none. Where
// nothing tells, a person is asked.
func recogniseAs(s plan.Scene, gone []predecessor, key syncstate.Folder) (*predecessor, error) {
	gone = likeliest(s, gone, key)
	switch {
	case len(gone) == 1:
		return &gone[0], nil
	case len(gone) == 0, s.Record.NoTwin:
		return nil, nil
	}
	var names []status.Cause
	for _, p := range gone {
		names = append(names, status.Cause{Kind: status.NameOnly, Name: p.key.Path})
	}
	slices.SortFunc(names, func(a, b status.Cause) int { return strings.Compare(a.Name, b.Name) })
	return nil, outcome.PersonUntil(s.Now.Add(ownerPause), status.List(status.Twins, names))
}

// likeliest leaves of the folders that are gone those that have the most in common with this one:
// one thing after the other drops those that lack it, where any has it.
func likeliest(s plan.Scene, gone []predecessor, key syncstate.Folder) []predecessor {
	for _, inCommon := range []func(predecessor) bool{
		func(p predecessor) bool { return p.record.Product.SKU == s.Wanted.SKU },
		func(p predecessor) bool { return p.record.Product.Title == s.Wanted.Title },
		func(p predecessor) bool { return hasFilesOf(s, p.record) },
		func(p predecessor) bool {
			has := p.record.Product
			return has.Manufacturer == s.Wanted.Manufacturer && has.Year == s.Wanted.Year
		},
		func(p predecessor) bool { return p.key.Root == key.Root && path.Dir(p.key.Path) == path.Dir(key.Path) },
	} {
		differs := func(p predecessor) bool { return !inCommon(p) }
		if alike := slices.DeleteFunc(slices.Clone(gone), differs); len(alike) > 0 {
			gone = alike
		}
	}
	return gone
}

// hasFilesOf reports whether the recorded frames are the very files of this folder, which a rename
// leaves as they are.
func hasFilesOf(s plan.Scene, r syncstate.Record) bool {
	known := recordedFrames(r)
	if len(known) == 0 {
		return false
	}
	for _, f := range s.Snapshot.Frames {
		if old, ok := known[f.Name]; ok && old.file.ID != "" && old.file.Same(plan.FileOf(f)) {
			delete(known, f.Name)
		}
	}
	return len(known) == 0
}
