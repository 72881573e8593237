package terminal

import (
	"bytes"
	"errors"
	"testing"

	"spinsync/daemon/config"
)

// What concerns one of several roots names it, and that one is offline is left to its state.
func TestVoiceNamesTheRoot(t *testing.T) {
	var said bytes.Buffer
	log := CommandLog(&said, config.Log{})
	for _, root := range []string{"/srv/a", "/srv/b"} {
		rooted := log.With("root", root)
		rooted.Warn("no events", "error", errors.New("none left"))
		rooted.Warn("no events", "error", errors.New("none left"))
		rooted.Warn("the watched folder is offline", "reason", "is missing")
	}
	if want := "warning    /srv/a: no events: none left\nwarning    /srv/b: no events: none left\n"; said.String() != want {
		t.Errorf("%q, want %q", &said, want)
	}
}
