package daemon

import (
	"testing"
	"time"

	"spinsync/daemon/plan/plantest"
)

// TestSleepIsNoticed: only a wall's clock that ran ahead of the machine tells of a sleep.
func TestSleepIsNoticed(t *testing.T) {
	before := surroundings{wall: plantest.Noon, running: time.Hour}
	for _, test := range []struct {
		name    string
		wall    time.Duration
		running time.Duration
		want    bool
	}{
		{"awake", 10 * time.Second, 10 * time.Second, false},
		{"busy for long", time.Hour, time.Hour, false},
		{"asleep", 8 * time.Hour, 10 * time.Second, true},
		{"a clock that is set a little", 15 * time.Second, 10 * time.Second, false},
		{"a clock that is set back", -time.Hour, 10 * time.Second, false},
	} {
		after := surroundings{wall: before.wall.Add(test.wall), running: before.running + test.running}
		if got := after.slept(before); got != test.want {
			t.Errorf("%s: slept = %t", test.name, got)
		}
	}
}
