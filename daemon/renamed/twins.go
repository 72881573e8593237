package renamed

import (
	"path"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Twins are product folders with the same photos. When several of them are renamed at once, the
// photos do not distinguish them: SKU, title, the files themselves and the place do, or a person.

// twinsPause is the time after which twins are compared again: one of them may have got another SKU
// or title.
const twinsPause = time.Minute

// recogniseAs finds which of the folders that are gone this one was before; nil for none. Where
// several remain, a person is asked.
func recogniseAs(s plan.Scene, gone []Predecessor, key syncstate.Folder) (*Predecessor, error) {
	switch gone = likeliest(s, gone, key); len(gone) {
	case 0:
		return nil, nil
	case 1:
		return &gone[0], nil
	}
	var names []status.Cause
	for _, p := range gone {
		names = append(names, status.Cause{Kind: status.NameOnly, Name: status.NameFrom(key.Root, p.Key)})
	}
	slices.SortFunc(names, func(a, b status.Cause) int { return strings.Compare(a.Name, b.Name) })
	return nil, outcome.PersonUntil(s.Now.Add(twinsPause), status.List(status.Twins, names))
}

// likeliest leaves of the folders that are gone those that have the most in common with this one:
// one thing after the other drops those that lack it, where any has it.
func likeliest(s plan.Scene, gone []Predecessor, key syncstate.Folder) []Predecessor {
	for _, inCommon := range []func(Predecessor) bool{
		func(p Predecessor) bool { return p.Record.Product.SKU == s.Facts.Wanted.SKU },
		func(p Predecessor) bool { return p.Record.Product.Title == s.Facts.Wanted.Title },
		func(p Predecessor) bool {
			files := FilesOf(p.Record)
			return len(files) > 0 && files.countIn(s.Facts.Snapshot.Frames) == len(files)
		},
		func(p Predecessor) bool {
			has := p.Record.Product
			return has.Manufacturer == s.Facts.Wanted.Manufacturer && has.Year == s.Facts.Wanted.Year
		},
		func(p Predecessor) bool { return p.Key.Root == key.Root && path.Dir(p.Key.Path) == path.Dir(key.Path) },
		func(p Predecessor) bool { return p.Key.Path == key.Path }, // the root got another path
	} {
		differs := func(p Predecessor) bool { return !inCommon(p) }
		if alike := slices.DeleteFunc(slices.Clone(gone), differs); len(alike) > 0 {
			gone = alike
		}
	}
	return gone
}
