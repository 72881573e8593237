package daemon_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestPauseEndsUploadBetweenFrames: who pauses a folder does not wait for all of its frames.
func TestPauseEndsUploadBetweenFrames(t *testing.T) {
	daemontest.Story(t, "frames = 8\n"+shortQuiet+"\n[upload]\nparallel = 1", func(t *testing.T, w *daemontest.World) {
		for i := range 8 {
			w.Shoot("a", fmt.Sprintf("Summer/SKU-1/%d.jpg", i))
		}
		sent := 0
		began, paused := make(chan struct{}), make(chan struct{})
		begin := sync.OnceFunc(func() { close(began) })
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.Upload {
				sent++
				begin()
				<-paused
			}
			return sandbox.Fault{}
		})
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			<-began
			if err := d.Do(daemon.Pause, w.Key("Summer/SKU-1")); err != nil {
				t.Error(err)
			}
			if p := d.Status().Products[0]; p.State != status.Paused || !strings.Contains(p.Reason, "1 frame still on the way; ") {
				t.Errorf("while a frame is on the way it is %s: %s", p.State, p.Reason)
			}
			close(paused)
			until(func(products []status.ProductStatus) bool {
				return count(products, status.Paused) == 1 && products[0].Sending == 0
			})
		})
		if sent > 2 { // the one under way, and one that stood in line for its lane
			t.Errorf("%d frames were sent after the pause", sent)
		}
	})
}

// TestFullHostKeepsWhatArrived: while the upload host has no room, its folder shows the photos that
// arrived before.
func TestFullHostKeepsWhatArrived(t *testing.T) {
	daemontest.Story(t, shortQuiet+"\n[upload]\nparallel = 1", func(t *testing.T, w *daemontest.World) {
		for i := range 5 {
			w.Shoot("a", fmt.Sprintf("Summer/SKU-1/%d.jpg", i))
		}
		arrived := 0
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.Upload && arrived == 2 {
				return sandbox.Fault{Status: http.StatusInsufficientStorage}
			}
			if c.Op == sandbox.Upload {
				arrived++
			}
			return sandbox.Fault{}
		})
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Retrying, 1))
			if p := d.Status().Products[0]; p.Frames.Uploaded != 2 {
				t.Errorf("2 photos arrived, and %d are shown: %s", p.Frames.Uploaded, p.Reason)
			}
		})
	})
}

// TestFrameThatNoFormAllows: a frame outside the sizes that the upload form allows is a person's
// matter before a byte of it is sent. When the service allows more, a retry is enough.
func TestFrameThatNoFormAllows(t *testing.T) {
	large := len(daemontest.Photo("frame 2 of a"))
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Write("Summer/SKU-1/2.jpg", daemontest.Photo("frame 2 of a"))
		products, err := w.Sync()
		p := products["Summer/SKU-1"]
		if err == nil || p.State != status.Attention || !strings.Contains(p.Reason, "2.jpg") || !strings.Contains(p.Reason, "at most") {
			t.Errorf("%v; the folder is %s: %s", err, p.State, p.Reason)
		}
		if ops := w.Calls.Since(); slices.Contains(ops, sandbox.Upload) {
			t.Errorf("it was sent: %q", ops)
		}
		silentOnSizes := `{"path":"p","policy":"x","signature":"y","hostname":"127.0.0.1:1","access_key_id":"k","acl":"private"}`
		w.Calls.Spoil(daemontest.Always(sandbox.UpdateProduct, sandbox.Fault{Status: 200, Body: silentOnSizes}))
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(all []status.ProductStatus) bool { return len(all) == 1 && all[0].State == status.Attention })
			if err := d.Do(daemon.Retry, syncstate.Folder{}); err != nil {
				t.Fatal(err)
			}
			until(func(all []status.ProductStatus) bool { return strings.Contains(all[0].Reason, "127.0.0.1:1") })
		})
	}, func(o *sandbox.Options) { o.MaxFile = int64(large) - 1 })
}

// TestTornFrameThatEndsWell: a photo that breaks off and has the end of another one is found out as
// it is sent. Its folder is not finished, and says why; with the mended photo it is sent under
// another form.
func TestTornFrameThatEndsWell(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		first := daemontest.Photo("torn")
		w.Write("Summer/SKU-1/3.jpg", first[:len(first)-20]+daemontest.Photo("other"))
		waits := func(products []status.ProductStatus) bool {
			return count(products, status.Collecting) == 1 && strings.Contains(products[0].Reason, "3.jpg (a second picture begins")
		}
		w.RunUntil(waits)
		ops := w.Calls.Since()
		if n := len(slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return op != sandbox.Upload })); n != 3 || slices.Contains(ops, sandbox.FinishUpload) {
			t.Errorf("%d frames were sent, and the calls are %q", n, ops)
		}
		w.Shoot("b", "Summer/SKU-1/3.jpg")
		if p := w.Published()["Summer/SKU-1"]; len(p.Images) != 3 {
			t.Errorf("%d images are published", len(p.Images))
		}
		if ops := w.Calls.Since(); !slices.Contains(ops, sandbox.UpdateProduct) {
			t.Errorf("no other form was asked for: %q", ops)
		}
	})
}

// TestKnownFrameThatIsSpoilt: a power cut may spoil the content of a published photo and leave its
// size and time. The next upload finds that out. Its folder says why, and waits for the photo. One that
// was mended under its old time is read again when the folder changes.
func TestKnownFrameThatIsSpoilt(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.Published()
		whole := daemontest.Photo("aSummer/SKU-1/2.jpg")
		info, err := os.Stat(w.Path("Summer/SKU-1/2.jpg"))
		daemontest.Must(t, err)
		writeUnderOldTime := func(content string) {
			daemontest.Must(t, os.WriteFile(w.Path("Summer/SKU-1/2.jpg"), []byte(content), 0o600))
			daemontest.Must(t, os.Chtimes(w.Path("Summer/SKU-1/2.jpg"), info.ModTime(), info.ModTime()))
		}
		writeUnderOldTime(strings.Repeat("\x00", len(whole)))
		w.Shoot("b", "Summer/SKU-1/1.jpg")
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(func(p []status.ProductStatus) bool {
				return count(p, status.Attention) == 1 && strings.Contains(p[0].Reason, "2.jpg")
			})
			w.Calls.Since()
			time.Sleep(time.Hour)
			if ops := w.Calls.Since(); slices.Contains(ops, sandbox.Upload) {
				t.Errorf("while it waits the calls are %q", ops)
			}
			writeUnderOldTime(whole)
			w.Shoot("b", "Summer/SKU-1/3.jpg")
			until(daemontest.In(status.Published, 1))
		})
	})
}

// TestSetThatComesLaterIsBegunWhenItIsStill: a whole set that is moved below a root may be moved on
// at once, or get another name. Nothing is asked for it before it has been still for settle,
// although its files are old.
func TestSetThatComesLaterIsBegunWhenItIsStill(t *testing.T) {
	daemontest.Story(t, "frames = 2\n"+shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Settle = "300ms"
		w.Shoot("a", "Summer/there/1.jpg", "Summer/there/2.jpg", "../SKU-1/1.jpg", "../SKU-1/2.jpg")
		w.Age("../SKU-1/1.jpg", "../SKU-1/2.jpg", "../SKU-1")
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Published, 1))
			if err := os.Rename(w.Path("../SKU-1"), w.Path("Summer/SKU-1")); err != nil {
				t.Fatal(err)
			}
			until(func(p []status.ProductStatus) bool {
				if len(p) == 2 && p[0].Product != "" && p[0].Frames.Settled < 2 {
					t.Fatalf("it has a product before it is still: %+v", p[0])
				}
				return count(p, status.Published) == 2
			})
		})
	})
}
