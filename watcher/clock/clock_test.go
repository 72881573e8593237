package clock

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// A machine that runs a test does not sleep: all clocks run alike.
func TestClocksOfAMachineThatIsAwake(t *testing.T) {
	go1, boot, slept, overslept := time.Now(), Boot(), Slept(), Overslept()
	if slept < -time.Second || overslept < -time.Second || overslept > max(slept, time.Second) {
		t.Errorf("slept %v, of which %v count as time", slept, overslept)
	}
	time.Sleep(300 * time.Millisecond)
	passed := time.Since(go1)
	for name, drift := range map[string]time.Duration{
		"boot": Boot().Sub(boot) - passed, "slept": Slept() - slept, "overslept": Overslept() - overslept,
	} {
		if drift.Abs() > 200*time.Millisecond {
			t.Errorf("%s ran ahead by %v", name, drift)
		}
	}
}

// The time of sleep does not tremble, and Windows alone counts it as time.
func TestSleepIsSteady(t *testing.T) {
	before := Slept()
	defer known.Store(int64(before))
	for _, step := range []struct{ measured, want time.Duration }{
		{before + time.Minute, before + time.Minute}, {before + time.Minute + 300, before + time.Minute}, {before + time.Hour, before + time.Hour},
	} {
		if got := steady(step.measured); got != step.want {
			t.Errorf("%v became %v, want %v", step.measured, got, step.want)
		}
	}
	if overslept := Overslept(); (overslept != 0) != (runtime.GOOS == "windows") {
		t.Errorf("%v of the sleep counts as time", overslept)
	}
}

// The clock follows the time of a bubble.
func TestBootInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := Boot()
		time.Sleep(time.Hour)
		if passed := Boot().Sub(before); (passed - time.Hour).Abs() > time.Second {
			t.Errorf("%v", passed)
		}
	})
}
