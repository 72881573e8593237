package check

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/show"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestStatusOfAnotherVolume: without a daemon, status and check show a root that is on another volume
// than before, with the command that accepts it. A run can begin in between.
func TestStatusOfAnotherVolume(t *testing.T) {
	c := daemontest.Config(t, t.TempDir(), "http://127.0.0.1:1", "")
	root := c.Watch[0].Path
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	store, err := syncstate.Open(c.State.Path, cli.Account(c))
	if err == nil {
		err = errors.Join(store.UpdateRoot(root, func(r *syncstate.RootRecord) error {
			r.Volume = `{"FS":"none of these"}`
			return nil
		}), store.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := &cli.Call{Env: func(string) string { return "" }, ConfigPath: c.Path}
	err = (&backend.Reader{Call: a}).WithStatus(t.Context(), func(s status.Status) error {
		store, err := syncstate.Open(c.State.Path, cli.Account(c))
		if err != nil {
			return err
		}
		return errors.Join(store.Close(), show.Status(&out, s))
	})
	want := root + " is offline: it is on another volume than before "
	if remedy := "`spinsync retry " + status.ShellWord(root) + "`"; err != nil || !strings.Contains(out.String(), want) || !strings.Contains(out.String(), remedy) {
		t.Errorf("%v, %s", err, &out)
	}
	r := &Report{}
	examineState(t.Context(), a, c, r)
	if !slices.ContainsFunc(r.Rows, func(row []string) bool {
		return row[1] == "root" && strings.HasPrefix(row[2], root+": it is on another volume")
	}) {
		t.Errorf("check finds %q", r.Rows)
	}
}
