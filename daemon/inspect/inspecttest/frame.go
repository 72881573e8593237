package inspecttest

import (
	"image"
	"image/color"
	"runtime"
	"sync"
)

const samplesPerSide = 2 // of a pixel

// camera looks a little down on the object.
type camera struct {
	place  vec
	view   view
	focal  float64 // in samples
	cx, cy float64 // centre of the screen, in samples
}

func newCamera(width, height int) camera {
	place := vec{0, 2.75, 8.6}
	fit := min(float64(width)*3/4, float64(height)) * samplesPerSide
	return camera{
		place: place, view: viewAlong(vec{0, 0.80, 0}.sub(place)), focal: 2.75 * fit,
		cx: float64(width*samplesPerSide) / 2, cy: float64(height*samplesPerSide) / 2,
	}
}

func (c camera) project(p vec) projected {
	at := c.view.onto(p.sub(c.place))
	return projected{c.cx + c.focal*at.x/at.z, c.cy - c.focal*at.y/at.z, 1 / at.z}
}

// through returns the direction in which a sample of the screen looks.
func (c camera) through(x, y float64) vec {
	return c.view.right.times((x - c.cx) / c.focal).sub(c.view.up.times((y - c.cy) / c.focal)).add(c.view.forward)
}

// scene is all that one frame needs.
type scene struct {
	width, height int
	camera        camera
	mesh          *mesh
	corners       []projected
	ground        ground
	paper         []colour // the backdrop, row by row
	back          turn     // from the studio to the object
	finish        *finish
	studio        studio
	tones         tones
}

func newScene(s Teapot, angle float64) *scene {
	table := turnBy(angle)
	sc := &scene{
		width: s.Width, height: s.Height, camera: newCamera(s.Width, s.Height),
		mesh: teapot().turned(table), back: table.back(), finish: finishOf(s.Variant),
		studio: newStudio(), tones: newTones(),
	}
	sc.ground = illuminate(sc.mesh)
	for y := range s.Height {
		sc.paper = append(sc.paper, backdrop(float64(y)/float64(s.Height)))
	}
	for _, v := range sc.mesh.vertices {
		sc.corners = append(sc.corners, sc.camera.project(v.at))
	}
	return sc
}

// rowsPerBand bounds the memory of the samples.
const rowsPerBand = 64

// render draws the bands of the frame on all processors.
func (sc *scene) render(into *image.RGBA, noise grain) {
	var workers sync.WaitGroup
	count := runtime.GOMAXPROCS(0)
	for first := range count {
		workers.Go(func() {
			buffer := newRaster(span{sc.width * samplesPerSide, 0, rowsPerBand * samplesPerSide})
			for top := first * rowsPerBand; top < sc.height; top += count * rowsPerBand {
				sc.band(into, buffer, top, min(top+rowsPerBand, sc.height), noise)
			}
		})
	}
	workers.Wait()
}

func (sc *scene) band(into *image.RGBA, buffer *raster, top, bottom int, noise grain) {
	buffer.reset(span{sc.width * samplesPerSide, top * samplesPerSide, bottom * samplesPerSide})
	for i, f := range sc.mesh.faces {
		buffer.draw(i, sc.corners[f.corners[0]], sc.corners[f.corners[1]], sc.corners[f.corners[2]])
	}
	for y := top; y < bottom; y++ {
		sc.row(into, buffer, y, noise)
	}
}

func (sc *scene) row(into *image.RGBA, samples *raster, y int, noise grain) {
	for x := range sc.width {
		c := sc.pixel(samples, x, y)
		step := noise.at(x, y)
		into.SetRGBA(x, y, color.RGBA{sc.tones.screen(c.x, step), sc.tones.screen(c.y, step), sc.tones.screen(c.z, step), 255})
	}
}

// pixel shades a pixel once where one part of the object covers it, and sample
// by sample along edges, which is where steps would show. The background is so
// smooth that it needs one sample only.
func (sc *scene) pixel(samples *raster, x, y int) colour {
	var hits [samplesPerSide * samplesPerSide]hit
	for i := range hits {
		hits[i] = samples.at(x*samplesPerSide+i%samplesPerSide, y*samplesPerSide+i/samplesPerSide)
	}
	if sc.coveredByOne(hits) {
		return sc.surface(hits[0])
	}
	var sum colour
	missed := 0
	for _, h := range hits {
		if h.nearness == 0 {
			missed++
			continue
		}
		sum = sum.add(sc.surface(h))
	}
	if missed > 0 {
		sum = sum.add(sc.background(x, y).times(float64(missed)))
	}
	return sum.times(1.0 / samplesPerSide / samplesPerSide)
}

func (sc *scene) coveredByOne(hits [samplesPerSide * samplesPerSide]hit) bool {
	const sameDepth = 0.995
	first := hits[0]
	for _, h := range hits {
		if h.nearness == 0 || sc.mesh.faces[h.face].part != sc.mesh.faces[first.face].part ||
			min(h.nearness, first.nearness) < sameDepth*max(h.nearness, first.nearness) {
			return false
		}
	}
	return true
}
