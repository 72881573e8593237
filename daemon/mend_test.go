package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"

	"spinsync/syncstate"
)

// TestStateFileThatFailsAgainAndAgain ends the daemon, unless it is for want of room, which somebody may make at any time.
func TestStateFileThatFailsAgainAndAgain(t *testing.T) {
	for _, test := range []struct {
		cause error
		ends  bool
	}{
		{syscall.ENOSPC, false},
		{syscall.EIO, true},
		{fmt.Errorf("%w", syncstate.ErrBroken), true},
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		synctest.Test(t, func(t *testing.T) {
			store, err := syncstate.Open(path, syncstate.Account{BaseURL: "https://views.example.com", Username: "studio"})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			d := &Daemon{store: store, log: slog.New(slog.DiscardHandler), rush: new(rush), fatal: make(chan error, 1)}
			for range 3 * mendTries {
				if err = d.mendState(t.Context(), stateFailure{test.cause}); err != nil {
					break
				}
			}
			if ends := errors.Is(err, test.cause); ends != test.ends {
				t.Errorf("after %v again and again: %v", test.cause, err)
			}
		})
	}
}
