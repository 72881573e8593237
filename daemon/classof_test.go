package daemon

import (
	"testing"

	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
)

// TestClassOf: a begun upload keeps its place whatever happens to it.
func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		state status.State
		begun bool
		want  schedule.Class
	}{
		{status.Collecting, false, schedule.New}, {status.Queued, false, schedule.New}, {status.Retrying, false, schedule.Retry},
		{status.Uploading, false, schedule.Begun}, {status.Processing, false, schedule.Begun},
		{status.Queued, true, schedule.Begun}, {status.Retrying, true, schedule.Begun},
	} {
		if got := classOf(c.state, c.begun); got != c.want {
			t.Errorf("%s, begun %t: %d, want %d", c.state, c.begun, got, c.want)
		}
	}
}
