package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPollsAreFewAndTimely: once the service's pace is known, the end of processing is noticed
// within a fifth of the time it took, with fewer than ten requests, also where it takes half or
// nearly double the usual.
func TestPollsAreFewAndTimely(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Int64N
		first := time.Second
		usual := time.Duration(rapid.Int64Range(int64(15*time.Second), int64(time.Hour)).Draw(t, "usual"))
		took := time.Duration(float64(usual) * rapid.Float64Range(0.6, 1.9).Draw(t, "factor"))
		var p PollEstimator
		p.Observe(36, usual, false)

		var at, polls time.Duration
		for at = p.Pause(36, 0, time.Minute, random); at < took; polls++ {
			at += max(first, p.Pause(36, at, time.Minute, random))
		}
		if late := at - took; late > took/5 || polls+1 >= 10 {
			t.Errorf("usually %v, now %v: noticed %v late with %d polls", usual, took, late, polls+1)
		}
	})
}

// TestPollsOfASteadyService: a service that takes the same time for each product is asked fewer
// than ten times about each but the first, and no more than a fifth of that time late, or the
// shortest gap between two requests. The times that teach the pace are those that were noticed.
func TestPollsOfASteadyService(t *testing.T) {
	const first = time.Second
	for _, took := range []time.Duration{2 * time.Second, 30 * time.Second, 5 * time.Minute, time.Hour} {
		random := rand.New(rand.NewPCG(uint64(took), 0)).Int64N
		var p PollEstimator
		most, latest := 0, time.Duration(0)
		for product := range 50 {
			at, polls := time.Duration(0), 1
			for at = max(first, p.Pause(36, 0, time.Minute, random)); at < took; polls++ {
				at += max(first, p.Pause(36, at, time.Minute, random))
			}
			p.Observe(36, at, polls == 1)
			if product > 0 {
				most, latest = max(most, polls), max(latest, at-took)
			}
		}
		t.Logf("%v: at most %d requests, noticed at most %v late", took, most, latest.Round(time.Millisecond))
		if most >= 10 || latest > max(took/5, first) {
			t.Errorf("a service that takes %v is asked %d times, and its end noticed %v late", took, most, latest)
		}
	}
}

// TestPollsAfterASlowProduct: one product that took half a day raises what is usual by a quarter,
// and where nothing else was known, the products after it bring it down quickly.
func TestPollsAfterASlowProduct(t *testing.T) {
	var p PollEstimator
	p.Observe(1, 4*time.Second, true)
	p.Observe(1, 12*time.Hour, false)
	if soonest, _, _ := p.expect(1); soonest != 5*time.Second {
		t.Errorf("a product of 12 hours makes %v of 4 seconds", soonest)
	}
	p = PollEstimator{}
	p.Observe(1, 12*time.Hour, false)
	for range 5 {
		p.Observe(1, p.Pause(1, 0, time.Minute, none), true)
	}
	if pause := p.Pause(1, 0, time.Minute, none); pause > 3*time.Minute {
		t.Errorf("after five fast products the first request waits %v", pause)
	}
}

// TestPunctual: a request that was due long ago says nothing about the time that the service takes.
func TestPunctual(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		late, took time.Duration
		want       bool
	}{
		{0, 0, true},
		{time.Second, 2 * time.Second, true},
		{10 * time.Second, time.Minute, true},
		{23 * time.Second, 24 * time.Second, false},
		{time.Hour, 2 * time.Hour, false},
	} {
		if got := Punctual(now.Add(-test.late), now, test.took); got != test.want {
			t.Errorf("%v late after %v: %v", test.late, test.took, got)
		}
	}
	if Punctual(time.Time{}, now, time.Hour) {
		t.Error("a request that was never due is punctual")
	}
}

func none(int64) int64 { return 0 }

// TestLongestPause: no pause is longer than what is taken for possible.
func TestLongestPause(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Int64N
		duration := rapid.Int64Range(0, int64(3*time.Hour))
		var p PollEstimator
		p.Observe(rapid.IntRange(0, 72).Draw(t, "known images"), time.Duration(duration.Draw(t, "usual")), false)
		images, elapsed := rapid.IntRange(1, 72).Draw(t, "images"), time.Duration(duration.Draw(t, "elapsed"))
		if got, most := p.Pause(images, elapsed, time.Minute, random), p.LongestPause(images, time.Minute); got > most {
			t.Errorf("the pause is %v, longer than %v", got, most)
		}
	})
}

// TestPollsOfUnknownService: nothing is known, so the pauses grow with the time that has passed.
func TestPollsOfUnknownService(t *testing.T) {
	var p PollEstimator
	for _, elapsed := range []time.Duration{0, time.Second, time.Minute} {
		if got := p.Pause(36, elapsed, time.Minute, none); got != elapsed/2 {
			t.Errorf("%v after the finish the pause is %v", elapsed, got)
		}
	}
}

// TestPollsAfterTheClockWasSetBack: the time since the finish request is negative then, and counts
// as none.
func TestPollsAfterTheClockWasSetBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0)).Int64N
	var unknown, known PollEstimator
	known.Observe(36, time.Minute, false)
	for _, p := range []*PollEstimator{&unknown, &known} {
		if got, want := p.Pause(36, -24*time.Hour, time.Minute, random), p.Pause(36, 0, time.Minute, random); got != want {
			t.Errorf("the pause is %v, want %v", got, want)
		}
	}
}

// TestPaceKnowsSizes: a small product is asked for as early as the faster of the two rules allows,
// and kept an eye on until the slower one has passed.
func TestPaceKnowsSizes(t *testing.T) {
	var p PollEstimator
	p.Observe(0, time.Minute, false)
	if _, _, known := p.expect(36); known {
		t.Error("a product without images taught something")
	}
	p.Observe(36, 36*time.Second, false)
	if soonest, latest, _ := p.expect(4); soonest != 4*time.Second || latest != 36*time.Second {
		t.Errorf("4 images are expected between %v and %v", soonest, latest)
	}
}

// TestPollsOfMixedSizes: single pictures beside turns and whole spheres. Where the service takes
// the same time for each product, or for each image, the first few products show which, and the
// others are asked for fewer than ten times and noticed within a fifth.
func TestPollsOfMixedSizes(t *testing.T) {
	const first = time.Second
	for name, service := range map[string]func(images int) time.Duration{
		"a minute for each product":  func(int) time.Duration { return time.Minute },
		"ten minutes for each":       func(int) time.Duration { return 10 * time.Minute },
		"two seconds for each image": func(images int) time.Duration { return time.Duration(images) * 2 * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 0))
			sizes := []int{1, 24, 36, 72, 360}
			var p PollEstimator
			for product := range 200 {
				images := sizes[random.IntN(len(sizes))]
				took, polls := service(images), 1
				at := max(first, p.Pause(images, 0, time.Minute, random.Int64N))
				for ; at < took; polls++ {
					at += max(first, p.Pause(images, at, time.Minute, random.Int64N))
				}
				p.Observe(images, at, polls == 1)
				if late := at - took; product >= 10 && (polls >= 10 || late > max(took/5, first)) {
					t.Errorf("product %d of %d images took %v: asked %d times, noticed %v late", product, images, took, polls, late)
				}
			}
		})
	}
}
