package daemon_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

const fleetTOML = "quiet = \"10s\"\nname = \"shoots\"\n[fleet]\netcd = [\"http://127.0.0.1:1\"]\nstation = \"anna\"\n"

// epoch has a station that starts take the work, until do returns.
func epoch(t *testing.T, w *daemontest.World, do func(d *daemon.Daemon, until daemontest.Await)) {
	t.Helper()
	epochOf(t, w, publish.NewViews(), do)
}

// epochOf is an epoch of a station with these views.
func epochOf(t *testing.T, w *daemontest.World, views *publish.Views, do func(d *daemon.Daemon, until daemontest.Await)) {
	t.Helper()
	fleet := &daemon.Fleet{
		Now:    func() status.Fleet { return status.Fleet{Station: "anna", Active: "anna"} },
		Accept: func(string) bool { return false },
		Views:  views,
	}
	d, end := w.OpenWith(daemon.Options{Fleet: fleet}, nil)
	defer end()
	defer daemontest.Start(t, d)()
	do(d, w.Awaiting(d))
}

// shot has a station publish a folder.
func shot(t *testing.T, w *daemontest.World, then func()) {
	t.Helper()
	w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
	epoch(t, w, func(_ *daemon.Daemon, until daemontest.Await) {
		until(daemontest.In(status.Published, 1))
		time.Sleep(time.Minute)
		then()
		time.Sleep(time.Hour)
	})
}

// writeAt writes a file that seems to be of then.
func writeAt(t *testing.T, w *daemontest.World, name, content string, then time.Time) {
	t.Helper()
	w.Write(name, content)
	daemontest.Must(t, os.Chtimes(w.Path(name), then, then))
}

// TestOldTextsInAFleet: the next station sees product.toml as it was before the last one sent what it says.
// It waits, and says so, until its share has the new one.
func TestOldTextsInAFleet(t *testing.T) {
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		const file, before, after = "Summer/SKU-1/product.toml", "title = \"Old\"\n", "title = \"New\"\n[alt.en]\n\"1.jpg\" = \"A red shoe\"\n"
		writeAt(t, w, file, before, time.Now().Add(-time.Hour))
		shot(t, w, func() { w.Write(file, after) })
		written, err := os.Stat(w.Path(file))
		daemontest.Must(t, err)
		writeAt(t, w, file, before, time.Now().Add(-2*time.Hour))
		epoch(t, w, func(d *daemon.Daemon, until daemontest.Await) {
			time.Sleep(time.Hour)
			p := d.Status().Products[0]
			if !slices.Equal(w.Titles(), []string{"New"}) || !slices.Equal(w.English(p.Product), []string{"A red shoe", "", ""}) || !p.Cause.Is(status.ViewBehind) {
				t.Errorf("titles %v, texts %v, %s: %s", w.Titles(), w.English(p.Product), p.State, p.Reason)
			}
			writeAt(t, w, file, after, written.ModTime())
			until(daemontest.In(status.Published, 1))
		})
	})
}

// TestPhotoTakenOutOfAFolderAtRest: a folder that the station saw at rest as it is recorded, by its row of
// the products file too, is believed later on.
func TestPhotoTakenOutOfAFolderAtRest(t *testing.T) {
	const withRows = "products = \"products.csv\"\n" + fleetTOML
	for name, test := range map[string]struct {
		toml string
		late time.Duration // is the products file read
	}{
		"without rows":    {toml: fleetTOML},
		"with its row":    {toml: withRows},
		"its row is late": {toml: withRows, late: 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, test.toml, func(t *testing.T, w *daemontest.World) {
				w.Write("products.csv", "sku,title\nSKU-1,Shoe\n")
				readLate(w, test.late)
				shot(t, w, func() {})
				epoch(t, w, func(d *daemon.Daemon, _ daemontest.Await) {
					time.Sleep(time.Hour)
					w.Remove("Summer/SKU-1/2.jpg")
					time.Sleep(time.Hour)
					if p := d.Status().Products[0]; p.State != status.Published || p.Images != 2 {
						t.Errorf("%s with %d images: %s", p.State, p.Images, p.Reason)
					}
				})
			})
		})
	}
}

// TestOldRowInAFleet: a folder at rest whose row the next station sees as it was before is not believed, also
// where its record has none, and where the products file is read after the folder.
func TestOldRowInAFleet(t *testing.T) {
	const before = "sku,title\nSKU-1,Old\n"
	for name, test := range map[string]struct {
		after string
		late  time.Duration
	}{
		"another row":       {"sku,title\nSKU-1,New\n", 0},
		"another row, late": {"sku,title\nSKU-1,New\n", 5 * time.Second},
		"no row":            {"sku,title\n", 0},
		"no row, late":      {"sku,title\n", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, "products = \"products.csv\"\n"+fleetTOML, func(t *testing.T, w *daemontest.World) {
				w.Write("products.csv", before)
				readLate(w, test.late)
				shot(t, w, func() { w.Write("products.csv", test.after) })
				w.Write("products.csv", before)
				w.Calls.Since()
				epoch(t, w, func(d *daemon.Daemon, _ daemontest.Await) {
					time.Sleep(2 * time.Second)
					daemontest.Must(t, d.Do(daemon.Pause, w.Key("Summer/SKU-1")))
					daemontest.Must(t, d.Do(daemon.Resume, w.Key("Summer/SKU-1"))) // which plans it once more
					time.Sleep(78 * time.Second)
					w.Write("products.csv", test.after) // the cache is over
					time.Sleep(time.Hour)
					if calls := w.Calls.Since(); slices.Contains(calls, sandbox.UpdateProduct) {
						t.Errorf("titles %v, after %q", w.Titles(), calls)
					}
				})
			})
		})
	}
}

// readLate has the products file be read after a while.
func readLate(w *daemontest.World, late time.Duration) {
	w.Stagger = func(_ syncstate.Folder, file string) time.Duration {
		if file == "products.csv" {
			return late
		}
		return 0
	}
}

// TestPhotoTakenOutOfAFolderThatWasJudged: a station believes what it acted on, and what came to rest by its
// own judgement, as after `fleet start`.
func TestPhotoTakenOutOfAFolderThatWasJudged(t *testing.T) {
	takenOut := func(t *testing.T, w *daemontest.World, d *daemon.Daemon) {
		time.Sleep(time.Hour)
		w.Remove("Summer/SKU-1/2.jpg")
		time.Sleep(time.Hour)
		if p := d.Status().Products[0]; p.State != status.Published || p.Images != 2 {
			t.Errorf("%s with %d images: %s", p.State, p.Images, p.Reason)
		}
	}
	for name, tell := range map[string]func(*testing.T, *daemontest.World){
		"acted on": func(t *testing.T, w *daemontest.World) {
			w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
			epoch(t, w, func(d *daemon.Daemon, until daemontest.Await) {
				until(daemontest.In(status.Published, 1))
				takenOut(t, w, d)
			})
		},
		"came to rest": func(t *testing.T, w *daemontest.World) {
			shot(t, w, func() {})
			w.Amend("Summer/SKU-1", func(r *syncstate.Record) { r.Idle = syncstate.Idle{Listing: "alone", Settings: "alone"} })
			epoch(t, w, func(d *daemon.Daemon, _ daemontest.Await) { takenOut(t, w, d) })
		},
	} {
		t.Run(name, func(t *testing.T) { daemontest.Story(t, fleetTOML, tell) })
	}
}

// TestFolderRenamedInAFleet: a station renames the view of a folder that it saw at its place. Of one that it
// did not, the folder may be an old copy, and a person confirms it.
func TestFolderRenamedInAFleet(t *testing.T) {
	const old, renamed = "Summer/SKU-1", "Summer/SKU-9"
	for name, tell := range map[string]func(*testing.T, *daemontest.World){
		"seen at rest": func(t *testing.T, w *daemontest.World) {
			shot(t, w, func() {})
			epoch(t, w, func(_ *daemon.Daemon, _ daemontest.Await) {
				time.Sleep(time.Hour)
				w.Move(old, renamed)
				time.Sleep(30 * time.Second)
				if titles := w.Titles(); !slices.Equal(titles, []string{"SKU-9"}) {
					t.Errorf("titles %v", titles)
				}
			})
		},
		"during its upload": func(t *testing.T, w *daemontest.World) {
			w.Shoot("a", old+"/1.jpg", old+"/2.jpg", old+"/3.jpg")
			w.Calls.Spoil(daemontest.Always(sandbox.Upload, sandbox.Fault{Status: http.StatusServiceUnavailable}))
			epoch(t, w, func(_ *daemon.Daemon, until daemontest.Await) {
				until(daemontest.In(status.Retrying, 1))
				w.Move(old, renamed)
				time.Sleep(time.Minute)
				w.Calls.Spoil(nil)
				until(daemontest.In(status.Published, 1))
				if titles := w.Titles(); !slices.Equal(titles, []string{"SKU-9"}) {
					t.Errorf("titles %v", titles)
				}
			})
		},
		"an old copy": func(t *testing.T, w *daemontest.World) {
			shot(t, w, func() { w.Move(old, renamed) })
			w.Move(renamed, old)
			epoch(t, w, func(d *daemon.Daemon, until daemontest.Await) {
				time.Sleep(time.Hour)
				asked := func(p status.ProductStatus) bool { return p.Folder == old && p.Cause.Is(status.MayBeOld) }
				if p := d.Status().Products; !slices.Equal(w.Titles(), []string{"SKU-9"}) || !slices.ContainsFunc(p, asked) {
					t.Errorf("titles %v, %+v", w.Titles(), p)
				}
				daemontest.Must(t, d.Do(daemon.Retry, w.Key(old)))
				until(func([]status.ProductStatus) bool { return slices.Equal(w.Titles(), []string{"SKU-1"}) })
			})
		},
		"an old copy of the set before": func(t *testing.T, w *daemontest.World) {
			const named = "sku = \"Shoe\"\ntitle = \"Shoe\"\n" // by either name
			w.Write(old+"/product.toml", named)
			shot(t, w, func() {
				w.Move(old, renamed)
				time.Sleep(time.Minute)
				w.Shoot("b", renamed+"/1.jpg", renamed+"/2.jpg", renamed+"/3.jpg")
			})
			w.Remove(renamed)
			w.Shoot("a", old+"/1.jpg", old+"/2.jpg", old+"/3.jpg")
			w.Write(old+"/product.toml", named)
			w.Calls.Since()
			epoch(t, w, func(d *daemon.Daemon, _ daemontest.Await) {
				time.Sleep(time.Hour)
				if calls := w.Calls.Since(); slices.Contains(calls, sandbox.FinishUpload) || slices.Contains(calls, sandbox.CreateProduct) {
					t.Errorf("after %q: %+v", calls, d.Status().Products)
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) { daemontest.Story(t, fleetTOML, tell) })
	}
}

// TestFoldersOfOneNameInAFleet: of two folders whose names differ only in how accents are written, some
// stations see one. So neither is published until a person has renamed one.
func TestFoldersOfOneNameInAFleet(t *testing.T) {
	const composed, decomposed = "Summer/caf\u00e9", "Summer/cafe\u0301"
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", composed+"/1.jpg")
		w.Shoot("b", decomposed+"/1.jpg")
		epoch(t, w, func(_ *daemon.Daemon, until daemontest.Await) {
			time.Sleep(10 * time.Minute)
			until(daemontest.In(status.Attention, 2))
			w.Move(decomposed, "Summer/other")
			until(daemontest.In(status.Published, 2))
		})
	})
}

// TestFormAfterATakeover: the last request of the station that died may take effect for 5 s. A form that the
// next one got before would be closed by it.
func TestFormAfterATakeover(t *testing.T) {
	daemontest.Story(t, strings.Replace(fleetTOML, "10s", "1s", 1), func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Calls.Spoil(daemontest.Always(sandbox.Upload, sandbox.Fault{Status: http.StatusServiceUnavailable}))
		views := publish.NewViews()
		epochOf(t, w, views, func(_ *daemon.Daemon, until daemontest.Await) { until(daemontest.In(status.Retrying, 1)) })
		w.Amend("Summer/SKU-1", func(r *syncstate.Record) { // as the next station knows it
			r.Run.Phase, r.Run.Form, r.Run.Frames, r.Trouble = syncstate.FormWanted, nil, nil, nil
		})
		time.Sleep(time.Hour)
		from, asked := time.Now(), time.Duration(0)
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.UpdateProduct && asked == 0 {
				asked = time.Since(from)
			}
			return sandbox.Fault{}
		})
		epochOf(t, w, views, func(_ *daemon.Daemon, until daemontest.Await) { until(daemontest.In(status.Published, 1)) })
		if asked < 5*time.Second || asked > 6*time.Second {
			t.Errorf("it asked for a form %s after it began", asked)
		}
	})
}

// TestRetryOfAnUnreadableRecord drops it: the folder is compared with the service, and has its view again.
func TestRetryOfAnUnreadableRecord(t *testing.T) {
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		shot(t, w, func() {})
		w.Amend("Summer/SKU-1", func(r *syncstate.Record) {
			*r = syncstate.Record{Unread: map[string][]byte{"folders/": []byte("{")}}
		})
		w.Calls.Since()
		epoch(t, w, func(d *daemon.Daemon, until daemontest.Await) {
			daemontest.Must(t, d.Do(daemon.Retry, syncstate.Folder{})) // is about no record
			time.Sleep(time.Hour)
			if p := d.Status().Products[0]; !p.Cause.Is(status.Unread) || len(w.Calls.Since()) > 0 {
				t.Errorf("%s: %s", p.State, p.Reason)
			}
			daemontest.Must(t, d.Do(daemon.Retry, w.Key("Summer/SKU-1")))
			until(daemontest.In(status.Published, 1))
		})
		if calls := w.Calls.Since(); slices.Contains(calls, sandbox.FinishUpload) || slices.Contains(calls, sandbox.CreateProduct) {
			t.Errorf("titles %v, after %q", w.Titles(), calls)
		}
	})
}

// TestRetryOfARootInAFleet accepts the root, also at a standby, and beside settings that are accepted with it.
func TestRetryOfARootInAFleet(t *testing.T) {
	for name, fleet := range map[string]daemon.Fleet{
		"active":            {},
		"and settings":      {Accept: func(string) bool { return true }},
		"standby":           {Standby: true},
		"standby, settings": {Standby: true, Accept: func(string) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
				shot(t, w, func() {})
				w.Remove("Summer")
				fleet.Now, fleet.Views = func() status.Fleet { return status.Fleet{Active: "bert"} }, publish.NewViews()
				if fleet.Accept == nil {
					fleet.Accept = func(string) bool { return false }
				}
				d, end := w.OpenWith(daemon.Options{Fleet: &fleet}, nil)
				defer end()
				defer daemontest.Start(t, d)()
				time.Sleep(time.Minute)
				if root := d.Status().Roots[0]; !root.Untrusted {
					t.Errorf("the root %+v", root)
				}
				daemontest.Must(t, d.Do(daemon.Retry, w.Key("")))
				time.Sleep(time.Minute)
				if root := d.Status().Roots[0]; !root.Online {
					t.Errorf("the root %s", root.Reason)
				}
			})
		})
	}
}
