package daemon_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// A product that may have been made under an earlier name is looked for under that name first.
func TestUnansweredCreateUnderAnEarlierName(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.calls.spoil = once("4.2", sandbox.Fault{DropAfter: true})
	w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Retrying) == 1 })
	w.write("Summer/SKU-1/product.toml", "sku = \"Other\"\ntitle = \"Other\"\n")
	w.published()
	if got, want := w.titles(), []string{"Other"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// A folder that went while its product was looked for gets none: it may have another name by now.
func TestFolderThatGoesBeforeItsCreate(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/stays/1.jpg")
	w.published()
	w.shoot("a", "Summer/new/1.jpg")
	var gone atomic.Bool
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op == "4.8" {
			removeAll(t, w.path("Summer/new"))
			gone.Store(true)
		}
		return sandbox.Fault{}
	}
	w.calls.since()
	w.runUntil(func(products []status.ProductStatus) bool { return gone.Load() && len(products) == 1 })
	if got, want := w.titles(), []string{"stays"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// A form that somebody else's upload overtook is not finished. Another one is asked for.
func TestOvertakenFormIsNotFinished(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	product := w.published()["Summer/SKU-1"].UUID
	w.shoot("b", "Summer/SKU-1/1.jpg")
	reached := w.holdAt("4.3")
	w.while(func(_ *daemon.Daemon, until await) {
		<-reached
		w.calls.setSpoil(nil)
		w.upload(product, "1.jpg", daemontest.Photo("theirs"))
		first := make(chan string, 1)
		w.calls.setSpoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == "4.4" || c.Op == "4.9" {
				select {
				case first <- c.Op:
				default:
				}
			}
			return sandbox.Fault{}
		})
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
		if op := <-first; op != "4.9" {
			t.Errorf("operation %s came first", op)
		}
	})
}

// The last look before the finish sees what no event told in time: nothing is finished while a
// program still writes a frame, or without the marker.
func TestLastLookBeforeTheFinish(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		toml  string
		spoil func(*world)
		mend  func(*world)
	}{
		"a frame that is being written": {
			shortQuiet,
			func(w *world) { w.write("Summer/SKU-1/2.jpg.part", "half") },
			func(w *world) { remove(w.t, w.path("Summer/SKU-1/2.jpg.part")) },
		},
		"no marker any more": {
			"marker = \"done.txt\"",
			func(w *world) { remove(w.t, w.path("Summer/SKU-1/done.txt")) },
			func(w *world) { w.write("Summer/SKU-1/done.txt", "done again") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.toml)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.write("Summer/SKU-1/done.txt", "done")
			var mended, early bool
			spoil := sync.OnceFunc(func() { test.spoil(w) })
			w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
				if c.Op == "4.3" {
					spoil()
				}
				early = early || c.Op == "4.4" && !mended
				return sandbox.Fault{}
			}
			w.while(func(_ *daemon.Daemon, until await) {
				until(func(products []status.ProductStatus) bool {
					return early || len(products) == 1 && products[0].State == status.Collecting && products[0].Frames.Uploaded == 1
				})
				w.calls.turn <- struct{}{}
				mended = true
				<-w.calls.turn
				test.mend(w)
				until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
			})
			if early {
				t.Error("it was finished")
			}
		})
	}
}

// The service has the new fields when the answer to their change is lost. Those that a person puts
// back are sent once more.
func TestFieldsArePutBackAfterALostAnswer(t *testing.T) {
	t.Parallel()
	for name, reshoot := range map[string]bool{"fields alone": false, "with new photos": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.published()
			w.write("Summer/SKU-1/product.toml", "title = \"New\"\n")
			if reshoot {
				w.shoot("b", "Summer/SKU-1/1.jpg")
			}
			w.calls.spoil = always("4.9", sandbox.Fault{DropAfter: true})
			w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Retrying) == 1 })
			if got := w.titles(); !slices.Equal(got, []string{"New"}) {
				t.Fatalf("on the service: %q", got)
			}
			w.calls.spoil = nil
			remove(t, w.path("Summer/SKU-1/product.toml"))
			w.published()
			if got, want := w.titles(), []string{"SKU-1"}; !slices.Equal(got, want) {
				t.Errorf("on the service: %q, want %q", got, want)
			}
		})
	}
}

// A form allows photos up to exactly its largest size. A larger photo is not sent at all.
func TestLargestPhotoOfAForm(t *testing.T) {
	t.Parallel()
	photo := daemontest.Photo("a")
	for name, test := range map[string]struct {
		largest   int
		published bool
	}{"as large": {len(photo), true}, "one byte larger": {len(photo) - 1, false}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet, func(o *sandbox.Options) { o.MaxFile = int64(test.largest) })
			w.write("Summer/SKU-1/1.jpg", photo)
			_, err := w.sync()
			if sent := slices.Contains(w.calls.since(), "4.3"); (err == nil) != test.published || sent != test.published {
				t.Errorf("sent: %t, %v", sent, err)
			}
		})
	}
}
