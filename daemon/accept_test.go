package daemon_test

import (
	"os"
	"strings"
	"testing"

	"spinsync/daemon"
	"spinsync/syncstate"
)

// TestRetryAllAcceptsNoRoot: the empty directory below a drive that is not mounted is believed only
// by who names it.
func TestRetryAllAcceptsNoRoot(t *testing.T) {
	w := newWorld(t, "frames = 1\nquiet = \"20ms\"\non_remove = \"delete\"")
	w.shoot("one", "Summer/A/1.jpg")
	w.published()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Rename(w.root, w.root+".away"))
	w.mkdir("")
	w.while(func(d *daemon.Daemon, until await) {
		must(d.Do(daemon.Retry, syncstate.Folder{}))
		if err := d.Pass(t.Context()); err == nil || !strings.Contains(err.Error(), "`spinsync retry "+w.root+"`") {
			t.Errorf("a pass over the empty ground: %v", err)
		}
	})
	must(os.Remove(w.root))
	must(os.Rename(w.root+".away", w.root))
	w.published()
	if titles := w.titles(); len(titles) != 1 {
		t.Errorf("on the service are %q", titles)
	}
}
