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
	w.calls.spoil = once(sandbox.CreateProduct, sandbox.Fault{DropAfter: true})
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
		if c.Op == sandbox.ListProductsOfProject {
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

// A form that somebody else's upload overtook is not finished. Another one is asked for, and the
// alt texts of others that the view had before outlive both.
func TestOvertakenFormIsNotFinished(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	before := w.published()["Summer/SKU-1"]
	w.describe(before.Images[0].ID, map[string]string{"fr": "Le leur"})
	w.shoot("b", "Summer/SKU-1/1.jpg")
	reached := w.holdAt(sandbox.Upload)
	w.while(func(d *daemon.Daemon, until await) {
		<-reached
		order(t, d, daemon.Pause, w.key("Summer/SKU-1")) // or it may try again before they have finished
		w.calls.setSpoil(nil)
		w.upload(before.UUID, "1.jpg", daemontest.Photo("theirs"))
		first := w.firstFinishOrForm()
		order(t, d, daemon.Resume, w.key("Summer/SKU-1"))
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
		if op := first(); op != sandbox.UpdateProduct {
			t.Errorf("operation %s came first", op)
		}
	})
	if got := w.published()["Summer/SKU-1"].Images[0].AltTexts; got["fr"] != "Le leur" {
		t.Errorf("the alt texts are %v", got)
	}
}

// firstFinishOrForm tells which of both operations is called first from now on.
func (w *world) firstFinishOrForm() func() (op string) {
	first := make(chan string, 1)
	w.calls.setSpoil(func(c *sandbox.Call) sandbox.Fault {
		if len(first) == 0 && (c.Op == sandbox.FinishUpload || c.Op == sandbox.UpdateProduct) {
			first <- c.Op
		}
		return sandbox.Fault{}
	})
	return func() string { return <-first }
}

// The alt texts that others write while frames are sent outlive the images that they were written
// on.
func TestAltTextsWrittenWhileFramesAreSent(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	before := w.published()["Summer/SKU-1"]
	w.shoot("b", "Summer/SKU-1/1.jpg")
	reached := w.holdAt(sandbox.Upload)
	w.while(func(_ *daemon.Daemon, until await) {
		<-reached
		w.calls.setSpoil(nil)
		w.describe(before.Images[0].ID, map[string]string{"fr": "Le leur"})
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
	})
	if got := w.published()["Summer/SKU-1"].Images[0].AltTexts; got["fr"] != "Le leur" {
		t.Errorf("the alt texts are %v", got)
	}
}

// A run that an earlier process began does not go on when somebody else uploaded to the view since,
// under the folder's name or under another one.
func TestOthersUploadWhileNoDaemonRuns(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string]bool{"the same name": false, "another name": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/other/1.jpg")
			w.published()
			w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			w.calls.spoil = aStage{op: sandbox.Upload, admits: 1, fault: refused}.spoil()
			w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Retrying) == 1 })
			w.calls.spoil = nil
			w.upload(w.record("Summer/SKU-1").Product.UUID, "1.jpg", daemontest.Photo("theirs"))
			if moves {
				w.moveTo("Summer/SKU-1", "Summer/new")
			}
			first := w.firstFinishOrForm()
			w.published()
			if op := first(); op != sandbox.UpdateProduct {
				t.Errorf("operation %s came first", op)
			}
		})
	}
}

// The first revision that a new process sees finished may be somebody else's.
func TestOthersUploadBehindTheFinish(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	reached := w.holdAt(sandbox.ReadStatus)
	w.while(func(*daemon.Daemon, await) { <-reached })
	w.calls.spoil = nil
	product := w.record("Summer/SKU-1").Product.UUID
	w.upload(product, "1.jpg", daemontest.Photo("theirs"))
	w.published()
	if got, want := w.shown(product), sum(daemontest.Photo("aSummer/SKU-1/1.jpg")); got != want {
		t.Errorf("the view shows %s, the folder holds %s", got, want)
	}
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
			var mended, early atomic.Bool
			spoil := sync.OnceFunc(func() { test.spoil(w) })
			w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
				if c.Op == sandbox.Upload {
					spoil()
				}
				if c.Op == sandbox.FinishUpload && !mended.Load() {
					early.Store(true)
				}
				return sandbox.Fault{}
			}
			w.while(func(_ *daemon.Daemon, until await) {
				until(func(products []status.ProductStatus) bool {
					return early.Load() || len(products) == 1 && products[0].State == status.Collecting && products[0].Frames.Uploaded == 1
				})
				mended.Store(true)
				test.mend(w)
				until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
			})
			if early.Load() {
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
			w.calls.spoil = always(sandbox.UpdateProduct, sandbox.Fault{DropAfter: true})
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
			if sent := slices.Contains(w.calls.since(), sandbox.Upload); (err == nil) != test.published || sent != test.published {
				t.Errorf("sent: %t, %v", sent, err)
			}
		})
	}
}
