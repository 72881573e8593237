package daemon_test

import (
	"context"
	"errors"
	"testing"

	"spinsync/daemon/daemontest"
)

// TestPulseIsThatOfTheLoop: the loop answers while it runs, and nobody answers for it before and
// after.
func TestPulseIsThatOfTheLoop(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		d, end := w.Open()
		defer end()
		ended, endNow := context.WithCancel(t.Context())
		endNow()
		if err := d.Pulse(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a daemon that does not run has a pulse: %v", err)
		}

		stop := daemontest.Start(t, d)
		defer stop()
		for range 3 {
			if err := d.Pulse(t.Context()); err != nil {
				t.Error(err)
			}
		}
		stop()
		if err := d.Pulse(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a daemon that stopped has a pulse: %v", err)
		}
	})
}
