// Package inspect judges the photos of a turntable as one full turn. Call Small and Measure for each
// photo, and Judge for the set: it returns what a photographer should look at before the product leaves
// the table.
//
// A set is compared with itself. Each step from one frame to the next is held against the steps around
// it, so that the judgement depends neither on the object nor on the light. What cannot be judged is not
// guessed: an object that looks the same from all sides, a dark ground, a photo without EXIF, several
// rows. Judge reads no file and no clock, and its limits stand in limits.go.
package inspect

import (
	"slices"
	"strings"
)

// Kind is what is wrong.
type Kind string

const (
	Repeated Kind = "repeated" // the table did not turn between two frames
	Seam     Kind = "seam"     // the last frame repeats the first
	Missing  Kind = "missing"  // a gap in numbers or times
	Swapped  Kind = "swapped"  // the order of names is not that of the captures, or of the pictures
	Foreign  Kind = "foreign"  // a frame shows another object
	Mixed    Kind = "mixed"    // frames of two shoots
	Blurred  Kind = "blurred"  // a frame is much less sharp than its neighbours
	Exposure Kind = "exposure" // the brightness of the ground jumps
	Camera   Kind = "camera"   // size, orientation, camera, lens or settings change
)

// A Finding names the frames that it is about. Its text says what to do.
type Finding struct {
	Kind   Kind     `json:"kind"`
	Frames []string `json:"frames"`
	Text   string   `json:"text"`
}

// A Set is the photos of one product in the order of the turn.
type Set struct {
	Frames []Observation
}

// Judge finds what is wrong with a set. A set with a video has no findings.
func Judge(s Set) []Finding {
	if slices.ContainsFunc(s.Frames, isVideo) {
		return nil
	}
	j := &judge{set: s, numbers: numbersOf(s.Frames)}
	j.camera()
	j.numberGaps()
	if len(s.Frames) < fewest || j.numbers == nil {
		return j.found
	}
	j.ring = newRing(s.Frames)
	if j.ring.isMore(j.waits()) {
		return j.found
	}
	j.clock()
	j.mixed()
	j.repeated()
	j.exposure()
	j.swapped()
	j.foreign()
	j.blurred()
	return j.found
}

func isVideo(o Observation) bool { return strings.HasPrefix(o.Info.ContentType, "video/") }

// A judge collects what is found in one set. Each frame is explained once: a later finding is not
// about a frame that an earlier one explains.
type judge struct {
	set       Set
	numbers   []int // in the names; nil where they differ in more than one number
	ring      *ring
	found     []Finding
	explained map[int]bool
}

// tell adds a finding about frames, by their places.
func (j *judge) tell(kind Kind, text string, frames ...int) {
	f := Finding{Kind: kind, Text: text}
	for _, i := range frames {
		f.Frames = append(f.Frames, j.set.Frames[i].Name)
	}
	j.found = append(j.found, f)
	if kind == Camera {
		return
	}
	if j.explained == nil {
		j.explained = map[int]bool{}
	}
	for _, i := range frames {
		j.explained[i] = true
	}
}

// open reports whether no finding explains any of these frames yet.
func (j *judge) open(frames ...int) bool {
	return !slices.ContainsFunc(frames, func(i int) bool { return j.explained[i] })
}
