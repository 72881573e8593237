package daemon_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestVerbsWhileTheRootIsAway: while no folder was seen since the start, a verb changes nothing
// that the status shows of them.
func TestVerbsWhileTheRootIsAway(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
		w.Published()
		putAway(w, func() {
			w.While(func(d *daemon.Daemon, until daemontest.Await) {
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
				if err := d.Do(daemon.Pause, w.Key("Summer/SKU-1")); err != nil {
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
	})
}

// TestPassWhileTheRootIsAway: a folder whose upload was broken off does not keep a pass that cannot
// go on with it.
func TestPassWhileTheRootIsAway(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Calls.Spoil(daemontest.Always(sandbox.Upload, sandbox.Fault{DropBefore: true}))
		w.RunUntil(daemontest.In(status.Uploading, 1))
		w.Calls.Spoil(nil)
		putAway(w, func() {
			if products, err := w.Sync(); !errors.Is(err, daemon.ErrUnpublished) {
				t.Errorf("a pass without the root ends with %v: %+v", err, products)
			}
		})
		w.Published()
	})
}

// TestDriveBelowTheRootIsAway: folders of a drive that is not mounted at the start any more are
// neither gone nor waited for by a pass, until a person says that it is right so, for which no
// daemon need run. Then they are gone as any other.
func TestDriveBelowTheRootIsAway(t *testing.T) {
	daemontest.Story(t, shortQuiet+"on_remove = \"delete\"\n", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Winter/SKU-2/1.jpg")
		w.Published()
		w.InStore(func(store *syncstate.Store) error {
			return store.UpdateRoot(w.Root, func(r *syncstate.RootRecord) error {
				r.Mounts = []syncstate.Mount{{Dir: []byte("Summer"), Volume: `{"FS":"ext4"}`}}
				return nil
			})
		})
		if err := os.RemoveAll(w.Path("Summer")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			products, err := w.Sync()
			if p := products["Summer/SKU-1"]; !errors.Is(err, daemon.ErrUnpublished) || p.State != status.Retrying || !strings.Contains(p.Reason, "connect the drive") {
				t.Errorf("a pass without the drive ends with %v: %+v", err, p)
			}
		}
		if got, want := w.Titles(), []string{"SKU-1", "SKU-2"}; !slices.Equal(got, want) {
			t.Errorf("without the drive %q are on the service, want %q", got, want)
		}
		w.InStore(func(store *syncstate.Store) error {
			return daemon.DoRecorded(store, daemon.Retry, syncstate.Folder{Root: w.Root})
		})
		w.Published()
		if got, want := w.Titles(), []string{"SKU-2"}; !slices.Equal(got, want) {
			t.Errorf("an accepted root leaves %q, want %q", got, want)
		}
	})
}

// putAway hides the root for as long as do takes.
func putAway(w *daemontest.World, do func()) {
	w.T.Helper()
	if err := os.Rename(w.Root, w.Root+".aside"); err != nil {
		w.T.Fatal(err)
	}
	do()
	if err := os.Rename(w.Root+".aside", w.Root); err != nil {
		w.T.Fatal(err)
	}
}
