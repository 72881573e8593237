//go:build unix

package volume

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of another account is not this account's own.
func TestOwnFiles(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own")
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(own)
	if err != nil || !IsOwn(info) {
		t.Errorf("a new file is not the own one, %v", err)
	}
	others := "/"
	if os.Geteuid() == 0 {
		if err := os.Chown(own, 1, -1); err != nil {
			t.Skip("no right to give a file away:", err)
		}
		others = own
	}
	if info, err = os.Stat(others); err != nil || IsOwn(info) {
		t.Errorf("%s is taken for the own one, %v", others, err)
	}
}
