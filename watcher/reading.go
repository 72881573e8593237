package watcher

import (
	"time"

	"spinsync/watcher/volume"
)

// reading is one reading of the tree.
type reading struct {
	walk
	number uint32
	counts bool // events should have told before of the changes it finds
	start  time.Time
	end    time.Time
	err    error // why the root is to be taken offline

	mounts    map[string]volume.Volume // of drives that it came across
	untrusted map[string]string        // directories that are without their drive, and why
}

// passedOver reports whether a reading did not survey the mount at a directory.
func (r *reading) passedOver(dir string) bool {
	return r.detail != listed && Level(dir) == r.depth
}
