package demo

import (
	"os"
	"path/filepath"
	"testing"
)

// A second demo plays in the directory of the first one, on the views that the first one made.
func TestSecondDemoInTheSameDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	first, err := newStage(dir, "http://127.0.0.1:1", "127.0.0.1:2", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.db"), []byte("records"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := newStage(dir, "http://127.0.0.1:3", "127.0.0.1:4", true)
	if err != nil || second.password != first.password {
		t.Errorf("%v, with the password %q after %q", err, second.password, first.password)
	}
}
