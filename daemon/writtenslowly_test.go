package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// keepWriting has a file written again and again, another piece each time, as a slow program does
// that has cut it off first.
func keepWriting(w *daemontest.World, name string, lasts time.Duration) {
	w.T.Helper()
	file := filepath.Join(w.Root, filepath.FromSlash(name))
	if err := os.Truncate(file, 0); err != nil {
		w.T.Fatal(err)
	}
	for begin := time.Now(); time.Since(begin) < lasts; time.Sleep(50 * time.Millisecond) {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			w.T.Fatal(err)
		}
		f.WriteString("# a comment\n")
		f.Close()
	}
}

// TestProductFileThatIsBeingWritten: while product.toml is saved in place, what it said before
// holds: the folder does not go live with the photos that it has, and nobody is called.
func TestProductFileThatIsBeingWritten(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Settle = "500ms"
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.Write("Summer/SKU-1/product.toml", "frames = 3\n")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool {
				return len(products) == 1 && strings.Contains(products[0].Reason, "2 of 3")
			})
			keepWriting(w, "Summer/SKU-1/product.toml", 3*time.Second)
			if got := d.Status().Products[0]; got.State != status.Collecting || !strings.Contains(got.Reason, "product.toml is being written") {
				t.Errorf("while product.toml is written: %s, %s", got.State, got.Reason)
			}
			w.Write("Summer/SKU-1/product.toml", "frames = 3\n")
			w.Shoot("b", "Summer/SKU-1/3.jpg")
			until(func(products []status.ProductStatus) bool { return products[0].State == status.Published })
		})
		if got := w.Published()["Summer/SKU-1"]; len(got.Images) != 3 || got.Revision > 1 {
			t.Errorf("%d images in revision %d", len(got.Images), got.Revision)
		}
	})
}

// TestProductFileThatIsReplaced: a program may remove product.toml before it saves it again. Nothing is
// made by the folder's name meanwhile, and nothing goes live with the photos that it has.
func TestProductFileThatIsReplaced(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Settle = "5s"
		const says = "title = \"Red shoe\"\nframes = 3\n"
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.Write("Summer/SKU-1/product.toml", says)
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			w.Remove("Summer/SKU-1/product.toml")
			time.Sleep(4 * time.Second)
			w.Write("Summer/SKU-1/product.toml", says)
			time.Sleep(time.Minute)
			if got := d.Status().Products[0]; got.State != status.Attention {
				t.Errorf("with 2 of 3 photos it is %s, %s", got.State, got.Reason)
			}
			if titles := w.Titles(); len(titles) > 0 {
				t.Errorf("on the service: %q", titles)
			}
		})
	})
}

// TestTextThatIsBeingWritten: a sidecar counts once it is still. Until then what it said before
// stays on the service, and so it does when its end is empty.
func TestTextThatIsBeingWritten(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Settle = "500ms"
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Write("Summer/SKU-1/1.txt", "A red shoe from the front")
		uuid := w.Published()["Summer/SKU-1"].UUID
		has := func(text string) {
			t.Helper()
			if got := w.English(uuid); len(got) != 1 || got[0] != text {
				t.Errorf("the text is %q, want %q", got, text)
			}
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			keepWriting(w, "Summer/SKU-1/1.txt", 2*time.Second)
			has("A red shoe from the front")
			w.Write("Summer/SKU-1/1.txt", "A blue sh\x00\x00\x00\x00")
			until(func(products []status.ProductStatus) bool {
				return products[0].State == status.Published && strings.Contains(products[0].Reason, "1.txt: its end is empty")
			})
			has("A red shoe from the front")
			w.Write("Summer/SKU-1/1.txt", "A blue shoe")
			until(func(products []status.ProductStatus) bool {
				return products[0].State == status.Published && w.English(uuid)[0] == "A blue shoe"
			})
		})
	})
}

// TestNumberIsGoneForAMoment: a folder that waits for its third photo is no set of two while somebody puts
// another product.toml in place.
func TestNumberIsGoneForAMoment(t *testing.T) {
	daemontest.Story(t, "quiet = \"30s\"\n", func(t *testing.T, w *daemontest.World) {
		const file = "Summer/SKU-1/product.toml"
		w.Write(file, "frames = 3\n")
		w.Shoot("first", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			w.Remove(file)
			time.Sleep(20 * time.Second)
			w.Write(file, "frames = 3\n")
			time.Sleep(time.Minute)
			if p := d.Status().Products[0]; p.State != status.Attention {
				t.Errorf("two of three photos are %s", p.State)
			}
			w.Remove(file)
			until(daemontest.In(status.Published, 1))
		})
	})
}

// TestReasonOutlivesThePass: without a daemon a folder shows the reason and the settled frames of the last
// pass.
func TestReasonOutlivesThePass(t *testing.T) {
	daemontest.Story(t, "", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg", "Summer/SKU-1/4.jpg.part")
		products, _ := w.Sync()
		told := products["Summer/SKU-1"].Reason
		w.InStore(func(store *syncstate.Store) error {
			s, err := daemon.RecordedStatus(w.Config(), store)
			if p := s.Products[0]; p.Reason != told || p.Frames.Settled != 3 {
				t.Errorf("%d settled, and %q; the pass told %q", p.Frames.Settled, p.Reason, told)
			}
			return err
		})
	})
}

// TestStopWhileManyAreCollecting: a stop does not wait for a slow disk until the reasons of all folders are
// recorded.
func TestStopWhileManyAreCollecting(t *testing.T) {
	daemontest.Story(t, "", func(t *testing.T, w *daemontest.World) {
		const folders = 100
		shoot := func(name string) {
			for i := range folders {
				w.Shoot("a", fmt.Sprintf("Summer/SKU-%d/%s", i, name))
			}
		}
		shoot("1.jpg.part")
		shoot("2.jpg")
		d, end := w.OpenWith(daemon.Options{}, func(commit func() error) error {
			time.Sleep(100 * time.Millisecond)
			return commit()
		})
		defer end()
		stop := daemontest.Start(t, d)
		defer stop()
		settled := func(frames int) func([]status.ProductStatus) bool {
			return func(products []status.ProductStatus) bool {
				n := 0
				for _, p := range products {
					n += p.Frames.Settled
				}
				return n == frames*folders
			}
		}
		w.Awaiting(d)(settled(1))
		shoot("3.jpg")
		w.Awaiting(d)(settled(2))
		asked := time.Now()
		stop()
		if took := time.Since(asked); took > 8*time.Second {
			t.Errorf("the stop took %s", took)
		}
	})
}
