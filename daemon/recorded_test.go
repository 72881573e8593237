package daemon

import (
	"errors"
	"slices"
	"testing"

	"spinsync/daemon/layout"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestNameByThePath: a folder without a product has the name in an export that its path gives. A
// recorded name stays, and a path that does not fit the layout gives none.
func TestNameByThePath(t *testing.T) {
	pattern, err := layout.Parse("{project}/{manufacturer}/{sku}")
	if err != nil {
		t.Fatal(err)
	}
	type names [4]string // SKU, title, manufacturer, project
	for name, test := range map[string]struct{ has, want status.ExportedProduct }{
		"unnamed": {
			status.ExportedProduct{Folder: "Summer/Acme/SKU-1"},
			status.ExportedProduct{SKU: "SKU-1", Title: "SKU-1", Manufacturer: "Acme", Project: status.ExportedProject{Title: "Summer"}},
		},
		"named": {
			status.ExportedProduct{Folder: "Summer/Acme/SKU-1", SKU: "4711", Title: "Shoe", Project: status.ExportedProject{Title: "Winter"}},
			status.ExportedProduct{SKU: "4711", Title: "Shoe", Project: status.ExportedProject{Title: "Winter"}},
		},
		"elsewhere": {status.ExportedProduct{Folder: "Summer/SKU-1"}, status.ExportedProduct{}},
	} {
		nameBy(&test.has, plan.Rules{Layout: pattern})
		got := names{test.has.SKU, test.has.Title, test.has.Manufacturer, test.has.Project.Title}
		if want := (names{test.want.SKU, test.want.Title, test.want.Manufacturer, test.want.Project.Title}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestRecordWithoutAState: a folder that was recorded before anybody read it is in a state too, in the
// status as in the export, with and without a daemon.
func TestRecordWithoutAState(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	if err := d.records.Update(key, func(r *syncstate.Record) error { r.Doubted = true; return nil }); err != nil {
		t.Fatal(err)
	}
	recorded, err := RecordedStatus(d.config, d.records.Store)
	if err != nil || len(recorded.Products) != 1 || recorded.Products[0].State != status.Collecting {
		t.Errorf("the status has %+v, %v", recorded.Products, err)
	}
	export := func(p status.ExportedProduct) error {
		if p.State != status.Collecting || p.Reason == "" {
			t.Errorf("the export has %q, %q", p.State, p.Reason)
		}
		return nil
	}
	if err := errors.Join(d.Export(export), ExportStore(d.config, d.records.Store, export)); err != nil {
		t.Error(err)
	}
}

// TestExportOfWhatIsLeftAlone: of a folder that sync.toml leaves out the export has the product, also
// where it was never published, and calls it no more than that. Without a product it has nothing.
func TestExportOfWhatIsLeftAlone(t *testing.T) {
	d := idleDaemon(t)
	w := &d.config.Watch[0]
	w.Ignore = append(w.Ignore, "Old/")
	watched := syncstate.Folder{Root: w.Path, Path: "Summer/SKU-1"}
	for _, key := range []syncstate.Folder{watched, {Root: w.Path, Path: "Old/SKU-1"}, {Root: "/away", Path: "Summer/SKU-1"}} {
		unpublished := syncstate.Folder{Root: key.Root, Path: key.Path + "0"}
		made := syncstate.Folder{Root: key.Root, Path: key.Path + "1"}
		err := errors.Join(
			d.records.Update(made, func(r *syncstate.Record) error {
				r.Product.UUID, r.Shown.State = made.String(), string(status.Uploading)
				return nil
			}),
			d.records.Update(unpublished, func(r *syncstate.Record) error { r.Shown.State = string(status.Attention); return nil }),
			d.records.Update(key, func(r *syncstate.Record) error {
				r.Product.UUID, r.Shown.State, r.Published = key.String(), string(status.Published), new(syncstate.Published)
				return nil
			}))
		if err != nil {
			t.Fatal(err)
		}
	}
	var states []status.State
	err := d.Export(func(p status.ExportedProduct) error {
		if (p.State == status.Missing) != (p.Reason == "sync.toml leaves the folder out; its view stays as it is") {
			t.Errorf("%s %s has %q, %q", p.Root, p.Folder, p.State, p.Reason)
		}
		states = append(states, p.State)
		return nil
	})
	slices.Sort(states)
	want := []status.State{
		status.Attention, status.Missing, status.Missing, status.Missing, status.Missing, status.Published, status.Uploading,
	}
	if err != nil || !slices.Equal(states, want) {
		t.Errorf("%v: the export has %q, want %q", err, states, want)
	}
}
