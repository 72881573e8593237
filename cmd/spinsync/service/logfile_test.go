package service

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLogOfLaunchdStaysSmall: a new file begins before the limit is passed, and the one before it is
// kept.
func TestLogOfLaunchdStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spinsync.log")
	stderr, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) // as launchd opens it
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	log := &boundedLog{to: stderr, path: path, limit: 12}
	for _, line := range []string{"one\n", "two\n", "three\n", "four\n"} {
		if _, err := log.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{path: "three\nfour\n", path + ".old": "one\ntwo\n"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s holds %q, want %q (%v)", filepath.Base(name), got, want, err)
		}
	}
}
