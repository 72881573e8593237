package daemon

import (
	"testing"
	"time"

	"spinsync/watcher"
)

// TestReadUnderWayIsNotEnough: what was put into a folder before a pass is found by a read that begins after that. One that was under
// way, which takes minutes on a large network drive, may have passed by.
func TestReadUnderWayIsNotEnough(t *testing.T) {
	for _, test := range []struct {
		began, ended time.Duration // after the pass began
		want         bool
	}{
		{-2 * time.Minute, -time.Minute, false},
		{-time.Minute, time.Minute, false},
		{0, time.Minute, true},
	} {
		r := watcher.RootStatus{Online: true, LastRead: noon.Add(test.ended), ReadTook: test.ended - test.began}
		if got := readSince(r, noon); got != test.want {
			t.Errorf("a read from %s to %s after the pass began counts: %t", test.began, test.ended, got)
		}
	}
}
