package inspect

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// numberedName parts a name into its numbers and what is between them.
var numberedName = regexp.MustCompile(`\d{1,9}|\D+`)

// numbersOf returns the one number in which the names differ. It is nil where they differ in anything
// else, or in nothing.
func numbersOf(frames []Observation) []int {
	if len(frames) < 2 {
		return nil
	}
	varies := -1
	first := numberedName.FindAllString(strings.ToLower(frames[0].Name), -1)
	numbers := make([]int, len(frames))
	all := make([][]string, len(frames))
	for i, f := range frames {
		all[i] = numberedName.FindAllString(strings.ToLower(f.Name), -1)
		if len(all[i]) != len(first) {
			return nil
		}
		for k, part := range all[i] {
			if part == first[k] {
				continue
			}
			if varies >= 0 && varies != k {
				return nil
			}
			varies = k
		}
	}
	if varies < 0 {
		return nil
	}
	for i := range all {
		n, err := strconv.Atoi(all[i][varies])
		if err != nil {
			return nil
		}
		numbers[i] = n
	}
	return numbers
}

// numberGaps finds numbers that are left out. Angles count on in steps, some of them in uneven ones: 7,
// 15, 22. Numbers with many gaps do not count the frames.
func (j *judge) numberGaps() {
	n := len(j.numbers)
	if n < 3 {
		return
	}
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return j.numbers[a] - j.numbers[b] })
	gap := func(i int) int { return j.numbers[places[i+1]] - j.numbers[places[i]] }
	step := gap(0)
	for i := range n - 1 {
		step = min(step, gap(i))
	}
	var gaps []int
	for i := range n - 1 {
		if gap(i) >= 2*step {
			gaps = append(gaps, i)
		}
	}
	if step == 0 || 2*len(gaps) >= n {
		return
	}
	for _, i := range gaps {
		a, b := places[i], places[i+1]
		j.tell(Missing, fmt.Sprintf("A number is left out between %s and %s. Look for the photo, or shoot it again.",
			j.stem(a), j.stem(b)), a, b)
	}
}

// clock finds what the times of the captures say: names in another order, and a shot that is missing.
func (j *judge) clock() {
	times, usual := j.times()
	if times == nil {
		return
	}
	if j.disorder(times, usual) {
		return
	}
	j.timeGap(times, usual)
}

// times are the capture times, and the median of the intervals. They are nil where a frame has none.
func (j *judge) times() (times []time.Time, usual time.Duration) {
	var intervals []float64
	for i, f := range j.set.Frames {
		if f.Info.Captured.IsZero() {
			return nil, 0
		}
		times = append(times, f.Info.Captured)
		if i > 0 {
			intervals = append(intervals, float64(times[i].Sub(times[i-1]).Abs()))
		}
	}
	return times, time.Duration(sorted(intervals...)[len(intervals)/2])
}

// disorder finds neighbours whose times are exchanged. A photo that was shot again is much later than
// all others, and a set may begin anywhere in the turn.
func (j *judge) disorder(times []time.Time, usual time.Duration) (found bool) {
	last := len(times) - 1
	for i := range last {
		late := times[i].Sub(times[i+1])
		fits := (i == 0 || !times[i-1].After(times[i+1])) && (i+1 == last || !times[i].After(times[i+2]))
		if late > 0 && late < 3*usual && fits && j.open(i, i+1) {
			j.tell(Swapped, j.exchange(i), i, i+1)
			found = true
		}
	}
	return found
}

// waits are the intervals in shares of the median. They are empty where a frame has no time.
func (j *judge) waits() (waits []float64) {
	times, usual := j.times()
	for i := range len(times) - 1 {
		waits = append(waits, float64(times[i+1].Sub(times[i]))/float64(max(usual, 1)))
	}
	return waits
}

// timeGap finds one interval that is too long, where a machine keeps all others.
func (j *judge) timeGap(times []time.Time, usual time.Duration) {
	slack := time.Duration(steady * float64(usual))
	whole := !slices.ContainsFunc(times, func(t time.Time) bool { return t.Nanosecond() != 0 })
	if whole {
		slack = max(slack, time.Second)
	}
	at := -1
	for i := range len(times) - 1 {
		interval := times[i+1].Sub(times[i])
		if (interval - usual).Abs() <= slack {
			continue
		}
		if at >= 0 || float64(interval) < late*float64(usual) || float64(interval) >= pause*float64(usual) {
			return
		}
		at = i
	}
	if at < 0 || !j.open(at, at+1) || isRow(at+1, len(times)) {
		return
	}
	j.tell(Missing, fmt.Sprintf("%s came %.1f s after %s, the others after %.1f s: a shot is missing there. Shoot again from %s.",
		j.stem(at+1), times[at+1].Sub(times[at]).Seconds(), j.stem(at), usual.Seconds(), j.stem(at+1)), at, at+1)
}

// mixed finds a long pause behind which the pictures or the settings are other ones. A single frame that
// was shot again is no other shoot.
func (j *judge) mixed() {
	times, usual := j.times()
	last := len(times) - 1
	paused := func(i, k int) bool {
		return float64(times[k].Sub(times[i]).Abs()) >= pause*float64(max(usual, time.Second/10))
	}
	for i := range len(times) - 1 {
		again := i+2 <= last && !paused(i, i+2) || i > 0 && !paused(i-1, i+1)
		if !paused(i, i+1) || again || !j.open(i, i+1) {
			continue
		}
		waited := times[i+1].Sub(times[i]).Abs()
		a, b := j.set.Frames[i].Info.Shot, j.set.Frames[i+1].Info.Shot
		if a != b || j.ring.parts(i) {
			j.tell(Mixed, fmt.Sprintf("%s and the frames up to it are of another shoot than those from %s on, %s later. Keep the photos of one.",
				j.stem(i), j.stem(i+1), waited.Round(time.Second)), i, i+1)
		}
	}
}

// stem is a frame's name without its extension, as people call it.
func (j *judge) stem(i int) string {
	name := j.set.Frames[i].Name
	return strings.TrimSuffix(name, path.Ext(name))
}
