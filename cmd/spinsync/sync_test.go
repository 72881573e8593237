package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon"
	"spinsync/daemon/control"
	"spinsync/daemon/daemontest"
	"spinsync/syncstate"
)

// TestSyncBesideAnotherSyncToml: a daemon that watches other folders is asked for one pass, after which
// it would have the settings of a file that was saved a moment ago. Then sync is refused.
func TestSyncBesideAnotherSyncToml(t *testing.T) {
	_, service := daemontest.Service(t, sandbox.Options{})
	c := daemontest.Config(t, t.TempDir(), service, "settle = \"20ms\"\nquiet = \"20ms\"")
	daemontest.Write(t, filepath.Join(c.Watch[0].Path, "Summer", "SKU-1", "1.jpg"), daemontest.Photo("1"))
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	defer end()
	var passes atomic.Int32
	live := daemon.NewLive(d)
	live.TakeSettings = func(context.Context) { passes.Add(1) }
	defer daemontest.Start(t, d, func(ctx context.Context) {
		if err := control.Serve(ctx, live, c.State.Path); err != nil {
			t.Error(err)
		}
	})()
	reached := func() bool { _, err := control.Dial(t.Context(), c.State.Path); return err == nil }
	for !reached() {
		time.Sleep(time.Millisecond)
	}
	other := daemontest.Config(t, t.TempDir(), service, "")
	other.State = c.State
	call := &cli.Call{Env: environment(map[string]string{"SPINSYNC_PASSWORD": "secret"}), Stderr: io.Discard}
	err := syncing{call: call}.pass(t.Context(), other, io.Discard)
	if n := passes.Load(); n != 1 || !errors.Is(err, syncstate.ErrLocked) {
		t.Errorf("after %d passes: %v", n, err)
	}
}
