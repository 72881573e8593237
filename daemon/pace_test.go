package daemon

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPollsAreFewAndTimely: once the service's pace is known, the end of processing is noticed within a fifth of the time
// it took, with fewer than ten requests, also where it takes half or nearly double the usual.
func TestPollsAreFewAndTimely(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Int64N
		first := time.Second
		usual := time.Duration(rapid.Int64Range(int64(15*time.Second), int64(time.Hour)).Draw(t, "usual"))
		took := time.Duration(float64(usual) * rapid.Float64Range(0.6, 1.9).Draw(t, "factor"))
		var p pace
		p.observe(36, usual)

		var at, polls time.Duration
		for at = p.pollPause(36, 0, random); at < took; polls++ {
			at += max(first, p.pollPause(36, at, random))
		}
		if late := at - took; late > took/5 || polls+1 >= 10 {
			t.Errorf("usually %v, now %v: noticed %v late with %d polls", usual, took, late, polls+1)
		}
	})
}

// TestPollsOfUnknownService: nothing is known, so the pauses grow with the time that has passed.
func TestPollsOfUnknownService(t *testing.T) {
	var p pace
	none := func(int64) int64 { return 0 }
	for _, elapsed := range []time.Duration{0, time.Second, time.Minute} {
		if got := p.pollPause(36, elapsed, none); got != elapsed/2 {
			t.Errorf("%v after the finish the pause is %v", elapsed, got)
		}
	}
}

// TestPollsAfterTheClockWasSetBack: the time since the finish request is negative then, and counts as none.
func TestPollsAfterTheClockWasSetBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0)).Int64N
	var unknown, known pace
	known.observe(36, time.Minute)
	for _, p := range []*pace{&unknown, &known} {
		if got, want := p.pollPause(36, -24*time.Hour, random), p.pollPause(36, 0, random); got != want {
			t.Errorf("the pause is %v, want %v", got, want)
		}
	}
}

// TestPaceKnowsSizes: a small product is asked for as early as the faster of the two rules allows, and kept an eye on
// until the slower one has passed.
func TestPaceKnowsSizes(t *testing.T) {
	var p pace
	p.observe(0, time.Minute)
	if _, _, known := p.expect(36); known {
		t.Error("a product without images taught something")
	}
	p.observe(36, 36*time.Second)
	if soonest, latest, _ := p.expect(4); soonest != 4*time.Second || latest != 36*time.Second {
		t.Errorf("4 images are expected between %v and %v", soonest, latest)
	}
}
