package watcher

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// shots are the product folders of a root that a camera writes.
type shots struct {
	mu    sync.Mutex
	until map[string]time.Time // when a folder stops counting as being shot
}

func newShots() *shots { return &shots{until: map[string]time.Time{}} }

// wrote notes that a frame of a folder is being written. The folder counts as being shot until then.
func (s *shots) wrote(folder string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until.After(s.until[folder]) {
		s.until[folder] = until
	}
}

// folders lists the folders that are being shot, in the order of their names.
func (s *shots) folders(now time.Time) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	return slices.Sorted(maps.Keys(s.until))
}
