package daemon_test

import (
	"os"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
)

// TestSourcesLargerThanTheFolder: a download of sources is ended as soon as it cannot be the folder's frames, and leaves nothing behind.
func TestSourcesLargerThanTheFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.published()
	if err := os.Remove(w.state); err != nil {
		t.Fatal(err)
	}
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op != "4.11" {
			return sandbox.Fault{}
		}
		return sandbox.Fault{Status: 200, Body: "PK" + strings.Repeat("x", 64<<10)}
	}
	found, err := w.rebuild()
	if r := found["Summer/SKU-1"]; err != nil || r.Published || !strings.Contains(r.Reason, "larger") {
		t.Errorf("%v; found %+v", err, r)
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v; left behind are %v", err, left)
	}
}
