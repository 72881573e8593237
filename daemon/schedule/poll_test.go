package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPollsKeepTheirDistance: two status requests are at least the shortest pause and at most the
// longest apart, whatever the clock shows, also when it was set back behind the finish request.
func TestPollsKeepTheirDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Int64N
		shortest := time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Hour)).Draw(t, "shortest"))
		longest := shortest + time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "more"))
		elapsed := time.Duration(rapid.Int64Range(int64(-48*time.Hour), int64(48*time.Hour)).Draw(t, "elapsed"))
		if pause := PollPause(elapsed, shortest, longest, random); pause < shortest || pause > longest {
			t.Errorf("the pause is %v, not between %v and %v", pause, shortest, longest)
		}
	})
}

// TestPollsAreTimely: the end of processing is noticed within three tenths of the time that it
// took, or the shortest pause with its jitter, while no pause reaches the longest.
func TestPollsAreTimely(t *testing.T) {
	const shortest = time.Second
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Int64N
		took := time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(3*time.Hour)).Draw(t, "took"))
		at, polls := time.Duration(0), 0
		for ; at < took; polls++ {
			at += PollPause(at, shortest, time.Hour, random)
		}
		if late := at - took; late > max(took*3/10, shortest*6/5) || polls > 45 {
			t.Errorf("%v: noticed %v late with %d requests", took, late, polls)
		}
	})
}

// TestPollsAreSpread: folders whose processing began together are not asked for together.
func TestPollsAreSpread(t *testing.T) {
	most := func(n int64) int64 { return n - 1 }
	none := func(int64) int64 { return 0 }
	for elapsed, want := range map[time.Duration][2]time.Duration{
		0:                {time.Second, 1200 * time.Millisecond},
		20 * time.Second: {5 * time.Second, 6 * time.Second},
		time.Hour:        {time.Minute, time.Minute},
	} {
		for i, random := range []func(int64) int64{none, most} {
			if got := PollPause(elapsed, time.Second, time.Minute, random); got != want[i] {
				t.Errorf("%v after the finish the pause is %v, want %v", elapsed, got, want[i])
			}
		}
	}
}
