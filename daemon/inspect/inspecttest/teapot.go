package inspecttest

import (
	"image"
	"math"
)

// A Teapot is glazed, with a painted landscape, photographed all around on light grey paper.
type Teapot struct {
	Frames        int
	Width, Height int // of a frame, in pixels
	Variant       int // 0: blue glaze and a sun; 1: green glaze and a moon
}

// Draw shows the teapot after i / Frames of a full turn.
func (t Teapot) Draw(i int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, t.Width, t.Height))
	newScene(t, 2*math.Pi*float64(i)/float64(t.Frames)).render(img, grain(i))
	return img
}

// part is the glaze of a face.
type part uint8

const (
	partGlaze part = iota
	partBody       // glaze with the painted band
	partClay       // the bare foot ring
)

type vertex struct {
	at, normal vec
	key, sky   float64 // share of the key light and of the sky that reaches it
}

type face struct {
	corners [3]int32
	part    part
}

type mesh struct {
	vertices []vertex
	faces    []face
}

// The silhouette of a lathe with so many corners stays within half a pixel at 1600 × 1200.
const (
	aroundLathe = 96
	aroundTube  = 48
)

// teapot is 3.3 wide and 1.9 high. Its spout points to +x, its handle to -x.
func teapot() *mesh {
	m := &mesh{}
	m.lathe(partClay, 6, []vec{{0.60, 0, 0}, {0.62, 0.05, 0}, {0.60, 0.12, 0}})
	m.lathe(partBody, 50, []vec{
		{0.58, 0.10, 0}, {0.80, 0.19, 0}, {0.99, 0.42, 0}, {1.06, 0.72, 0}, {0.98, 1.02, 0},
		{0.78, 1.25, 0}, {0.56, 1.36, 0}, {0.50, 1.39, 0}, {0.49, 1.42, 0}, {0.46, 1.43, 0}, {0.44, 1.38, 0},
	})
	m.lathe(partGlaze, 44, []vec{
		{0.45, 1.38, 0}, {0.465, 1.41, 0}, {0.45, 1.44, 0}, {0.36, 1.50, 0}, {0.20, 1.56, 0},
		{0.09, 1.59, 0}, {0.075, 1.64, 0}, {0.12, 1.71, 0}, {0.16, 1.78, 0}, {0.13, 1.86, 0}, {0.06, 1.89, 0}, {0.001, 1.895, 0},
	})
	m.spout()
	m.tube(partGlaze, 44, []ring{
		{vec{-0.60, 0.98, 0}, 0.10, 0.14}, {vec{-0.90, 1.19, 0}, 0.085, 0.125}, {vec{-1.22, 1.31, 0}, 0.07, 0.115}, {vec{-1.51, 1.20, 0}, 0.065, 0.115},
		{vec{-1.60, 0.91, 0}, 0.065, 0.11}, {vec{-1.46, 0.61, 0}, 0.065, 0.105}, {vec{-1.18, 0.45, 0}, 0.07, 0.105}, {vec{-0.80, 0.46, 0}, 0.085, 0.12},
	})
	return m
}

// spout is a tube, its rounded lip, and the beginning of its inside.
func (m *mesh) spout() {
	m.tube(partGlaze, 60, []ring{
		{vec{0.70, 0.50, 0}, 0.30, 0.30}, {vec{0.98, 0.58, 0}, 0.25, 0.25}, {vec{1.22, 0.76, 0}, 0.185, 0.18},
		{vec{1.37, 1.02, 0}, 0.135, 0.13}, {vec{1.50, 1.25, 0}, 0.112, 0.115}, {vec{1.68, 1.41, 0}, 0.115, 0.12},
	})
	m.tube(partGlaze, 9, []ring{
		{vec{1.680, 1.410, 0}, 0.115, 0.120}, {vec{1.689, 1.418, 0}, 0.113, 0.118}, {vec{1.698, 1.426, 0}, 0.107, 0.112}, {vec{1.707, 1.434, 0}, 0.090, 0.095},
	})
	m.tube(partGlaze, 10, []ring{
		{vec{1.50, 1.25, 0}, 0.07, -0.07}, {vec{1.60, 1.339, 0}, 0.08, -0.08}, {vec{1.707, 1.434, 0}, 0.090, -0.095},
	})
}

// lathe turns a profile (x is the radius) about the vertical axis.
func (m *mesh) lathe(p part, rows int, profile []vec) {
	m.patch(p, rows, aroundLathe, func(row, column float64) vec {
		point := alongSpline(profile, row)
		sin, cos := math.Sincos(2 * math.Pi * column)
		return vec{point.x * cos, point.y, -point.x * sin}
	})
}

// ring is one cross-section of a tube: its centre, and its radii in and across
// the plane z = 0. With a negative radius across, the tube is seen from inside.
type ring struct {
	centre     vec
	in, across float64
}

func (m *mesh) tube(p part, rows int, rings []ring) {
	centres, radii := make([]vec, len(rings)), make([]vec, len(rings))
	for i, r := range rings {
		centres[i], radii[i] = r.centre, vec{r.in, r.across, 0}
	}
	m.patch(p, rows, aroundTube, func(row, column float64) vec {
		const step = 1e-3
		along := alongSpline(centres, min(row+step, 1)).sub(alongSpline(centres, max(row-step, 0)))
		radius := alongSpline(radii, row)
		sin, cos := math.Sincos(2 * math.Pi * column)
		side := along.cross(vec{0, 0, 1}).unit().times(cos * radius.x)
		return alongSpline(centres, row).add(side).add(vec{0, 0, -sin * radius.y})
	})
}

// patch lays a net over a surface whose columns close; row and column run from 0 to 1.
func (m *mesh) patch(p part, rows, columns int, surface func(row, column float64) vec) {
	first := len(m.vertices)
	index := func(row, column int) int32 { return int32(first + row*columns + column%columns) }
	for row := range rows + 1 {
		for column := range columns {
			r, c := float64(row)/float64(rows), float64(column)/float64(columns)
			m.vertices = append(m.vertices, vertex{at: surface(r, c), normal: normal(surface, r, c)})
		}
	}
	for row := range rows {
		for column := range columns {
			a, b := index(row, column), index(row, column+1)
			c, d := index(row+1, column), index(row+1, column+1)
			m.faces = append(m.faces, face{[3]int32{a, b, d}, p}, face{[3]int32{a, d, c}, p})
		}
	}
}

func normal(surface func(row, column float64) vec, row, column float64) vec {
	const step = 2e-3
	up := surface(min(row+step, 1), column).sub(surface(max(row-step, 0), column))
	sideways := surface(row, column+step).sub(surface(row, column-step))
	return sideways.cross(up).unit()
}

// alongSpline runs through the points, t from 0 to 1, as a Catmull-Rom spline.
func alongSpline(points []vec, t float64) vec {
	last := len(points) - 1
	place := t * float64(last)
	i := min(int(place), last-1)
	f := place - float64(i)
	before, after := points[max(i-1, 0)], points[min(i+2, last)]
	p, q := points[i], points[i+1]
	square, cube := f*f, f*f*f
	return before.times(-cube/2 + square - f/2).
		add(p.times(1.5*cube - 2.5*square + 1)).
		add(q.times(-1.5*cube + 2*square + f/2)).
		add(after.times(cube/2 - square/2))
}

// turned returns the mesh after the table has turned.
func (m *mesh) turned(t turn) *mesh {
	vertices := make([]vertex, len(m.vertices))
	for i, v := range m.vertices {
		vertices[i] = vertex{at: t.apply(v.at), normal: t.apply(v.normal)}
	}
	return &mesh{vertices, m.faces}
}
