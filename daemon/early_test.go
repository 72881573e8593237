package daemon_test

import (
	"maps"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
)

// TestSetThatStoodIsReadOnce: a set that lay there before the start is sent at once, and read no more often for that than one that is
// sent at rest, where the disk can tell that it was not touched since.
func TestSetThatStoodIsReadOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the time of a file's last change is not asked for here")
	}
	atOnce, atRest := readings(t, "frames = 3\n"), readings(t, "")
	if len(atOnce) != 3 || !maps.Equal(atOnce, atRest) {
		t.Errorf("the photos are read %v times, want %v", atOnce, atRest)
	}
}

// readings publishes a set that lay there before, and tells how often each photo was asked for a piece of it.
func readings(t *testing.T, toml string) map[string]int {
	w := newWorld(t, toml+shortQuiet, func(o *sandbox.Options) { o.Processing = 200 * time.Millisecond })
	w.settle = "500ms"
	photos := []string{"Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg"}
	w.shoot("a", photos...)
	w.age(append(photos, "Summer/SKU-1")...)
	var mu sync.Mutex
	asked := map[string]int{}
	w.unread = func(path string) error {
		mu.Lock()
		defer mu.Unlock()
		asked[filepath.Base(path)]++
		return nil
	}
	w.published()
	return asked
}
