package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
)

// TestFullStateDisk: a pass whose state file finds no room while frames are under way goes on when
// there is room again, and sends only those frames twice.
func TestFullStateDisk(t *testing.T) {
	const frames, folders = 10, 4
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		var full atomic.Int32 // commits that still find no room
		var uploads atomic.Int32
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.Upload && uploads.Add(1) == 7 {
				full.Store(2)
			}
			return sandbox.Fault{}
		})
		for folder := range folders {
			for frame := range frames {
				w.Shoot(fmt.Sprint(folder, frame), fmt.Sprintf("Summer/SKU-%d/%d.jpg", folder, frame))
			}
		}
		observed := func(commit func() error) error {
			if full.Add(-1) >= 0 {
				return syscall.ENOSPC
			}
			return commit()
		}
		d, end := w.OpenWith(daemon.Options{}, observed)
		defer end()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := d.Sync(ctx); err != nil {
			t.Errorf("the pass ends with %v", errors.Join(err, ctx.Err()))
		}
		if n := uploads.Load(); n < frames*folders || n >= 2*frames*folders {
			t.Errorf("%d frames were uploaded with %d requests", frames*folders, n)
		}
		if full.Load() >= 0 {
			t.Error("the disk was never full")
		}
	})
}

// TestPassOutlastsAFullDisk: a pass on a running daemon waits for room on the state file's disk, also
// when no folder has anything else to do.
func TestPassOutlastsAFullDisk(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("1", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		var full atomic.Int32
		full.Store(2)
		observed := func(commit func() error) error {
			if full.Add(-1) >= 0 {
				return syscall.ENOSPC
			}
			return commit()
		}
		d, end := w.OpenWith(daemon.Options{}, observed)
		defer end()
		defer daemontest.Start(t, d)()
		if err := d.Pass(t.Context()); err != nil {
			t.Errorf("the pass ends with %v", err)
		}
		if full.Load() >= 0 {
			t.Error("the disk was never full")
		}
	})
}

// TestPassEndsOnAFullDisk: neither a pass of its own nor one on a running daemon waits for ever for
// somebody to make room, and each names the disk. So it is where an empty commit still finds room, and
// each change finds none.
func TestPassEndsOnAFullDisk(t *testing.T) {
	for _, test := range []struct{ running, forNothing bool }{{}, {running: true}, {forNothing: true}, {true, true}} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Shoot("1", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
				var full atomic.Bool
				var commits atomic.Int32
				d, end := w.OpenWith(daemon.Options{}, func(commit func() error) error {
					if full.Load() && (commits.Add(1)%2 == 1 || !test.forNothing) {
						return syscall.ENOSPC
					}
					return commit()
				})
				defer end()
				full.Store(true)
				began, pass := time.Now(), d.Sync
				if test.running {
					defer daemontest.Start(t, d)()
					pass = d.Pass
				}
				if err := pass(t.Context()); err == nil || !strings.Contains(err.Error(), "make room on it") {
					t.Errorf("the pass ends with %v", err)
				}
				if took := time.Since(began); took > 15*time.Minute {
					t.Errorf("after %v", took)
				}
				full.Store(false)
			})
		})
	}
}
