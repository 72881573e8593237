package renamed

import (
	"slices"
	"strings"
	"testing"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher/volume"
)

// TestWhichTwinAFolderWas: of several folders that are gone and had the same photos, the one that
// has the most in common is taken, one thing after the other. Where nothing tells, a person is
// asked.
func TestWhichTwinAFolderWas(t *testing.T) {
	s := plantest.Published(plantest.AScene(2))
	s.Facts.Wanted = plan.Product{SKU: "s-1", Title: "Shoe", Manufacturer: "Acme", Year: "2027"}
	key := syncstate.Folder{Root: "/shoots", Path: "Summer/new"}
	gone := func(path string, changes ...func(*Predecessor)) Predecessor {
		p := Predecessor{Key: syncstate.Folder{Root: key.Root, Path: path}}
		p.Record.Product = s.Facts.Wanted.WithUUID(path)
		p.Record.Published = &syncstate.Published{Frames: slices.Clone(s.Record.Published.Frames)}
		for _, change := range changes {
			change(&p)
		}
		return p
	}
	sku := func(p *Predecessor) { p.Record.Product.SKU = "s-2" }
	title := func(p *Predecessor) { p.Record.Product.Title = "Boot" }
	copied := func(p *Predecessor) { p.Record.Published.Frames[1].ID = "copy" }
	unnumbered := func(p *Predecessor) { p.Record.Published.Frames[1].ID = "" }
	empty := func(p *Predecessor) { p.Record.Published = nil }
	maker := func(p *Predecessor) { p.Record.Product.Manufacturer = "Other" }
	year := func(p *Predecessor) { p.Record.Product.Year = "1999" }
	root := func(p *Predecessor) { p.Key.Root = "/other" }
	for name, test := range map[string]struct {
		gone []Predecessor
		want string // empty for none
		asks bool
	}{
		"none":                     {nil, "", false},
		"one with nothing alike":   {[]Predecessor{gone("Winter/a", sku, title, copied, maker, year, root)}, "Winter/a", false},
		"by SKU":                   {[]Predecessor{gone("Summer/a", sku), gone("Winter/b", title, copied, maker, year, root)}, "Winter/b", false},
		"by title":                 {[]Predecessor{gone("Summer/a", title), gone("Winter/b", copied, maker, year, root)}, "Winter/b", false},
		"by the files":             {[]Predecessor{gone("Summer/a", copied), gone("Winter/b", maker, year, root)}, "Winter/b", false},
		"by numbered files":        {[]Predecessor{gone("Summer/a", unnumbered), gone("Winter/b", maker, year, root)}, "Winter/b", false},
		"by any files":             {[]Predecessor{gone("Summer/a", empty), gone("Winter/b", maker, year, root)}, "Winter/b", false},
		"by manufacturer":          {[]Predecessor{gone("Summer/a", maker), gone("Winter/b", root)}, "Winter/b", false},
		"by year":                  {[]Predecessor{gone("Summer/a", year), gone("Winter/b", root)}, "Winter/b", false},
		"by place":                 {[]Predecessor{gone("Winter/a"), gone("Summer/b")}, "Summer/b", false},
		"by root":                  {[]Predecessor{gone("Summer/a", root), gone("Summer/b")}, "Summer/b", false},
		"by path":                  {[]Predecessor{gone("Summer/a", root), gone("Summer/new", root)}, "Summer/new", false},
		"by nothing":               {[]Predecessor{gone("Summer/b"), gone("Summer/a")}, "", true},
		"by SKU, and then nothing": {[]Predecessor{gone("Summer/a", sku), gone("Summer/c"), gone("Summer/b")}, "", true},
	} {
		one, err := recogniseAs(s, test.gone, key)
		if got := one; (got == nil) != (test.want == "") || got != nil && got.Key.Path != test.want {
			t.Errorf("%s: %+v", name, got)
		}
		if outcome.Needs(err, status.Twins) != test.asks || (err != nil) != test.asks {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := recogniseAs(s, []Predecessor{gone("Summer/b", root), gone("Summer/a", root)}, key)
	if first, second := strings.Index(err.Error(), "/other/Summer/a"), strings.Index(err.Error(), "/other/Summer/b"); first < 0 || second < first {
		t.Errorf("the folders are named as %v", err)
	}
}

// TestFilesWithoutNumbers: where the drive gives files no numbers, they do not tell a renamed
// folder from a copy.
func TestFilesWithoutNumbers(t *testing.T) {
	for id, want := range map[volume.FileID]bool{0: false, 7: true} {
		s := plantest.AScene(1)
		s.Facts.Snapshot.Frames[0].ID = id
		s = plantest.Published(s)
		if got := FilesOf(s.Record).AreMostlyIn(s.Facts.Snapshot.Frames); got != want {
			t.Errorf("file %d: %t", id, got)
		}
	}
}
