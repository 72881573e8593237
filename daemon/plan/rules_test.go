package plan_test

import (
	"reflect"
	"testing"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/layout"
	"spinsync/daemon/manifest"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// A product.toml changes what it names, and leaves all else as sync.toml has it.
func TestRulesOfAProductFile(t *testing.T) {
	root := plan.Rules{Frames: 36, Order: manifest.Name}
	none, few := 0, 24
	for name, test := range map[string]struct {
		file   config.Product
		frames int
		order  manifest.Order
	}{
		"nothing":   {config.Product{}, 36, manifest.Name},
		"frames":    {config.Product{Frames: &few}, 24, manifest.Name},
		"no frames": {config.Product{Frames: &none}, 0, manifest.Name},
		"order":     {config.Product{Order: manifest.Captured}, 36, manifest.Captured},
	} {
		if got := root.WithProductFile(test.file); got.Frames != test.frames || got.Order != test.order {
			t.Errorf("%s: %d frames, by %s", name, got.Frames, got.Order)
		}
	}
}

// TestRulesOfSyncToml: each setting of a root reaches the rules, and only "delete" deletes views.
func TestRulesOfSyncToml(t *testing.T) {
	l := parsed(t, "{sku}")
	w := config.Watch{
		Layout: l, Project: "Summer", Order: manifest.Natural, Frames: 36, Marker: "done.txt",
		Settle: time.Second, Quiet: time.Minute, Locale: "de", OnRemove: config.RemoveDelete,
	}
	want := plan.Rules{
		Layout: l, Project: "Summer", Order: manifest.Natural, Frames: 36, Marker: "done.txt",
		Settle: time.Second, Quiet: time.Minute, Locale: "de", DeleteGone: true,
	}
	if got := plan.RulesOf(w); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	w.OnRemove = config.RemoveKeep
	if plan.RulesOf(w).DeleteGone {
		t.Error("views are deleted that are to be kept")
	}
}

// TestProductFromItsSources: product.toml goes before the row of the products file, and that before
// the folder's name. Title and SKU stand in for each other.
func TestProductFromItsSources(t *testing.T) {
	full := config.Product{Title: "Boot", SKU: "b-1", Manufacturer: "Acme", Year: "2027"}
	row := config.Product{Title: "Row", SKU: "r-1", Manufacturer: "Other", Year: "1999"}
	for name, test := range map[string]struct {
		layout, project, folder string
		file, row               config.Product
		want                    plan.Product
	}{
		"the name alone":    {"{project}/{sku} - {title}", "", "Summer/s-1 - Shoe", config.Product{}, config.Product{}, plan.Product{Project: "Summer", Title: "Shoe", SKU: "s-1"}},
		"all of the name":   {"{manufacturer}/{year}/{sku}", "Summer", "Acme/2020/s-1", config.Product{}, config.Product{}, plan.Product{Project: "Summer", Title: "s-1", SKU: "s-1", Manufacturer: "Acme", Year: "2020"}},
		"a title alone":     {"{title}", "Summer", "Shoe", config.Product{}, config.Product{}, plan.Product{Project: "Summer", Title: "Shoe", SKU: "Shoe"}},
		"sync.toml":         {"{project}/{sku}", "Fixed", "Summer/s-1", config.Product{}, config.Product{}, plan.Product{Project: "Fixed", Title: "s-1", SKU: "s-1"}},
		"product.toml":      {"{manufacturer}/{year}/{sku}", "Summer", "Name/2020/s-1", full, row, plan.Product{Project: "Summer", Title: "Boot", SKU: "b-1", Manufacturer: "Acme", Year: "2027"}},
		"a row":             {"{manufacturer}/{year}/{sku}", "Summer", "Name/2020/s-1", config.Product{}, row, plan.Product{Project: "Summer", Title: "Row", SKU: "s-1", Manufacturer: "Other", Year: "1999"}},
		"a decomposed name": {"{sku}", "Summer", "Schu\u0308h", config.Product{}, config.Product{}, plan.Product{Project: "Summer", Title: "Sch\u00fch", SKU: "Sch\u00fch"}},
	} {
		rules := plan.Rules{Layout: parsed(t, test.layout), Project: test.project}
		got, err := rules.ProductOf(test.folder, test.file)
		got.Fill(test.row, test.file)
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, test.want)
		}
	}
	if p, err := (plan.Rules{Layout: parsed(t, "{project}/{sku}")}).ProductOf("too/deep/SKU-1", full); err == nil {
		t.Errorf("a folder that does not fit the layout is %+v", p)
	}
}

// TestWhichFieldsCount: each field of the product alone leads to an update.
func TestWhichFieldsCount(t *testing.T) {
	p := plan.Product{Title: "Shoe", SKU: "s-1", Manufacturer: "Acme", Year: "2027"}
	same := p.WithUUID("product")
	if same != (syncstate.Product{UUID: "product", Title: "Shoe", SKU: "s-1", Manufacturer: "Acme", Year: "2027"}) || !p.SameFields(same) {
		t.Errorf("as the service has it: %+v", same)
	}
	for name, change := range map[string]func(*syncstate.Product){
		"title": func(p *syncstate.Product) { p.Title = "" }, "sku": func(p *syncstate.Product) { p.SKU = "" },
		"manufacturer": func(p *syncstate.Product) { p.Manufacturer = "" }, "year": func(p *syncstate.Product) { p.Year = "" },
	} {
		other := same
		if change(&other); p.SameFields(other) {
			t.Errorf("another %s is the same", name)
		}
	}
}

// TestFullTurn: a count in sync.toml or product.toml goes before that in the names, and a video is
// one.
func TestFullTurn(t *testing.T) {
	for name, test := range map[string]struct {
		frames int
		names  []string
		want   int
	}{
		"unknown":              {0, []string{"a.jpg"}, 0},
		"in the names":         {0, []string{"a_01of24.jpg", "a_02of24.jpg"}, 24},
		"in some of the names": {0, []string{"a_01of24.jpg", "a_02of24.jpg", "cover.jpg"}, 25},
		"in sync.toml":         {36, []string{"a_01of24.jpg", "a_02of24.jpg"}, 36},
		"one":                  {1, []string{"a_01of24.jpg", "a_02of24.jpg"}, 1},
		"of a photo":           {36, []string{"a.jpg"}, 36},
		"of a video":           {36, []string{"a.mp4"}, 1},
		"of two videos":        {36, []string{"a.mp4", "b.mp4"}, 36},
		"of no frames":         {36, nil, 36},
		"unknown of no frames": {0, nil, 0},
	} {
		var frames []watcher.File
		for _, name := range test.names {
			frames = append(frames, watcher.File{Name: name})
		}
		if got := (plan.Rules{Frames: test.frames}).FullTurn(frames); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// TestWhatAFolderIsKnownBy: files and listings are recorded as text that reads back the same.
func TestWhatAFolderIsKnownBy(t *testing.T) {
	f := watcher.File{Name: "a.jpg", Size: 7, ModTime: time.Unix(1, 2), ID: 36}
	if got, want := plan.FileOf(f), (syncstate.File{Name: "a.jpg", Size: 7, ModTime: time.Unix(1, 2), ID: "10"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for id, want := range map[volume.FileID]string{0: "", 1: "1", 35: "z"} {
		if got := plan.FileID(id); got != want {
			t.Errorf("file %d is recorded as %q", id, got)
		}
	}
	listing := watcher.Fingerprint{1, 2, 15: 9}
	text := plan.FingerprintText(listing)
	s := watcher.Snapshot{Present: true, Fingerprint: listing}
	if plan.ListingHash(s) != text || plan.FingerprintOf(text) != listing {
		t.Errorf("%x is recorded as %q, and reads back as %x", listing, plan.ListingHash(s), plan.FingerprintOf(text))
	}
	if s.Present = false; plan.ListingHash(s) != "" {
		t.Error("a folder that is gone has a listing")
	}
	for _, wrong := range []string{"", text[:30], text + "0", text + "00", "x" + text[1:], text[:30] + "xx"} {
		if got := plan.FingerprintOf(wrong); !got.IsZero() {
			t.Errorf("%q is the listing %x", wrong, got)
		}
	}
}

// TestWhereProductFoldersLie: only a folder as deep as the layout is one.
func TestWhereProductFoldersLie(t *testing.T) {
	r := plan.Rules{Layout: parsed(t, "{project}/{sku}")}
	for folder, want := range map[string]bool{".": false, "a": false, "a/b": true, "a/b/c": false} {
		if got := r.Places(folder); got != want {
			t.Errorf("%s: %t", folder, got)
		}
	}
}

func parsed(t *testing.T, pattern string) layout.Layout {
	l, err := layout.Parse(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestNamesOfAFleet: a folder that another system would show under another name waits for a person, or
// it would seem to move with each station that takes over.
func TestNamesOfAFleet(t *testing.T) {
	for folder, portable := range map[string]bool{
		"Summer/SKU-1": true, "Sömmer/SKU 1": true, "Summer/SKU.1": true,
		"Summer/SKU:1": false, "Summer/SKU-1.": false, "Summer /SKU-1": false, "Summer/SKU?": false, "So\u0308mmer/SKU-1": false,
	} {
		r := plan.RulesOf(config.Watch{Layout: parsed(t, "{project}/{sku}")})
		if _, err := r.ProductOf(folder, config.Product{}); err != nil {
			t.Errorf("alone %q: %v", folder, err)
		}
		r.Fleet = true
		if _, err := r.ProductOf(folder, config.Product{}); (err == nil) != portable {
			t.Errorf("in a fleet %q: %v", folder, err)
		}
	}
}

// TestDigestInAFleet: what a computer recorded at rest while it was alone is no judgement of a fleet's, which knows
// the same files by less. Else each folder would look older than its record, and need a person.
func TestDigestInAFleet(t *testing.T) {
	alone, shared := config.Watch{Layout: parsed(t, "{sku}")}, config.Watch{Layout: parsed(t, "{sku}"), Name: "shoots"}
	if plan.RulesOf(alone).Digest(alone) == plan.RulesOf(shared).Digest(shared) {
		t.Error("a record of a computer alone counts in its fleet")
	}
}
