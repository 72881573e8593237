package daemon

import (
	"testing"

	"spinsync/daemon/schedule"
)

// TestClassOf: a begun upload keeps its place whatever happens to it.
func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		state State
		begun bool
		want  schedule.Class
	}{
		{Collecting, false, schedule.New}, {Queued, false, schedule.New}, {Retrying, false, schedule.Retry},
		{Uploading, false, schedule.Begun}, {Processing, false, schedule.Begun},
		{Queued, true, schedule.Begun}, {Retrying, true, schedule.Begun},
	} {
		if got := classOf(c.state, c.begun); got != c.want {
			t.Errorf("%s, begun %t: %d, want %d", c.state, c.begun, got, c.want)
		}
	}
}
