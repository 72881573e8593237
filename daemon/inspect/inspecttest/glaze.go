package inspecttest

import "math"

// finish is the colouring of one variant of the teapot.
type finish struct {
	glaze, rim, paper, line     colour
	far, middle, near, sun, sea colour
	clay                        colour
	moon                        bool // a crescent in place of the sun
}

func finishOf(variant int) *finish {
	blue := &finish{
		glaze: srgb(0x1a466e), rim: srgb(0x8a5a34), paper: srgb(0xf1e7d3), line: srgb(0xb8893f),
		far: srgb(0xa9bfc9), middle: srgb(0x5f8aa3), near: srgb(0x24506f), sun: srgb(0xcf4a35), sea: srgb(0x7fa9b8),
		clay: srgb(0xb58f6b),
	}
	green := &finish{
		glaze: srgb(0x5d7f63), rim: srgb(0x7a4b2c), paper: srgb(0xf3e3c4), line: srgb(0x8c4a2f),
		far: srgb(0xd9b98f), middle: srgb(0xb9784f), near: srgb(0x6d3b2a), sun: srgb(0x9c3b2e), sea: srgb(0xcaa27a),
		clay: srgb(0x9c6f4c),
		moon: true,
	}
	if variant%2 == 1 {
		return green
	}
	return blue
}

const (
	bandLow, bandHigh = 0.46, 1.04
	bandLine          = 0.03 // of the painted line above and below
)

// colourAt is the colour at a place of the object, which points the same way whatever the table
// does.
func (f *finish) colourAt(p part, at vec) colour {
	switch {
	case p == partClay:
		return f.clay
	case p == partBody && at.y > bandLow-bandLine && at.y < bandHigh+bandLine:
		return f.band(at)
	}
	return speckled(at, f.glaze.mix(f.rim, 0.75*thin(p, at)))
}

// thin is how much the glaze runs off an edge and the clay shows through.
func thin(p part, at vec) float64 {
	if p == partBody && at.y < middle.y {
		return 1 - smooth(0.12, 0.17, at.y+0.012*math.Sin(5*math.Atan2(at.z, at.x)))
	}
	if p == partBody {
		return smooth(1.385, 1.425, at.y)
	}
	return smooth(2.98, 3.06, at.x+at.y)
}

// speckled sets dark grains of iron at places that depend on the cell of space they lie in.
func speckled(at vec, base colour) colour {
	const cell = 0.045
	x, y, z := math.Floor(at.x/cell), math.Floor(at.y/cell), math.Floor(at.z/cell)
	seed := scatter(uint32(int32(x)*73856093) ^ uint32(int32(y)*19349663) ^ uint32(int32(z)*83492791))
	if seed%5 != 0 {
		return base
	}
	part := func(shift uint) float64 { return 0.25 + 0.5*float64(seed>>shift&255)/255 }
	grain := vec{x + part(3), y + part(11), z + part(19)}.times(cell)
	distance := at.sub(grain)
	size := 0.003 + 0.006*float64(seed>>24)/255
	return base.times(1 - 0.55*(1-smooth(size*0.6, size*1.4, math.Sqrt(distance.dot(distance)))))
}

// scatter is a hash of 32 bits whose every bit depends on all of the input's.
func scatter(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

// band is the painted landscape: h runs from 0 at its lower to 1 at its upper line.
func (f *finish) band(at vec) colour {
	angle := math.Atan2(at.z, at.x) // 0 at the spout, π/2 on the front
	h := (at.y - bandLow) / (bandHigh - bandLow)
	c := f.paper
	c = c.mix(f.sun, f.disc(angle, h))
	c = c.mix(f.near, birds(angle, h))
	c = c.mix(f.far, below(h, ridge(angle, 0.50, 0.17, 2, 7, 0.4)))
	c = c.mix(f.middle, below(h, ridge(angle, 0.36, 0.13, 3, 10, 2.1)))
	c = c.mix(f.near, below(h, ridge(angle, 0.22, 0.08, 4, 13, 4.0)))
	c = c.mix(f.near, trees(angle, h))
	c = c.mix(f.sea, below(h, 0.11+0.012*math.Sin(24*angle)))
	c = c.mix(f.paper, stroke(h-0.055-0.008*math.Sin(30*angle+1), 0.006))
	return f.glaze.mix(f.line.mix(c, stroke(h-0.5, 0.5)), stroke(h-0.5, 0.5+0.8*bandLine/(bandHigh-bandLow)))
}

const softness = 0.006 // of painted edges, in heights of the band

func below(h, edge float64) float64         { return 1 - smooth(edge-softness, edge+softness, h) }
func stroke(distance, half float64) float64 { return below(math.Abs(distance), half) }

// ridge is a line of hills that closes around the pot, because its waves are whole numbers.
func ridge(angle, height, swing float64, waves, ripples int, phase float64) float64 {
	long := math.Sin(float64(waves)*angle + phase)
	peaks := 1 - math.Abs(math.Sin(float64(ripples)*angle/2+2*phase))
	return height + swing*(0.7*long+(0.5+0.3*long)*peaks-0.25)
}

// beside returns how far a place is from a motif, in heights of the band at the belly's radius.
func beside(angle, centre float64) float64 {
	const belly = 1.05
	return math.Remainder(angle-centre, 2*math.Pi) * belly / (bandHigh - bandLow)
}

func (f *finish) disc(angle, h float64) float64 {
	x, y := beside(angle, 1.25), h-0.70
	round := below(math.Hypot(x, y), 0.20)
	if f.moon {
		return round * (1 - below(math.Hypot(x-0.10, y-0.04), 0.17))
	}
	return round
}

// birds are three pairs of wings on the front and two on the back.
func birds(angle, h float64) float64 {
	ink := 0.0
	if h < 0.6 {
		return ink
	}
	for _, bird := range []struct{ centre, height, size float64 }{
		{1.85, 0.80, 0.090}, {2.10, 0.70, 0.070}, {2.22, 0.86, 0.060}, {-1.9, 0.80, 0.090}, {-2.1, 0.72, 0.065},
	} {
		x := math.Abs(beside(angle, bird.centre)) / bird.size
		wing := bird.height + bird.size*(0.9*math.Sqrt(x)-0.5*x)
		if x < 1.6 {
			ink = max(ink, stroke(h-wing, 0.009))
		}
	}
	return ink
}

// trees are four firs on the back and two on the front.
func trees(angle, h float64) float64 {
	ink := 0.0
	for _, fir := range []struct{ centre, foot, height float64 }{
		{-1.10, 0.16, 0.66}, {-1.29, 0.14, 0.50}, {-0.93, 0.14, 0.44}, {-1.46, 0.13, 0.34}, {2.40, 0.14, 0.48}, {2.52, 0.13, 0.34},
	} {
		t := (h - fir.foot) / fir.height
		if t < 0 || t > 1 {
			continue
		}
		tier := math.Mod(t*4, 1)
		half := fir.height * 0.36 * (1 - t) * (1 - 0.5*tier)
		ink = max(ink, below(math.Abs(beside(angle, fir.centre)), half))
	}
	return ink
}
