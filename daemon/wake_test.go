package daemon

import (
	"testing"
	"time"
)

// TestSleepIsNoticed: a short sleep ends no wait.
func TestSleepIsNoticed(t *testing.T) {
	before := surroundings{slept: time.Hour}
	for slept, want := range map[time.Duration]bool{0: false, sleepAtLeast - 1: false, sleepAtLeast: true, 8 * time.Hour: true} {
		after := surroundings{slept: before.slept + slept}
		if got := after.wokeUp(before); got != want {
			t.Errorf("after %s of sleep: woke up = %t", slept, got)
		}
	}
}
