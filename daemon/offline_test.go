package daemon_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestVerbsWhileTheRootIsAway: of folders that nobody has seen since the start nothing new is told,
// whatever button is pressed.
func TestVerbsWhileTheRootIsAway(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	w.published()
	w.putAway(func() {
		w.while(func(d *daemon.Daemon, until await) {
			all := func(state status.State) func([]status.ProductStatus) bool {
				return func(products []status.ProductStatus) bool {
					if n := count(products, status.Missing); n > 0 {
						t.Fatalf("%d folders are told as missing", n)
					}
					return count(products, state) == 2
				}
			}
			until(all(status.Published))
			if err := d.Do(daemon.Pause, syncstate.Folder{}); err != nil {
				t.Fatal(err)
			}
			until(all(status.Published))
			if err := d.Do(daemon.Resume, syncstate.Folder{}); err != nil {
				t.Fatal(err)
			}
			until(all(status.Published))
			if err := d.Do(daemon.Pause, w.key("Summer/SKU-1")); err != nil {
				t.Fatal(err)
			}
			until(func(products []status.ProductStatus) bool { return products[0].Paused && !products[1].Paused })
			until(all(status.Published))
			retry(t, d, syncstate.Folder{})
			if err := d.Do(daemon.Resume, syncstate.Folder{}); err != nil {
				t.Fatal(err)
			}
			until(all(status.Published))
		})
	})
}

// TestPassWhileTheRootIsAway: a folder whose upload was broken off does not keep a pass that cannot
// go on with it.
func TestPassWhileTheRootIsAway(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.calls.spoil = always(sandbox.Upload, sandbox.Fault{DropBefore: true})
	w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Uploading) == 1 })
	w.calls.setSpoil(nil)
	w.putAway(func() {
		if products, err := w.sync(); !errors.Is(err, daemon.ErrUnpublished) {
			t.Errorf("a pass without the root ends with %v: %+v", err, products)
		}
	})
	w.published()
}

// TestDriveBelowTheRootIsAway: folders of a drive that is not mounted at the start any more are
// neither gone nor waited for by a pass, until a person says that it is right so, for which no
// daemon need run. Then they are gone as any other.
func TestDriveBelowTheRootIsAway(t *testing.T) {
	w := newWorld(t, shortQuiet+"on_remove = \"delete\"\n")
	w.shoot("a", "Summer/SKU-1/1.jpg", "Winter/SKU-2/1.jpg")
	w.published()
	w.inStore(func(store *syncstate.Store) error {
		return store.UpdateRoot(w.root, func(r *syncstate.RootRecord) error {
			r.Mounts = []syncstate.Mount{{Dir: []byte("Summer"), Volume: `{"FS":"ext4"}`}}
			return nil
		})
	})
	if err := os.RemoveAll(w.path("Summer")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		products, err := w.sync()
		if p := products["Summer/SKU-1"]; !errors.Is(err, daemon.ErrUnpublished) || p.State != status.Retrying || !strings.Contains(p.Reason, "connect the drive") {
			t.Errorf("a pass without the drive ends with %v: %+v", err, p)
		}
	}
	if got, want := w.titles(), []string{"SKU-1", "SKU-2"}; !slices.Equal(got, want) {
		t.Errorf("without the drive %q are on the service, want %q", got, want)
	}
	w.inStore(func(store *syncstate.Store) error {
		return daemon.DoRecorded(store, daemon.Retry, syncstate.Folder{Root: w.root})
	})
	w.published()
	if got, want := w.titles(), []string{"SKU-2"}; !slices.Equal(got, want) {
		t.Errorf("an accepted root leaves %q, want %q", got, want)
	}
}

// putAway hides the root for as long as do takes.
func (w *world) putAway(do func()) {
	w.t.Helper()
	if err := os.Rename(w.root, w.root+".aside"); err != nil {
		w.t.Fatal(err)
	}
	do()
	if err := os.Rename(w.root+".aside", w.root); err != nil {
		w.t.Fatal(err)
	}
}
