package inspect

import (
	"fmt"
	"math"
	"slices"
)

// repeated finds where the table stood, and a last frame that is the first once more.
func (j *judge) repeated() {
	last := len(j.set.Frames) - 1
	for i := range last {
		if j.ring.stood(i) && j.open(i+1) {
			j.tell(Repeated, fmt.Sprintf("%s and %s show the same side: the table did not turn. Shoot again from %s.",
				j.stem(i), j.stem(i+1), j.stem(i+1)), i, i+1)
		}
	}
	if j.ring.stood(last) && j.open(0, last) {
		j.tell(Seam, fmt.Sprintf("%s shows the same side as %s: the turn ends where it began. Remove %s.",
			j.stem(last), j.stem(0), j.stem(last)), 0, last)
	}
}

// swapped finds neighbours whose pictures fit better the other way round.
func (j *judge) swapped() {
	var places []int
	for i := range len(j.set.Frames) - 1 {
		if j.ring.exchanged(i) {
			places = append(places, i)
		}
	}
	for _, i := range j.single(places) {
		if j.open(i, i+1) {
			j.tell(Swapped, j.exchange(i), i, i+1)
		}
	}
}

// single leaves out places that have another one half a turn away: a flat object looks odd from both of
// its narrow sides.
func (j *judge) single(places []int) (single []int) {
	half := len(j.set.Frames) / 2
	for _, i := range places {
		opposite := func(k int) bool {
			away := max(i, k) - min(i, k)
			return half-2 <= away && away <= half+2
		}
		if !slices.ContainsFunc(places, opposite) {
			single = append(single, i)
		}
	}
	return single
}

func (j *judge) exchange(i int) string {
	return fmt.Sprintf("%s and %s are in the wrong order. Exchange their names.", j.stem(i), j.stem(i+1))
}

// foreign finds frames of something else. A turn that does not close lacks the sides with which they are
// compared.
func (j *judge) foreign() {
	if !j.ring.isClosed() {
		return
	}
	var places []int
	for i := range j.set.Frames {
		if j.ring.isStranger(i) {
			places = append(places, i)
		}
	}
	for _, i := range j.single(places) {
		if j.open(i) {
			j.tell(Foreign, fmt.Sprintf("%s shows something else than the frames beside it. Put the right photo in its place.",
				j.stem(i)), i)
		}
	}
}

func (j *judge) blurred() {
	for i := range j.set.Frames {
		if j.open(i) && j.ring.focus(i) < soft {
			j.tell(Blurred, fmt.Sprintf("%s is blurred. Shoot it again.", j.stem(i)), i)
		}
	}
}

// exposure finds single frames in another light, and where the light changes for good.
func (j *judge) exposure() {
	n := len(j.set.Frames)
	for i := range n {
		before, behind := j.ring.jump(i-1), j.ring.jump(i)
		alone := math.Abs(before) > flickers && math.Abs(behind) > flickers && before*behind < 0
		switch {
		case !j.open(i):
		case alone && before < 0:
			j.tell(Exposure, fmt.Sprintf("%s is darker than the frames beside it: perhaps a flash did not fire. Shoot it again.", j.stem(i)), i)
		case alone:
			j.tell(Exposure, fmt.Sprintf("%s is brighter than the frames beside it. Shoot it again.", j.stem(i)), i)
		}
	}
	for i := range n - 1 {
		if math.Abs(j.ring.jump(i)) > flickers && j.open(i, i+1) {
			j.tell(Exposure, fmt.Sprintf("The light changes between %s and %s. Shoot the set again in one light.",
				j.stem(i), j.stem(i+1)), i, i+1)
		}
	}
}
