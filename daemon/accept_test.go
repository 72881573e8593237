package daemon_test

import (
	"os"
	"strings"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/syncstate"
)

// TestRetryAllAcceptsNoRoot: the empty directory below a drive that is not mounted is believed only
// by who names it.
func TestRetryAllAcceptsNoRoot(t *testing.T) {
	daemontest.Story(t, "frames = 1\nquiet = \"20ms\"\non_remove = \"delete\"", func(t *testing.T, w *daemontest.World) {
		w.Shoot("one", "Summer/A/1.jpg")
		w.Published()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(os.Rename(w.Root, w.Root+".away"))
		w.Mkdir("")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			must(d.Do(daemon.Retry, syncstate.Folder{}))
			if err := d.Pass(t.Context()); err == nil || !strings.Contains(err.Error(), "`spinsync retry "+w.Root+"`") {
				t.Errorf("a pass over the empty ground: %v", err)
			}
		})
		must(os.Remove(w.Root))
		must(os.Rename(w.Root+".away", w.Root))
		w.Published()
		if titles := w.Titles(); len(titles) != 1 {
			t.Errorf("on the service are %q", titles)
		}
	})
}
