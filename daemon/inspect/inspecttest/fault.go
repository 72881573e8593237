package inspecttest

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A Fault spoils a set at a place. It returns the frames of which one has to be named, or none where the
// fault does not fit the set. The other studio has another object.
type Fault func(s *Set, at int, other *Studio) []string

// Faults are by the kinds of findings. Each kind has what happens in studios.
var Faults = map[string][]Fault{
	"repeated": {tableStood, photoTwice},
	"seam":     {oneTooMany, tableEnds},
	"missing":  {numberLeftOut, shotLeftOut},
	"swapped":  {namesExchanged, picturesExchanged},
	"foreign":  {anotherObject},
	"mixed":    {anotherShoot, otherSettings},
	"blurred":  {outOfFocus},
	"exposure": {tooDark, tooBright},
	"camera":   {anotherISO, heldUpright, smaller},
}

// Spoilt is a copy of the set with a fault, and the names of which one has to be named.
func (s *Set) Spoilt(f Fault, at int, other *Studio) (*Set, []string) {
	spoilt := *s
	spoilt.Frames = slices.Clone(s.Frames)
	about := f(&spoilt, at, other)
	return &spoilt, about
}

func (s *Set) pair(at int) []string { return []string{s.Frames[at].Name, s.Frames[at+1].Name} }

// tableStood has the table stand still once: all that follows comes one photo later.
func tableStood(s *Set, at int, _ *Studio) []string {
	if at+1 >= len(s.Frames) || !s.IsRing() {
		return nil
	}
	for i := len(s.Frames) - 1; i > at; i-- {
		s.Frames[i].Picture = s.Frames[i-1].Picture
	}
	s.Frames[at+1].Picture = s.again(s.Frames[at].Picture)
	return s.pair(at)
}

func photoTwice(s *Set, at int, _ *Studio) []string {
	if at+1 >= len(s.Frames) || !s.IsRing() {
		return nil
	}
	s.Frames[at+1].Picture = s.again(s.Frames[at].Picture)
	return s.pair(at)
}

// oneTooMany has the camera shoot once more when the table is back.
func oneTooMany(s *Set, at int, _ *Studio) []string {
	if !s.IsRing() || s.Angles || at > 0 {
		return nil
	}
	last := s.Frames[len(s.Frames)-1]
	last.Name = fmt.Sprintf(s.Style.names, s.first+len(s.Frames))
	last.EXIF.Captured = last.EXIF.Captured.Add(time.Duration(s.interval * float64(time.Second)))
	last.Picture = s.again(s.Frames[0].Picture)
	s.Frames = append(s.Frames, last)
	return []string{s.Frames[0].Name, last.Name}
}

func tableEnds(s *Set, at int, _ *Studio) []string {
	if !s.IsRing() || at > 0 {
		return nil
	}
	last := &s.Frames[len(s.Frames)-1]
	last.Picture = s.again(s.Frames[0].Picture)
	return []string{s.Frames[0].Name, last.Name}
}

// numberLeftOut loses a photo and keeps its number free.
func numberLeftOut(s *Set, at int, _ *Studio) []string {
	if at < 1 || at+1 >= len(s.Frames) || !s.IsRing() {
		return nil
	}
	about := []string{s.Frames[at-1].Name, s.Frames[at].Name, s.Frames[at+1].Name}
	s.Frames = slices.Delete(s.Frames, at, at+1)
	return about
}

// shotLeftOut misses a photo while the table turns on.
func shotLeftOut(s *Set, at int, other *Studio) []string {
	if s.Angles {
		return nil
	}
	before := slices.Clone(s.Frames)
	if numberLeftOut(s, at, other) == nil {
		return nil
	}
	for i := range s.Frames {
		s.Frames[i].Name = before[i].Name
	}
	return s.pair(at - 1)
}

// namesExchanged has names that do not follow the times.
func namesExchanged(s *Set, at int, _ *Studio) []string {
	if at+1 >= len(s.Frames) || !s.IsRing() {
		return nil
	}
	a, b := &s.Frames[at], &s.Frames[at+1]
	*a, *b = *b, *a
	a.Name, b.Name = b.Name, a.Name
	return s.pair(at)
}

// picturesExchanged has times that follow the names, as after an export that lost the order.
func picturesExchanged(s *Set, at int, _ *Studio) []string {
	if at+1 >= len(s.Frames) || !s.IsRing() {
		return nil
	}
	a, b := &s.Frames[at], &s.Frames[at+1]
	a.Picture, b.Picture = b.Picture, a.Picture
	return s.pair(at)
}

func anotherObject(s *Set, at int, other *Studio) []string {
	if !s.IsRing() {
		return nil
	}
	side := s.rng.IntN(len(other.poses))
	s.Frames[at].Picture = s.picture(other, side, 0, 1)
	return []string{s.Frames[at].Name}
}

// anotherShoot has the rest of the set show another object, taken much later.
func anotherShoot(s *Set, at int, other *Studio) []string {
	if at < 2 || at+2 >= len(s.Frames) || !s.IsRing() {
		return nil
	}
	s.later(at)
	for i := at; i < len(s.Frames); i++ {
		side := (s.Frames[i].Picture.side + 5) % len(other.poses)
		s.Frames[i].Picture = s.picture(other, side, 0, 1)
	}
	return s.pair(at - 1)
}

// otherSettings has the rest taken much later, by a camera that was set otherwise.
func otherSettings(s *Set, at int, _ *Studio) []string {
	if at < 2 || at+2 >= len(s.Frames) || !s.IsRing() {
		return nil
	}
	s.later(at)
	for i := at; i < len(s.Frames); i++ {
		s.Frames[i].EXIF.Exposure, s.Frames[i].EXIF.ISO = 60, 50
	}
	return s.pair(at - 1)
}

// later has the rest of the set taken after a pause of twenty photos and more.
func (s *Set) later(at int) {
	wait := time.Duration(20+s.rng.IntN(5000)) * time.Duration(s.interval*float64(time.Second))
	for i := at; i < len(s.Frames); i++ {
		s.Frames[i].EXIF.Captured = s.Frames[i].EXIF.Captured.Add(wait)
	}
}

func outOfFocus(s *Set, at int, _ *Studio) []string {
	return s.replaced(at, func(e *exposure) { e.blur = 1 })
}

func tooDark(s *Set, at int, _ *Studio) []string {
	return s.replaced(at, func(e *exposure) { e.light *= math.Pow(2, -1.0/3) })
}

func tooBright(s *Set, at int, _ *Studio) []string {
	return s.replaced(at, func(e *exposure) { e.light *= math.Pow(2, 1.0/3) })
}

// replaced takes a photo again, in another way.
func (s *Set) replaced(at int, change func(*exposure)) []string {
	if !s.IsRing() {
		return nil
	}
	p := s.again(s.Frames[at].Picture)
	change(&p.e)
	s.Frames[at].Picture = p
	return []string{s.Frames[at].Name}
}

func anotherISO(s *Set, at int, _ *Studio) []string {
	s.Frames[at].EXIF.ISO *= 2
	return []string{s.Frames[at].Name}
}

func heldUpright(s *Set, at int, _ *Studio) []string {
	s.Frames[at].EXIF.Orientation = 6
	return []string{s.Frames[at].Name}
}

// smaller has the camera store a photo at half the size.
func smaller(s *Set, at int, _ *Studio) []string {
	if !s.Thumbnail {
		return nil // the size in EXIF is not believed where the picture has one
	}
	s.Frames[at].EXIF.Width /= 2
	s.Frames[at].EXIF.Height /= 2
	return []string{s.Frames[at].Name}
}
