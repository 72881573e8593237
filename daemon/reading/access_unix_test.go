//go:build unix

package reading_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spinsync/daemon/daemontest"
	"spinsync/daemon/outcome"
	"spinsync/daemon/reading"
	"spinsync/watcher"
)

// A root that the account may not read names account, place and command.
func TestDeniedRootNamesTheCommand(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	root := filepath.Join(t.TempDir(), "shoots")
	if err := os.Mkdir(root, 0); err != nil {
		t.Fatal(err)
	}
	w, err := watcher.New([]watcher.Root{{Path: root, Depth: 2, Include: []string{"*.jpg"}, Settle: time.Second}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	<-w.FirstRead()
	r := reading.Files{Watcher: w}.RootStatus()[0]
	if want := outcome.Unreadable(&watcher.AccessError{Path: root, Dir: root, Own: true}); r.Online || r.Reason != want {
		t.Errorf("online %t, %q, want %q", r.Online, r.Reason, want)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
