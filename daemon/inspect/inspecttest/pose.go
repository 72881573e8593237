package inspecttest

import (
	"image"
	"math"
)

// Width and Height of what a Studio draws, in pixels: the size of the thumbnail in EXIF.
const (
	Width  = 160
	Height = 120
)

// A pose is an object from one side: how much light comes from each pixel, and how much of the ground is
// seen through it.
type pose struct {
	light [][3]float32
	open  []float32
}

// A Studio has one object, and draws each of its sides once. It is for one goroutine.
type Studio struct {
	Object Object
	mesh   *mesh
	lens   camera
	above  camera // which stands higher
	buffer *raster
	poses  []*pose // once around, nil until they are needed
	higher []*pose
	shadow []float64
}

// NewStudio puts an object on a table that turns in so many steps.
func NewStudio(o Object, sides int) *Studio {
	s := &Studio{
		Object: o, mesh: &mesh{}, lens: newCamera(Width, Height),
		buffer: newRaster(span{Width * samplesPerSide, 0, Height * samplesPerSide}),
		poses:  make([]*pose, sides), higher: make([]*pose, sides), shadow: contactShadow(),
	}
	o.build(s.mesh)
	s.above = s.lens
	s.above.place = vec{0, 5.2, 7.4}
	s.above.view = viewAlong(vec{0, 0.8, 0}.sub(s.above.place))
	return s
}

// pose is the object from one side, and from a row.
func (s *Studio) pose(side, row int) *pose {
	drawn, lens := s.poses, s.lens
	if row > 0 {
		drawn, lens = s.higher, s.above
	}
	if drawn[side] == nil {
		table := turnBy(2 * math.Pi * float64(side) / float64(len(drawn)))
		p := s.Object.seen(s.mesh.turned(table), table.back(), lens, s.buffer)
		drawn[side] = &p
	}
	return drawn[side]
}

// seen draws an object without a ground. Light falls on it from the soft box and the sky, and no part
// shades another one.
func (o Object) seen(m *mesh, back turn, lens camera, buffer *raster) pose {
	sc := &scene{camera: lens, mesh: m, back: back, studio: newStudio()}
	buffer.reset(buffer.span)
	for i := range m.vertices {
		v := &m.vertices[i]
		v.key, v.sky = max(v.normal.dot(keyLight), 0), 0.5+0.5*v.normal.y
		sc.corners = append(sc.corners, lens.project(v.at))
	}
	for i, f := range m.faces {
		buffer.draw(i, sc.corners[f.corners[0]], sc.corners[f.corners[1]], sc.corners[f.corners[2]])
	}
	const samples = samplesPerSide * samplesPerSide
	p := pose{make([][3]float32, Width*Height), make([]float32, Width*Height)}
	for i := range p.light {
		var sum colour
		x, y := i%Width*samplesPerSide, i/Width*samplesPerSide
		for s := range samples {
			h := buffer.at(x+s%samplesPerSide, y+s/samplesPerSide)
			if h.nearness == 0 {
				p.open[i] += 1.0 / samples
				continue
			}
			p.open[i] += float32(o.clear) / samples
			sum = sum.add(o.lit(sc, h).times(1.0 / samples))
		}
		p.light[i] = [3]float32{float32(sum.x), float32(sum.y), float32(sum.z)}
	}
	return p
}

func (o Object) lit(sc *scene, h hit) colour {
	f := sc.mesh.faces[h.face]
	wa, wb, wc := weights(sc.corners[f.corners[0]], sc.corners[f.corners[1]], sc.corners[f.corners[2]], h.x, h.y)
	a, b, c := &sc.mesh.vertices[f.corners[0]], &sc.mesh.vertices[f.corners[1]], &sc.mesh.vertices[f.corners[2]]
	at := a.at.times(wa).add(b.at.times(wb)).add(c.at.times(wc))
	normal := a.normal.times(wa).add(b.normal.times(wb)).add(c.normal.times(wc)).unit()
	key, sky := wa*a.key+wb*b.key+wc*c.key, wa*a.sky+wb*b.sky+wc*c.sky
	diffuse := o.paint(f.part, sc.back.apply(at)).times((1 - o.clear) * (0.95*key + 0.62*sky + bounce(at, normal)))
	return diffuse.add(sc.gloss(sc.camera.place.sub(at).unit(), normal, sky).times(o.gloss))
}

// contactShadow is how much light reaches the ground around an object.
func contactShadow() []float64 {
	light := make([]float64, Width*Height)
	for i := range light {
		x, y := float64(i%Width)-Width/2, (float64(i/Width)-0.68*Height)*2.2
		light[i] = 1 - 0.4*math.Exp(-(x*x+y*y)/(2*22*22))
	}
	return light
}

// An exposure is how one photo is made of a pose.
type exposure struct {
	ground float64 // the light of the paper, 1 is white
	light  float64 // of the flash; 1 is right
	noise  float64 // in steps of 255
	grain  grain
	blur   int     // radius in pixels
	close  float64 // 1: as it stands; larger: a detail
}

var tonesOfAll = newTones()

// photo draws a pose as the camera sees it, the rows from top to below bottom alone.
func (s *Studio) photo(p *pose, e exposure, top, bottom int) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, Width, bottom-top), image.YCbCrSubsampleRatio444)
	for y := top; y < bottom; y++ {
		paper := e.ground * (0.8 + 0.2*smooth(0.05, 0.85, float64(y)/Height))
		for x := range Width {
			from := y*Width + x
			if e.close > 1 {
				from = (Height/2+int(float64(y-Height/2)/e.close))*Width + Width/2 + int(float64(x-Width/2)/e.close)
			}
			light := p.light[from]
			c := colour{float64(light[0]), float64(light[1]), float64(light[2])}.add(grey(paper * s.shadow[from] * float64(p.open[from]))).times(e.light)
			step := e.noise * e.grain.at(x, y)
			r, g, b := float64(tonesOfAll.screen(c.x, step)), float64(tonesOfAll.screen(c.y, step)), float64(tonesOfAll.screen(c.z, step))
			at := img.YOffset(x, y-top)
			img.Y[at] = uint8(0.299*r + 0.587*g + 0.114*b + 0.5)
			img.Cb[at] = uint8(min(max(128-0.1687*r-0.3313*g+0.5*b+0.5, 0), 255))
			img.Cr[at] = uint8(min(max(128+0.5*r-0.4187*g-0.0813*b+0.5, 0), 255))
		}
	}
	for _, plane := range [][]uint8{img.Y, img.Cb, img.Cr} {
		blurred(plane, e.blur)
	}
	return img
}

// blurred averages a plane over squares, twice.
func blurred(plane []uint8, radius int) {
	if radius == 0 {
		return
	}
	high := len(plane) / Width
	from := make([]uint8, len(plane))
	for range 2 {
		copy(from, plane)
		for y := range high {
			for x := range Width {
				sum, n := 0, 0
				for dy := -radius; dy <= radius; dy++ {
					for dx := -radius; dx <= radius; dx++ {
						if yy, xx := y+dy, x+dx; yy >= 0 && yy < high && xx >= 0 && xx < Width {
							sum, n = sum+int(from[yy*Width+xx]), n+1
						}
					}
				}
				plane[y*Width+x] = uint8(sum / n)
			}
		}
	}
}
