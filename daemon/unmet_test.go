package daemon_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
)

// breakOff makes a pass that is broken off in the first upload.
func breakOff(w *daemontest.World) {
	w.T.Helper()
	ctx, cancel := context.WithCancel(w.T.Context())
	w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.Upload {
			cancel()
		}
		return sandbox.Fault{}
	})
	defer w.Calls.Spoil(nil)
	d, end := w.Open()
	defer end()
	if err := d.Sync(ctx); !errors.Is(err, context.Canceled) {
		w.T.Errorf("the pass that is broken off ends with %v", err)
	}
}

// wantShortPass makes a pass that must end, with what is begun not published.
func wantShortPass(w *daemontest.World, how string, pass func(context.Context, *daemon.Daemon) error) {
	w.T.Helper()
	d, end := w.Open()
	defer end()
	ctx, cancel := context.WithTimeout(w.T.Context(), time.Minute)
	defer cancel()
	if err := pass(ctx, d); !errors.Is(err, daemon.ErrUnpublished) {
		w.T.Errorf("the pass %s ends with %v; the status is %+v", how, err, d.Status().Products)
	}
}

// ownPass is a pass of its own process.
func ownPass(ctx context.Context, d *daemon.Daemon) error { return d.Sync(ctx) }

// passBeside is a pass of a daemon that runs.
func passBeside(w *daemontest.World) func(context.Context, *daemon.Daemon) error {
	return func(ctx context.Context, d *daemon.Daemon) error {
		defer daemontest.Start(w.T, d)()
		return d.Pass(ctx)
	}
}

// TestPassWithAFolderThatNoReadMeets: a pass is broken off while a folder is uploaded. Then sync.toml
// has product folders at another depth, or all folders are gone. The next pass does not wait for it.
func TestPassWithAFolderThatNoReadMeets(t *testing.T) {
	for name, change := range map[string]func(*daemontest.World){
		"another depth": func(w *daemontest.World) {
			w.Remove("Summer")
			w.Shoot("b", "SKU-2/1.jpg")
			w.Project = "Summer"
		},
		"gone": func(w *daemontest.World) { w.Remove("Summer") },
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
				breakOff(w)
				change(w)
				wantShortPass(w, "of its own", ownPass)
				wantShortPass(w, "beside a daemon", passBeside(w))
			})
		})
	}
}
