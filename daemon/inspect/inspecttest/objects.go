package inspecttest

import "math"

// An Object can stand on the turntable.
type Object struct {
	Name  string
	build func(*mesh)
	paint func(p part, at vec) colour
	gloss float64 // how much of the room it mirrors; the teapot has 1
	clear float64 // how much of the ground is seen through it
}

// Objects are what studios photograph: with labels and handles, nearly round, glossy black, transparent,
// flat, and furniture.
func Objects() []Object {
	pot := func(variant int) func(part, vec) colour { return finishOf(variant).colourAt }
	return []Object{
		{"teapot", func(m *mesh) { *m = *teapot() }, pot(0), 1, 0},
		{"green teapot", func(m *mesh) { *m = *teapot() }, pot(1), 1, 0},
		{"mug", mug, striped(0xd8d2c4, 0x9c3b2e, 5), 0.6, 0},
		{"labelled bottle", bottle(1), labelled(0x3f6b46, 0xf2ead8), 1, 0},
		{"plain bottle", bottle(0.9), plain(0xb7b2a8), 0.6, 0},
		{"black bottle", bottle(1.1), labelled(0x14120f, 0xb8893f), 2, 0},
		{"vase", vase, plain(0x7f9fb0), 0.8, 0},
		{"drinking glass", vase, plain(0xc9d6d8), 1.5, 0.75},
		{"glass jug", jug, plain(0xc4d2c8), 1.5, 0.6},
		{"tablet", slab(1.2, 0.85, 0.05), framed(0x202225, 0x7fa9d8), 1.2, 0},
		{"picture frame", slab(1.0, 0.9, 0.07), framed(0x8a5a34, 0xe6cf9a), 0.2, 0},
		{"shoe", shoe, striped(0xc9543f, 0xf1e7d3, 7), 0.3, 0},
		{"chair", chair, plain(0x9a6b3f), 0.2, 0},
		{"stool", stool, plain(0x5b4632), 0.2, 0},
		{"lamp", lamp, plain(0xd9a441), 0.8, 0},
		{"cereal box", slab(0.75, 0.95, 0.32), printed(0xd8b13c, 0x9c2e2e), 0.3, 0},
		{"cube", slab(0.7, 0.7, 0.7), plain(0xb58f6b), 0.2, 0},
		{"camera", compact, plain(0x2a2c2f), 0.9, 0},
		{"black ball", ball, labelled(0x0d0d10, 0xd8d8d8), 2.5, 0},
		{"toy car", car, striped(0xb3261e, 0xf1e7d3, 3), 1, 0},
		{"sofa", sofa, plain(0x5f7f6a), 0.1, 0},
		{"book", slab(0.7, 0.95, 0.14), printed(0x274b6d, 0xe9d9b6), 0.3, 0},
		{"plant", plant, plain(0x3f7a3a), 0.3, 0},
		{"watering can", wateringCan, plain(0x6f8fa6), 0.9, 0},
		{"handbag", handbag, printed(0x6d3b2a, 0xb8893f), 0.6, 0},
		{"bicycle", bicycle, plain(0x2f5f8f), 0.8, 0},
	}
}

const partTrim part = 7 // a second material

func plain(rgb uint32) func(part, vec) colour {
	main, trim := srgb(rgb), srgb(0x3a3632)
	return func(p part, _ vec) colour {
		if p == partTrim {
			return trim
		}
		return main
	}
}

// labelled is plain, with a label on a third of the way round and lines of print on it.
func labelled(rgb, label uint32) func(part, vec) colour {
	main, paper, ink := srgb(rgb), srgb(label), srgb(0x2b2420)
	return func(p part, at vec) colour {
		angle := math.Atan2(at.z, at.x)
		if p == partTrim || math.Abs(angle) > 1.1 || at.y < 0.35 || at.y > 1.0 {
			return main
		}
		if at.y > 0.8 && math.Abs(angle) < 0.6 || at.y < 0.6 && scatter(uint32(int32(angle*14))+uint32(at.y*20)<<8)%3 == 0 {
			return ink
		}
		return paper
	}
}

// striped has upright stripes of uneven width, and a patch on one side.
func striped(rgb, other uint32, n int) func(part, vec) colour {
	main, stripe := srgb(rgb), srgb(other)
	return func(p part, at vec) colour {
		angle := math.Atan2(at.z, at.x)
		if p == partTrim {
			return srgb(0x2c2a28)
		}
		if math.Sin(float64(n)*angle+math.Sin(angle)) > 0.55 || at.x > 0.3 && at.z > 0.2 && at.y > 0.5 {
			return stripe
		}
		return main
	}
}

// framed has a picture on its front and a plain back.
func framed(rim, picture uint32) func(part, vec) colour {
	border, sky, land := srgb(rim), srgb(picture), srgb(0x5d7f63)
	return func(_ part, at vec) colour {
		switch {
		case at.z < 0.04 || math.Abs(at.x) > 0.82 || at.y < 0.18 || at.y > 1.55:
			return border
		case at.y < 0.8+0.2*math.Sin(4*at.x):
			return land
		}
		return sky
	}
}

// printed has another print on each side.
func printed(rgb, other uint32) func(part, vec) colour {
	main, print := srgb(rgb), srgb(other)
	return func(_ part, at vec) colour {
		side := uint32(0)
		if math.Abs(at.x) > math.Abs(at.z)*1.5 {
			side = 1
		}
		if at.x+at.z > 0 {
			side += 2
		}
		cell := uint32(int32(math.Floor((at.x-at.z)*5))) + 97*uint32(int32(math.Floor(at.y*5)))
		if scatter(cell+side*7919)%3 == 0 {
			return print
		}
		return main
	}
}

func mug(m *mesh) {
	m.lathe(partGlaze, 20, []vec{{0.02, 0, 0}, {0.7, 0.02, 0}, {0.75, 0.4, 0}, {0.75, 1.4, 0}, {0.68, 1.42, 0}, {0.66, 0.9, 0}})
	m.tube(partTrim, 20, []ring{
		{vec{0.7, 1.2, 0}, 0.1, 0.12}, {vec{1.1, 1.2, 0}, 0.1, 0.12}, {vec{1.25, 0.8, 0}, 0.1, 0.12}, {vec{1.0, 0.4, 0}, 0.1, 0.12}, {vec{0.7, 0.35, 0}, 0.1, 0.12},
	})
}

func bottle(wide float64) func(*mesh) {
	return func(m *mesh) {
		m.lathe(partGlaze, 30, []vec{
			{0.02, 0, 0}, {0.45 * wide, 0.02, 0}, {0.48 * wide, 0.5, 0}, {0.48 * wide, 1.05, 0}, {0.2, 1.4, 0}, {0.17, 1.8, 0}, {0.2, 1.85, 0}, {0.01, 1.88, 0},
		})
	}
}

func vase(m *mesh) {
	m.lathe(partGlaze, 30, []vec{
		{0.02, 0, 0}, {0.4, 0.02, 0}, {0.62, 0.5, 0}, {0.5, 1.0, 0}, {0.35, 1.3, 0}, {0.5, 1.7, 0}, {0.46, 1.7, 0}, {0.3, 1.3, 0},
	})
}

func jug(m *mesh) {
	vase(m)
	m.tube(partGlaze, 20, []ring{
		{vec{0.4, 1.5, 0}, 0.07, 0.08}, {vec{0.9, 1.4, 0}, 0.07, 0.08}, {vec{1.0, 0.9, 0}, 0.07, 0.08}, {vec{0.6, 0.5, 0}, 0.07, 0.08},
	})
}

// slab stands on its edge; half its width and depth.
func slab(x, halfHeight, z float64) func(*mesh) {
	return func(m *mesh) { m.box(partGlaze, vec{-x, 0, -z}, vec{x, 2 * halfHeight, z}) }
}

func shoe(m *mesh) {
	m.tube(partGlaze, 30, []ring{
		{vec{-1.2, 0.5, 0}, 0.05, 0.05}, {vec{-1.1, 0.5, 0}, 0.45, 0.35}, {vec{-0.6, 0.45, 0}, 0.42, 0.36},
		{vec{0, 0.35, 0}, 0.33, 0.36}, {vec{0.7, 0.27, 0}, 0.25, 0.42}, {vec{1.15, 0.22, 0}, 0.2, 0.34}, {vec{1.35, 0.2, 0}, 0.03, 0.05},
	})
	m.tube(partTrim, 12, []ring{{vec{-0.75, 0.6, 0}, 0.36, 0.3}, {vec{-0.8, 1.1, 0}, 0.33, 0.28}, {vec{-0.82, 1.3, 0}, 0.33, 0.28}})
}

func chair(m *mesh) {
	legs(m, 0.6, 0.9)
	m.box(partGlaze, vec{-0.7, 0.9, -0.7}, vec{0.7, 1.0, 0.7})
	m.box(partTrim, vec{-0.7, 1.0, -0.7}, vec{0.7, 1.95, -0.6})
}

func stool(m *mesh) {
	legs(m, 0.55, 1.2)
	m.box(partTrim, vec{-0.65, 1.2, -0.65}, vec{0.65, 1.3, 0.65})
}

func legs(m *mesh, at, high float64) {
	for _, x := range []float64{-at, at} {
		for _, z := range []float64{-at, at} {
			m.box(partGlaze, vec{x - 0.06, 0, z - 0.06}, vec{x + 0.06, high, z + 0.06})
		}
	}
}

func lamp(m *mesh) {
	m.lathe(partTrim, 8, []vec{{0.02, 0, 0}, {0.6, 0.02, 0}, {0.6, 0.1, 0}, {0.05, 0.12, 0}})
	m.tube(partTrim, 12, []ring{{vec{0, 0.1, 0}, 0.05, 0.05}, {vec{-0.4, 0.9, 0}, 0.05, 0.05}, {vec{0.3, 1.6, 0}, 0.05, 0.05}})
	m.tube(partGlaze, 12, []ring{{vec{0.2, 1.65, 0}, 0.12, 0.12}, {vec{0.6, 1.5, 0}, 0.3, 0.3}, {vec{0.9, 1.35, 0}, 0.45, 0.45}})
}

func compact(m *mesh) {
	m.box(partGlaze, vec{-1.0, 0.3, -0.3}, vec{1.0, 1.4, 0.3})
	m.box(partTrim, vec{-0.3, 1.4, -0.2}, vec{0.3, 1.6, 0.2})
	m.box(partTrim, vec{-0.3, 0.45, 0.3}, vec{0.5, 1.25, 0.6})
	m.box(partTrim, vec{-0.2, 0.55, 0.6}, vec{0.4, 1.15, 0.95})
}

func ball(m *mesh) {
	var profile []vec
	for i := range 13 {
		sin, cos := math.Sincos(math.Pi * float64(i) / 12)
		profile = append(profile, vec{max(0.8*sin, 0.001), 0.8 - 0.8*cos, 0})
	}
	m.lathe(partGlaze, 36, profile)
}

func car(m *mesh) {
	m.box(partGlaze, vec{-1.4, 0.25, -0.6}, vec{1.4, 0.75, 0.6})
	m.box(partGlaze, vec{-0.8, 0.75, -0.5}, vec{0.5, 1.2, 0.5})
	for _, x := range []float64{-0.9, 0.9} {
		m.box(partTrim, vec{x - 0.25, 0, -0.65}, vec{x + 0.25, 0.5, 0.65})
	}
}

func sofa(m *mesh) {
	m.box(partGlaze, vec{-1.5, 0.1, -0.6}, vec{1.5, 0.6, 0.6})
	m.box(partGlaze, vec{-1.5, 0.6, -0.6}, vec{1.5, 1.3, -0.3})
	m.box(partTrim, vec{-1.5, 0.6, -0.3}, vec{-1.25, 0.9, 0.6})
	m.box(partTrim, vec{1.25, 0.6, -0.3}, vec{1.5, 0.9, 0.6})
}

func plant(m *mesh) {
	m.lathe(partTrim, 8, []vec{{0.02, 0, 0}, {0.35, 0.02, 0}, {0.45, 0.5, 0}, {0.05, 0.5, 0}})
	for i := range 9 {
		h := scatter(uint32(i) + 5)
		sin, cos := math.Sincos(float64(i)*2.4 + float64(h&7)/10)
		long, high := 0.5+float64(h>>8&15)/20, 0.9+float64(h>>16&15)/18
		m.tube(partGlaze, 8, []ring{{vec{0.02 * cos, 0.5, 0.02 * sin}, 0.04, 0.04}, {vec{0.5 * long * cos, high, 0.5 * long * sin}, 0.12, 0.12}, {vec{long * cos, high - 0.1, long * sin}, 0.03, 0.03}})
	}
}

func wateringCan(m *mesh) {
	m.lathe(partGlaze, 14, []vec{{0.02, 0, 0}, {0.6, 0.02, 0}, {0.6, 0.9, 0}, {0.3, 1.0, 0}, {0.02, 1.0, 0}})
	m.tube(partGlaze, 14, []ring{{vec{0.5, 0.25, 0}, 0.12, 0.12}, {vec{1.0, 0.7, 0}, 0.09, 0.09}, {vec{1.4, 1.25, 0}, 0.08, 0.08}, {vec{1.5, 1.4, 0}, 0.18, 0.18}})
	m.tube(partTrim, 14, []ring{{vec{-0.5, 0.2, 0}, 0.06, 0.06}, {vec{-1.1, 0.8, 0}, 0.06, 0.06}, {vec{-0.7, 1.5, 0}, 0.06, 0.06}, {vec{0.2, 1.0, 0}, 0.06, 0.06}})
}

func handbag(m *mesh) {
	m.box(partGlaze, vec{-0.9, 0, -0.35}, vec{0.9, 1.1, 0.35})
	m.tube(partTrim, 16, []ring{{vec{-0.6, 1.05, 0.1}, 0.05, 0.05}, {vec{-0.4, 1.7, 0.12}, 0.05, 0.05}, {vec{0.4, 1.7, 0.12}, 0.05, 0.05}, {vec{0.6, 1.05, 0.1}, 0.05, 0.05}})
}

func bicycle(m *mesh) {
	wheel := func(x float64) {
		var rim []ring
		for i := range 13 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 12)
			rim = append(rim, ring{vec{x + 0.5*cos, 0.55 + 0.5*sin, 0}, 0.05, 0.05})
		}
		m.tube(partTrim, 48, rim)
	}
	wheel(-0.9)
	wheel(0.9)
	bar := func(a, b vec) { m.tube(partGlaze, 4, []ring{{a, 0.06, 0.06}, {b, 0.06, 0.06}}) }
	bar(vec{-0.9, 0.55, 0}, vec{-0.3, 1.2, 0})
	bar(vec{-0.3, 1.2, 0}, vec{0.6, 1.25, 0})
	bar(vec{-0.3, 1.2, 0}, vec{0, 0.5, 0})
	bar(vec{0, 0.5, 0}, vec{0.6, 1.25, 0})
	bar(vec{0.9, 0.55, 0}, vec{0.55, 1.5, 0})
	m.box(partTrim, vec{0.5, 1.48, -0.35}, vec{0.6, 1.56, 0.35})
	m.box(partTrim, vec{-0.55, 1.3, -0.12}, vec{-0.15, 1.4, 0.12})
}

// box has its edges along the axes.
func (m *mesh) box(p part, low, high vec) {
	corner := func(i int) vec {
		c := low
		if i&1 != 0 {
			c.x = high.x
		}
		if i&2 != 0 {
			c.y = high.y
		}
		if i&4 != 0 {
			c.z = high.z
		}
		return c
	}
	for _, side := range []struct {
		corners [4]int
		normal  vec
	}{
		{[4]int{0, 1, 3, 2}, vec{0, 0, -1}}, {[4]int{4, 5, 7, 6}, vec{0, 0, 1}},
		{[4]int{0, 1, 5, 4}, vec{0, -1, 0}}, {[4]int{2, 3, 7, 6}, vec{0, 1, 0}},
		{[4]int{0, 2, 6, 4}, vec{-1, 0, 0}}, {[4]int{1, 3, 7, 5}, vec{1, 0, 0}},
	} {
		first := int32(len(m.vertices))
		for _, c := range side.corners {
			m.vertices = append(m.vertices, vertex{at: corner(c), normal: side.normal})
		}
		a, b, c := corner(side.corners[0]), corner(side.corners[1]), corner(side.corners[2])
		order := [3]int32{1, 2, 3}
		if b.sub(a).cross(c.sub(a)).dot(side.normal) < 0 {
			order = [3]int32{3, 2, 1}
		}
		m.faces = append(m.faces,
			face{[3]int32{first, first + order[0], first + order[1]}, p}, face{[3]int32{first, first + order[1], first + order[2]}, p})
	}
}
