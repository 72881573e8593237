package watcher

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"spinsync/watcher/volume"
)

// Watches that the system refuses are asked for again, after longer and longer pauses.
func TestRefusedWatchesAreAskedForSeldom(t *testing.T) {
	asked := 0
	w := watching{set: noWatches{}, log: slog.New(slog.DiscardHandler)}
	w.open = func(context.Context) (watchSet, error) { asked++; return nil, errors.New("too many") }
	start := time.Now()
	for second := range 60 {
		w.make(t.Context(), start.Add(time.Duration(second)*time.Second), volume.Volume{})
	}
	if asked < 3 || asked > 10 {
		t.Errorf("asked %d times within a minute", asked)
	}
}
