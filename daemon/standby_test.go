package daemon_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestDriveThatComesBack: at the active station a drive that was away may show what was there before. A
// folder that lacks a photo then waits for a person; one that lost it while the drive was there does not.
func TestDriveThatComesBack(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
		fleet := &daemon.Fleet{
			Now: func() status.Fleet { return status.Fleet{} }, Accept: func(string) bool { return false }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		until := w.Awaiting(d)
		images := func(n int) func([]status.ProductStatus) bool {
			return func(products []status.ProductStatus) bool {
				return count(products, status.Published) == 1 && products[0].Images == n
			}
		}
		until(images(3))
		w.Remove("Summer/SKU-1/3.jpg")
		until(images(2))
		putAway(w, func() {
			for !d.Status().Roots[0].Offline() {
				time.Sleep(time.Second)
			}
			if err := os.Remove(filepath.Join(w.Root+".aside", "Summer", "SKU-1", "2.jpg")); err != nil {
				t.Fatal(err)
			}
		})
		until(func(products []status.ProductStatus) bool { return products[0].Cause.Is(status.ViewBehind) })
		if n := countOp(w.Calls.Since(), sandbox.FinishUpload); n != 2 {
			t.Errorf("%d finishes, want the two before", n)
		}
		if err := d.Do(daemon.Retry, syncstate.Folder{Root: w.Root, Path: "Summer/SKU-1"}); err != nil {
			t.Fatal(err)
		}
		until(images(1))
	})
}

// TestDriveThatCameBackUnchanged: a folder that came back as it was is believed when it changes later on.
func TestDriveThatCameBackUnchanged(t *testing.T) {
	const folder = "Summer/SKU-1"
	for name, test := range map[string]struct {
		change func(w *daemontest.World)
		want   func(w *daemontest.World, p []status.ProductStatus) bool
	}{
		"a photo is taken out": {
			func(w *daemontest.World) { w.Remove(folder + "/2.jpg") },
			func(_ *daemontest.World, p []status.ProductStatus) bool {
				return count(p, status.Published) == 2 && p[0].Images == 2
			},
		},
		"it is renamed": {
			func(w *daemontest.World) { w.Move(folder, "Summer/SKU-9") },
			func(w *daemontest.World, _ []status.ProductStatus) bool {
				return slices.Equal(w.Titles(), []string{"SKU-2", "SKU-9"})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", folder+"/1.jpg", folder+"/2.jpg", folder+"/3.jpg", "Summer/SKU-2/1.jpg")
				epoch(t, w, func(d *daemon.Daemon, until daemontest.Await) {
					until(daemontest.In(status.Published, 2))
					time.Sleep(time.Hour)
					putAway(w, func() {
						for !d.Status().Roots[0].Offline() {
							time.Sleep(time.Second)
						}
					})
					time.Sleep(time.Hour)
					test.change(w)
					time.Sleep(time.Hour)
					if p := d.Status().Products; !test.want(w, p) {
						t.Errorf("titles %v, %+v", w.Titles(), p)
					}
				})
			})
		})
	}
}

// TestPassAtAStandby waits for what the active station publishes: not for what it has, and for ten minutes
// for the rest.
func TestPassAtAStandby(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
		w.Published()
		fleet := &daemon.Fleet{
			Standby: true, Now: func() status.Fleet { return status.Fleet{Active: "anna"} }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		pass := func(want error, least, most time.Duration) {
			t.Helper()
			began := time.Now()
			if err := d.Pass(t.Context()); !errors.Is(err, want) {
				t.Errorf("the pass ends with %v, want %v", err, want)
			}
			if took := time.Since(began); took < least || took > most {
				t.Errorf("the pass took %v", took)
			}
		}
		pass(nil, 0, time.Minute)
		time.Sleep(time.Minute) // stations take times that are 2 s apart for one
		w.Shoot("b", "Summer/SKU-2/1.jpg")
		pass(daemon.ErrUnpublished, 10*time.Minute, 11*time.Minute)
		w.Remove("Summer/SKU-2/1.jpg")
		w.Shoot("a", "Summer/SKU-3/1.jpg")
		pass(daemon.ErrUnpublished, 10*time.Minute, 11*time.Minute)
		if calls := w.Calls.Since(); countOp(calls, sandbox.CreateProduct) != 2 {
			t.Errorf("a standby sent something: %v", calls)
		}
	})
}

// TestPassWhileTheActiveStationPublishes ends once a folder that it saw as new is published, by its row of the
// products file too.
func TestPassWhileTheActiveStationPublishes(t *testing.T) {
	daemontest.Story(t, "products = \"products.csv\"\n"+fleetTOML, func(t *testing.T, w *daemontest.World) {
		w.Write("products.csv", "sku,title\nSKU-1,Shoe\n")
		shot(t, w, func() {})
		key := w.Key("Summer/SKU-1")
		published := w.Record(key.Path)
		w.InStore(func(store *syncstate.Store) error { return store.Delete(key) })
		fleet := &daemon.Fleet{
			Standby: true, Now: func() status.Fleet { return status.Fleet{Active: "bert"} }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		time.Sleep(time.Minute)
		time.AfterFunc(time.Minute, func() {
			_ = daemon.StoreOf(d).Update(key, func(r *syncstate.Record) error { *r = published; return nil })
		}) // which is shown a moment later
		began := time.Now()
		if err := d.Pass(t.Context()); err != nil || time.Since(began) < time.Minute {
			t.Errorf("it ends after %v with %v", time.Since(began), err)
		}
	})
}
