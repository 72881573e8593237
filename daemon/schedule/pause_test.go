package schedule

import (
	"testing"
	"time"
)

// TestPausesEnd: the pauses between tries double up to five minutes, and are never longer, so that
// work goes on soon after an outage.
func TestPausesEnd(t *testing.T) {
	const least = 250 * time.Millisecond
	longest := func(most int64) int64 { return most }
	for try, want := range map[int]time.Duration{
		1: 2 * time.Second, 2: 4 * time.Second, 8: 256 * time.Second, 9: 5 * time.Minute, 1000: 5 * time.Minute,
	} {
		if got := Pause(try, longest); got != least+want {
			t.Errorf("the pause before try %d is %s at most, want %s", try, got, least+want)
		}
	}
	if got := Pause(1000, func(int64) int64 { return 0 }); got != least {
		t.Errorf("the pause is %s at least, want %s", got, least)
	}
}
