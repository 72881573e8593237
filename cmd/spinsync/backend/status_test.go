package backend

import (
	"errors"
	"os"
	"testing"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRootThatIsBack: without a daemon a folder waits for its root only while the root is offline.
func TestRootThatIsBack(t *testing.T) {
	c := daemontest.Config(t, t.TempDir(), "http://127.0.0.1:1", "")
	key := syncstate.Folder{Root: c.Watch[0].Path, Path: "Summer/SKU-1"}
	store, err := syncstate.Open(c.State.Path, cli.Account(c))
	if err == nil {
		err = errors.Join(store.Update(key, func(r *syncstate.Record) error {
			status.SetState(r, status.Retrying, &status.Cause{Kind: status.RootOffline, Text: "the root is missing"})
			r.Wishes.Priority = true
			return nil
		}), store.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	reader := Reader{Call: &cli.Call{Env: func(string) string { return "" }}}
	for _, want := range []string{
		"the root is missing; goes first", "the next `spinsync run` or `spinsync sync` tries it again; goes first",
	} {
		s, err := reader.Status(t.Context(), c)
		if err != nil || len(s.Products) != 1 || s.Products[0].Reason != want {
			t.Errorf("%v; want %q, got %+v", err, want, s.Products)
		}
		if err := os.MkdirAll(key.Root, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
