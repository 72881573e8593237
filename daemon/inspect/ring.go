package inspect

import (
	"math"
	"slices"
)

// A ring is the frames of one turn, compared by their pictures. The frame behind the last is the first.
// Where a frame has no picture, what is measured with it is NaN, which is above no limit and below none.
type ring struct {
	pictures []*Picture
	steps    []float64 // from each frame to the next
	hues     []float64 // the same of the palettes
}

func newRing(frames []Observation) *ring {
	r := &ring{}
	for _, f := range frames {
		r.pictures = append(r.pictures, f.Picture)
	}
	for i := range frames {
		r.steps = append(r.steps, r.distance(i, i+1))
		r.hues = append(r.hues, r.hue(i, i+1))
	}
	return r
}

func (r *ring) at(i int) *Picture { return r.pictures[r.index(i)] }

func (r *ring) index(i int) int {
	n := len(r.pictures)
	return (i%n + n) % n
}

// distance is that of two frames' pixels.
func (r *ring) distance(i, j int) float64 {
	a, b := r.at(i), r.at(j)
	if a == nil || b == nil {
		return math.NaN()
	}
	return a.pixels.distance(&b.pixels)
}

// hue is the distance of two frames' palettes.
func (r *ring) hue(i, j int) float64 {
	a, b := r.at(i), r.at(j)
	if a == nil || b == nil {
		return math.NaN()
	}
	return a.palette.distance(&b.palette)
}

// step is that from a frame to the next.
func (r *ring) step(i int) float64 { return r.steps[r.index(i)] }

// around is the second smallest of the four steps beside a step: two of them may lead to a frame that does
// not belong there.
func (r *ring) around(i int) float64 {
	return sorted(r.step(i-2), r.step(i-1), r.step(i+1), r.step(i+2))[1]
}

// beside is the median of the steps beside a frame that do not touch it.
func (r *ring) beside(i int) float64 {
	return middle(r.step(i-3), r.step(i-2), r.step(i+1), r.step(i+2))
}

// mirrored is the distance of the frames before and behind a step, in steps around it. It is small where
// an object is symmetric and faces the camera.
func (r *ring) mirrored(i int) float64 { return r.distance(i-1, i+2) / r.around(i) }

// stood reports whether the table did not turn between a frame and the next.
func (r *ring) stood(i int) bool {
	return r.around(i) >= turns && r.step(i) < stands*r.around(i) && r.mirrored(i) >= symmetric
}

// exchanged reports whether a frame and the next fit better the other way round.
func (r *ring) exchanged(i int) bool {
	better := min(r.step(i-1)/r.distance(i-1, i+1), r.step(i+1)/r.distance(i, i+2))
	return r.around(i) >= turns && better > exchanges && r.mirrored(i) >= asymmetric
}

// isStranger reports whether a frame does not belong where it is: it is far from both neighbours, which
// are near each other, and from all others as well; or its colours are not those of any other. Where an
// object is seen from its narrow side, its opposite side looks alike.
func (r *ring) isStranger(i int) bool {
	usual := r.beside(i)
	near := min(r.step(i-1), r.step(i)) // all others are compared only where the neighbours are far
	if !(usual >= turns) || !(near > akin*usual) {
		return false
	}
	if near > strange*max(r.distance(i-1, i+1), usual) && r.nearest(i, r.distance) > unlike*usual {
		return true
	}
	hue := tints * r.usualHue(i-3, i-2, i+1, i+2)
	return min(r.hue(i-1, i), r.hue(i, i+1)) > hue && r.nearest(i, r.hue) > hue && r.nearest(i, r.distance) > akin*usual
}

// usualHue is the median of four steps of the palette, and no less than noise makes.
func (r *ring) usualHue(a, b, c, d int) float64 {
	step := func(i int) float64 { return r.hues[r.index(i)] }
	return max(middle(step(a), step(b), step(c), step(d)), 1)
}

// nearest is the distance of a frame to that of all others that is most like it.
func (r *ring) nearest(i int, distance func(i, k int) float64) float64 {
	nearest := math.Inf(1)
	for k := range r.pictures {
		if d := distance(i, k); k != i && d < nearest {
			nearest = d
		}
	}
	return nearest
}

// parts reports whether the frames up to i and those behind it show two things. Behind the last of the
// other thing the first thing comes again.
func (r *ring) parts(i int) bool {
	across := func(i int, distance func(i, k int) float64) float64 {
		return min(distance(i, i+1), distance(i-1, i+1), distance(i, i+2))
	}
	share := func(i int) float64 {
		return across(i, r.distance) / middle(r.step(i-2), r.step(i-1), r.step(i+1), r.step(i+2))
	}
	recoloured := across(i, r.hue) > tints*r.usualHue(i-2, i-1, i+1, i+2)
	return r.step(i) >= turns && (recoloured || share(i) > breaks || min(share(i), share(len(r.pictures)-1)) > changes)
}

// isClosed reports whether the end of the turn comes near its beginning, whatever the last frame or the
// first one shows.
func (r *ring) isClosed() bool {
	last := len(r.pictures) - 1
	usual := middle(r.step(1), r.step(2), r.step(last-2), r.step(last-3))
	return min(r.distance(last, 0), r.distance(last-1, 0), r.distance(last, 1)) < apart*usual
}

// isMore reports whether the turn closes before the last frame: what follows is a row of as many frames,
// or a few details. They look different, or somebody moved the camera before them, which takes a while.
// The waits between the frames are in shares of the usual one, if they are known.
func (r *ring) isMore(waits []float64) bool {
	n := len(r.pictures)
	for i := fewest - 1; i < n-1; i++ {
		isEnd := n-1-i < fewest || isRow(i+1, n)
		beside := sorted(r.step(i-2), r.step(i-1), r.step(0), r.step(1))
		if !isEnd || !(r.distance(i, 0) < closes*beside[2]) || !(min(r.step(i), r.step(n-1)) > turns) {
			continue
		}
		different := min(r.step(i), r.step(n-1)) > breaks*beside[3] ||
			min(r.hues[i], r.hues[n-1]) > tints*r.usualHue(i-2, i-1, 0, 1)
		if different || len(waits) > i && waits[i] >= late {
			return true
		}
	}
	return false
}

// isRow reports whether so many of all frames can be one of several rows.
func isRow(frames, all int) bool { return frames >= shortest && all%frames == 0 }

// focus is the sharpness of a frame beside that of its neighbours. It is NaN where they show nothing.
func (r *ring) focus(i int) float64 {
	a, b, c := r.at(i-1), r.at(i), r.at(i+1)
	if a == nil || b == nil || c == nil || min(a.sharpness, c.sharpness) < flat {
		return math.NaN()
	}
	return b.sharpness / math.Sqrt(a.sharpness*c.sharpness)
}

// jump is how much brighter the ground of the next frame is, as a logarithm. It is NaN where the ground
// is too dark or too light to say.
func (r *ring) jump(i int) float64 {
	a, b := r.at(i), r.at(i+1)
	if a == nil || b == nil || min(a.border, b.border) < darkGround || max(a.border, b.border) > lightGround {
		return math.NaN()
	}
	return math.Log(b.border / a.border)
}

// middle is the mean of the middle two of four values.
func middle(values ...float64) float64 {
	four := sorted(values...)
	return (four[1] + four[2]) / 2
}

// sorted puts values in their order, those that are no numbers first.
func sorted(values ...float64) []float64 {
	slices.Sort(values)
	return values
}
