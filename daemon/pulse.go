package daemon

import (
	"context"
	"time"
)

// A pulse beats as often as the loop takes a turn.
type pulse chan struct{}

// pause stops the loop for a time on purpose, with its pulse going on. It reports false when the
// context ended first.
func (p pulse) pause(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case <-p:
		case <-ctx.Done():
			return false
		}
	}
}
