package daemon_test

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// TestPulseIsThatOfTheLoop: the loop answers while it runs, and nobody answers for it before and after.
func TestPulseIsThatOfTheLoop(t *testing.T) {
	w := newWorld(t, shortQuiet)
	d, end := w.daemon()
	defer end()
	ended, endNow := context.WithCancel(t.Context())
	endNow()
	if err := d.Pulse(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a daemon that does not run has a pulse: %v", err)
	}

	running, stop := context.WithCancel(t.Context())
	var loop sync.WaitGroup
	loop.Go(func() {
		if err := d.Run(running); err != nil {
			t.Error(err)
		}
	})
	for range 3 {
		if err := d.Pulse(t.Context()); err != nil {
			t.Error(err)
		}
	}
	stop()
	loop.Wait()
	if err := d.Pulse(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a daemon that stopped has a pulse: %v", err)
	}
}
