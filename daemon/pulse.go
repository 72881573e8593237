package daemon

import (
	"context"
	"time"
)

// Pulse returns as soon as the loop of Run takes a turn, or with the context's error when it takes
// none. A supervisor of the daemon tells a waiting loop from a hanging loop by it.
func (d *Daemon) Pulse(ctx context.Context) error {
	select {
	case d.pulse <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pauseFor makes the loop stand still on purpose, its pulse going on. It reports false when the
// context ended first.
func (d *Daemon) pauseFor(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case <-d.pulse:
		case <-ctx.Done():
			return false
		}
	}
}
