package daemon_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"spinsync/syncstate"
)

// TestAsManyFoldersAsUploads: whoever asks for many uploads at a time has them for folders of a
// single frame too.
func TestAsManyFoldersAsUploads(t *testing.T) {
	const uploads = 48
	w := newWorld(t, fmt.Sprintf("%s[upload]\nparallel = %d\n", shortQuiet, uploads))
	for i := range uploads {
		w.shoot("a", fmt.Sprintf("Summer/SKU-%d/1.jpg", i))
	}
	var under sync.WaitGroup
	under.Add(uploads)
	all := make(chan struct{})
	go func() {
		under.Wait()
		close(all)
	}()
	w.stagger = func(_ syncstate.Folder, frame string) time.Duration {
		if frame == "" {
			return 0
		}
		under.Done()
		select {
		case <-all:
		case <-time.After(time.Minute):
			t.Errorf("%s waits for the others to be sent beside it", frame)
		}
		return 0
	}
	w.published()
}
