package daemon

import (
	"testing"

	"spinsync/syncstate"
)

// TestAllAsIsMeansThoseThatWaitForIt: accepting all folders as they are publishes no half set that is still arriving.
func TestAllAsIsMeansThoseThatWaitForIt(t *testing.T) {
	for _, test := range []struct {
		state State
		named bool
		want  int
	}{
		{Attention, false, 20},
		{Attention, true, 20},
		{Collecting, false, 0},
		{Collecting, true, 20},
		{Published, false, 0},
	} {
		r := syncstate.Record{State: string(test.state), Settled: 20}
		if err := retryRecord(&r, true, test.named); err != nil || r.AsIs != test.want {
			t.Errorf("%s, named %t: as is %d, %v; want %d", test.state, test.named, r.AsIs, err, test.want)
		}
	}
}
