package watcher

import (
	"testing"
	"time"
)

// TestAlignedTimersMeet: whoever waits from any time meets the others at a multiple of the period,
// and none twice at one.
func TestAlignedTimersMeet(t *testing.T) {
	const period = 10 * time.Second
	at := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC).Truncate(period)
	for _, after := range []time.Duration{0, 1, time.Second, 4 * time.Second, 6 * time.Second, period - 1} {
		now := at.Add(after)
		wait := UntilTick(now, period)
		if met := now.Add(wait); !met.Equal(met.Truncate(period)) || wait < period/2 || wait > 2*period {
			t.Errorf("%s after a tick the next one is %s away", after, wait)
		}
	}
}
