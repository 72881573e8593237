package beat

import (
	"testing"
	"time"
)

// TestBeatsAreShared: whoever waits from any time meets the others at a multiple of the beat, and
// none twice at one.
func TestBeatsAreShared(t *testing.T) {
	const beat = 10 * time.Second
	at := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC).Truncate(beat)
	for _, after := range []time.Duration{0, 1, time.Second, 4 * time.Second, 6 * time.Second, beat - 1} {
		now := at.Add(after)
		wait := Until(now, beat)
		if met := now.Add(wait); !met.Equal(met.Truncate(beat)) || wait < beat/2 || wait > 2*beat {
			t.Errorf("%s after a beat the next one is %s away", after, wait)
		}
	}
}
