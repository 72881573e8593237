package inspecttest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A Picture is what a camera saw once. It is encoded where it is first needed.
type Picture struct {
	studio    *Studio
	side, row int
	e         exposure
	file      []byte
}

// A Frame is one photo of a set. Frames of one Picture show the same photo under other names or times.
type Frame struct {
	Name    string
	EXIF    EXIF
	Picture *Picture
}

// A Set is the photos of one product, and how they were taken.
type Set struct {
	Frames []Frame
	Style
	rng *rand.Rand
}

// A Style is how a set is taken.
type Style struct {
	Object    string
	Sides     int // of a turn
	Paper     string
	Quality   int     // of the JPEG
	Noise     float64 // in steps of 255
	Flicker   float64 // of the flash, as a share of its light
	EXIF      bool
	Thumbnail bool // in EXIF; else the photo has to be decoded
	Bars      bool // the thumbnail has black bars, since the photo is wider
	Fractions bool // the times have fractions of a second
	ByHand    bool // people turn the table
	Break     bool // somebody waits for a while
	Reshot    bool // one photo is taken again after the last
	Half      bool // the turn ends after 180°
	Rows      bool // a second turn from higher up
	Details   bool // photos of details follow
	Angles    bool // the names count degrees
	interval  float64
	paper     float64
	start     int
	names     string
	first     int
}

// IsRing reports whether the set is one turn that closes.
func (s Style) IsRing() bool { return !s.Half && !s.Rows && !s.Details }

var papers = []struct {
	name  string
	light float64
}{{"white", 1.0}, {"bright", 1.35}, {"grey", 0.3}, {"dark", 0.08}, {"black", 0.004}}

// styleOf draws a style. A third of the sets has something out of the ordinary.
func styleOf(s *Studio, rng *rand.Rand) Style {
	chance := func(p float64) bool { return rng.Float64() < p }
	paper := papers[rng.IntN(len(papers))]
	exif := chance(0.8)
	y := Style{
		Object: s.Object.Name, Sides: []int{24, 36, 36, 48, 72}[rng.IntN(5)], Paper: paper.name, paper: paper.light,
		Quality: 70 + rng.IntN(29), Noise: 4 * rng.Float64(), Flicker: 0.03 * rng.Float64(),
		EXIF: exif, Thumbnail: exif && chance(0.7), Bars: chance(0.6), Fractions: chance(0.5),
		interval: 1.5 + 6*rng.Float64(), start: len(s.poses) / 72 * rng.IntN(72),
		names: []string{"frame_%02d.jpg", "IMG_%04d.JPG", "%d.jpg", "%03dof099.jpg"}[rng.IntN(4)], first: 1,
	}
	if y.names == "IMG_%04d.JPG" {
		y.first = rng.IntN(9000)
	}
	switch rng.IntN(20) {
	case 0, 1:
		y.ByHand = true
	case 2:
		y.Break = true
	case 3:
		y.Half = true
	case 4:
		y.Rows = true
	case 5:
		y.Details = true
	case 6:
		y.Reshot = true
	case 7:
		y.Angles = true
	}
	return y
}

// Shoot takes the photos of one set without a fault. The same seed takes the same photos.
func (s *Studio) Shoot(seed uint64) *Set {
	rng := rand.New(rand.NewPCG(seed, 27))
	set := &Set{Style: styleOf(s, rng), rng: rng}
	turn := float64(len(s.poses))
	if set.Half {
		turn /= 2
	}
	for i := range set.Sides {
		at := float64(i)
		if set.ByHand { // from mark to mark, more or less
			at += 0.5*rng.Float64() - 0.25
		}
		set.take(s, set.start+int(math.Round(at*turn/float64(set.Sides))), 0, 1)
	}
	if set.Rows {
		for i := range set.Sides {
			set.take(s, set.start+i*len(s.poses)/set.Sides, 1, 1)
		}
	}
	if set.Details {
		for range 1 + rng.IntN(3) {
			set.take(s, rng.IntN(len(s.poses)), 0, 1.6+rng.Float64())
		}
	}
	set.name()
	set.time()
	return set
}

func (s *Set) take(studio *Studio, side, row int, closer float64) {
	n := len(studio.poses)
	s.Frames = append(s.Frames, Frame{EXIF: s.settings(), Picture: s.picture(studio, (side%n+n)%n, row, closer)})
}

func (s *Set) settings() EXIF {
	return EXIF{Width: 6000, Height: 4000 + 500*btoi(!s.Bars), Exposure: 125, ISO: 100}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Set) picture(studio *Studio, side, row int, closer float64) *Picture {
	return &Picture{studio: studio, side: side, row: row, e: exposure{
		ground: s.paper, light: 1 + s.Flicker*(2*s.rng.Float64()-1), noise: s.Noise, grain: grain(s.rng.Uint32()), close: closer,
	}}
}

// again takes a picture of the same side.
func (s *Set) again(p *Picture) *Picture { return s.picture(p.studio, p.side, p.row, p.e.close) }

func (s *Set) name() {
	row := s.Rows && s.rng.IntN(2) == 0
	for i := range s.Frames {
		f := &s.Frames[i]
		switch {
		case s.Angles:
			f.Name = fmt.Sprintf("a_%03d.jpg", 360*i/s.Sides)
		case row:
			f.Name = fmt.Sprintf("row%d_%02d.jpg", i/s.Sides+1, i%s.Sides+1)
		default:
			f.Name = fmt.Sprintf(s.names, s.first+i)
		}
	}
}

// time has the camera's clock run.
func (s *Set) time() {
	at := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC).Add(time.Duration(s.rng.IntN(1e9)))
	pause := 1 + s.rng.IntN(s.Sides-2)
	for i := range s.Frames {
		seconds := s.interval * (1 + 0.02*(s.rng.Float64()-0.5))
		switch {
		case s.ByHand:
			seconds = s.interval * (0.5 + 2*s.rng.Float64())
		case s.Break && i == pause:
			seconds = s.interval * (11 + 200*s.rng.Float64())
		}
		if i >= s.Sides {
			seconds += 5 + 60*s.rng.Float64() // for the camera to be moved
		}
		at = at.Add(time.Duration(seconds * float64(time.Second)))
		s.Frames[i].EXIF.Captured = s.clock(at)
	}
	if s.Reshot {
		s.Frames[pause].EXIF.Captured = s.clock(at.Add(90 * time.Second))
		s.Frames[pause].Picture = s.again(s.Frames[pause].Picture)
	}
}

// clock is a time as the camera writes it. A fraction of zero would look like none.
func (s *Set) clock(at time.Time) time.Time {
	if !s.Fractions {
		return at.Truncate(time.Second)
	}
	return at.Truncate(10 * time.Millisecond).Add(5 * time.Millisecond)
}

// wide is the height of a thumbnail without its bars, where the photo is three to two.
const wide = 106

// encoded is a picture as a JPEG of Width by Height, or of less where the photo is wider and no bars
// fill the rest.
func (s *Set) encoded(p *Picture) []byte {
	if p.file != nil {
		return p.file
	}
	top, bottom := 0, Height
	if s.Bars {
		top, bottom = (Height-wide)/2, (Height+wide)/2
	}
	var img image.Image = p.studio.photo(p.studio.pose(p.side, p.row), p.e, top, bottom)
	if s.Bars && s.Thumbnail {
		img = barred(img.(*image.YCbCr), top)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: s.Quality}); err != nil {
		panic(err) // a buffer takes everything
	}
	p.file = b.Bytes()
	return p.file
}

// barred puts a picture between two black bars.
func barred(img *image.YCbCr, top int) *image.YCbCr {
	full := image.NewYCbCr(image.Rect(0, 0, Width, Height), img.SubsampleRatio)
	for i := range full.Cb {
		full.Y[i], full.Cb[i], full.Cr[i] = 0, 128, 128
	}
	copy(full.Y[top*Width:], img.Y)
	copy(full.Cb[top*Width:], img.Cb)
	copy(full.Cr[top*Width:], img.Cr)
	return full
}

// stub is a JPEG of one grey block. A photo with a thumbnail is never decoded, so that its picture may
// be any.
var stub = func() []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}()

// File is a photo as the camera writes it.
func (s *Set) File(f Frame) []byte {
	picture := s.encoded(f.Picture)
	if !s.EXIF {
		return picture
	}
	exif := f.EXIF
	if s.Thumbnail {
		exif.Thumbnail = picture
		picture = slices.Clone(stub)
		size := bytes.Index(picture, []byte{0xFF, 0xC0}) + 5
		binary.BigEndian.PutUint16(picture[size:], uint16(exif.Height))
		binary.BigEndian.PutUint16(picture[size+2:], uint16(exif.Width))
	}
	block := append([]byte("Exif\x00\x00"), exif.Block()...)
	head := binary.BigEndian.AppendUint16([]byte{0xFF, 0xD8, 0xFF, 0xE1}, uint16(2+len(block)))
	return slices.Concat(head, block, picture[2:])
}

// Interval is the time between two photos, in seconds.
func (s Style) Interval() float64 { return s.interval }
