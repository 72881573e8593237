package daemon_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// A reloaded is a daemon that runs, and that others follow in the same process.
type reloaded struct {
	*daemon.Live
	w    *daemontest.World
	stop func()
}

func live(w *daemontest.World) *reloaded {
	w.T.Helper()
	d, end := w.Open()
	r := &reloaded{daemon.NewLive(d), w, daemontest.Start(w.T, d)}
	w.T.Cleanup(func() {
		r.stop()
		end()
	})
	return r
}

// reload puts another daemon in the place of the one of now. then is called once it is made.
func (r *reloaded) reload(then func()) {
	r.w.T.Helper()
	err := r.Replace(func(before *daemon.Daemon) (*daemon.Daemon, error) {
		r.stop()
		next, err := r.w.Next(before)
		then()
		return next, err
	})
	if err != nil {
		r.w.T.Fatal(err)
	}
	r.stop = daemontest.Start(r.w.T, r.Daemon())
}

// until waits until the first folder is as wanted.
func (r *reloaded) until(reached func(status.ProductStatus) bool) {
	r.w.T.Helper()
	deadline := time.After(time.Minute)
	for {
		changed := r.Daemon().Changed()
		if all := r.Daemon().Status().Products; len(all) > 0 && reached(all[0]) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			r.w.T.Fatalf("never reached; the status is %+v", r.Daemon().Status())
		}
	}
}

func isPublished(p status.ProductStatus) bool { return p.State == status.Published }

// TestRunGoesOnAfterAReload: a run in flight is no run of an earlier process. It is not compared
// with the service, and what was sent is not sent again.
func TestRunGoesOnAfterAReload(t *testing.T) {
	daemontest.Story(t, "frames = 3", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		r := live(w)
		r.until(func(p status.ProductStatus) bool { return p.Frames.Uploaded == 2 })
		r.reload(func() {})
		w.Shoot("a", "Summer/SKU-1/3.jpg")
		r.until(isPublished)
		count := map[string]int{}
		for _, op := range w.Calls.Since() {
			count[op]++
		}
		if count[sandbox.ListImages] != 1 || count[sandbox.Upload] != 3 || count[sandbox.CreateProduct] != 1 {
			t.Errorf("the requests were %v", count)
		}
	})
}

// TestReloadKeepsTheClockOfTheService: where this computer's clock is off by most of a form's life,
// an upload goes on after a reload under the form that it has.
func TestReloadKeepsTheClockOfTheService(t *testing.T) {
	const life = time.Hour
	choose := func(o *servicetest.Options) {
		o.FormLifetime, o.Habits.Clock, o.Habits.OpenPolicy = life, 30*time.Second-life, true
	}
	daemontest.OddStory(t, "frames = 3", choose, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		r := live(w)
		r.until(func(p status.ProductStatus) bool { return p.Frames.Uploaded == 2 })
		r.reload(func() {})
		w.Shoot("a", "Summer/SKU-1/3.jpg")
		r.until(isPublished)
		if ops := w.Calls.Since(); countOp(ops, sandbox.Upload) != 3 {
			t.Errorf("the requests were %v", ops)
		}
	})
}

// TestReloadKeepsTheWordToARoot: an emptied root that a person accepted stays accepted over a reload
// before the next whole read, and over one after it.
func TestReloadKeepsTheWordToARoot(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/A/1.jpg", "Summer/B/1.jpg")
		w.Published()
		w.Remove("Summer")
		var slow atomic.Bool
		w.Spoil = func(string) error {
			if slow.Load() {
				time.Sleep(time.Second)
			}
			return nil
		}
		r := live(w)
		root := func() watcher.RootStatus { return r.Daemon().Status().Roots[0] }
		for !root().Untrusted {
			time.Sleep(time.Second)
		}
		slow.Store(true)
		daemontest.Must(t, r.Do(daemon.Retry, w.Key("")))
		synctest.Wait() // the root is being read
		slow.Store(false)
		for range 2 {
			r.reload(func() {})
			for root().Unread {
				time.Sleep(time.Second)
			}
			if s := root(); !s.Online {
				t.Errorf("the root %s", s.Reason)
			}
			r.until(func(p status.ProductStatus) bool { return p.State == status.Missing })
		}
	})
}

// TestPassOutlastsAReload: a pass that was begun before a reload ends with what is published after
// it, and a pulse comes from the next daemon.
func TestPassOutlastsAReload(t *testing.T) {
	daemontest.Story(t, "frames = 2", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		r := live(w)
		r.until(func(p status.ProductStatus) bool { return p.Frames.Settled == 1 })
		passed, beaten := make(chan error, 1), make(chan error, 1)
		var asking sync.WaitGroup
		asking.Go(func() { passed <- r.Pass(t.Context()) })
		r.reload(func() { asking.Go(func() { beaten <- r.Pulse(t.Context()) }) })
		if err := <-beaten; err != nil {
			t.Error("no pulse:", err)
		}
		w.Shoot("a", "Summer/SKU-1/2.jpg")
		if err := <-passed; err != nil {
			t.Error("the pass:", err)
		}
		asking.Wait()
		if ops := w.Calls.Since(); !slices.Contains(ops, sandbox.FinishUpload) {
			t.Errorf("the pass ended before anything was published: %v", ops)
		}
	})
}
