//go:build unix

package engine

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What root makes of the service's state file is the service's afterwards. A link that the service's
// account put there gives it no file of root's.
func TestHandOver(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes files for others")
	}
	const nobody = 65534
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "shadow")
	state := filepath.Join(dir, "state.db")
	var err error
	for _, file := range []string{state, state + ".opened", filepath.Join(dir, "other"), elsewhere} {
		err = errors.Join(err, os.WriteFile(file, nil, 0o600))
	}
	err = errors.Join(err, os.Symlink(elsewhere, state+".symbolic"), os.Link(elsewhere, state+".hard"),
		os.Chown(dir, nobody, nobody), handOver(state))
	if err != nil {
		t.Fatal(err)
	}
	for file, owner := range map[string]uint32{state: nobody, state + ".opened": nobody, filepath.Join(dir, "other"): 0, elsewhere: 0} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Sys().(*syscall.Stat_t).Uid; got != owner {
			t.Errorf("%s belongs to %d, want %d", file, got, owner)
		}
	}
}
