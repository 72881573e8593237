package inspecttest

import "math"

// The studio stands still while the table turns: a large soft box high on the
// left of the camera, and a white sky all around.
const (
	keyRays     = 18
	skyRays     = 32
	keyRadius   = 0.30 // of the soft box, as the tangent of the angle it is seen under
	shadowSide  = 256  // samples of a depth map
	shadowReach = 2.1  // radius of a sphere around the object, in its units
	groundSide  = 128  // places of the ground's light map
	groundReach = 4.0  // half the side of the ground that can lie in shadow
)

var (
	keyLight = vec{-0.62, 0.85, 0.62}.unit()
	middle   = vec{0, 0.8, 0}
)

// ray is light that falls in from one direction.
type ray struct {
	from vec
	key  bool
}

// rays spreads points evenly over the soft box and over the sky. Golden angles keep them apart.
func rays() []ray {
	const golden = 2.399963229728653
	var all []ray
	box := viewAlong(keyLight)
	for i := range keyRays {
		sin, cos := math.Sincos(float64(i) * golden)
		r := keyRadius * math.Sqrt((float64(i)+0.5)/keyRays)
		from := keyLight.add(box.right.times(r * cos)).add(box.up.times(r * sin)).unit()
		all = append(all, ray{from, true})
	}
	for i := range skyRays {
		sin, cos := math.Sincos(float64(i) * golden)
		height := (float64(i) + 0.5) / skyRays
		r := math.Sqrt(1 - height*height)
		all = append(all, ray{vec{r * cos, height, r * sin}, false})
	}
	return all
}

// depthMap is the object as one ray sees it.
type depthMap struct {
	view view
	*raster
}

// shadowOf draws the object along a ray, without perspective. Nearness grows towards the light.
func shadowOf(m *mesh, r ray, into *raster) depthMap {
	d := depthMap{viewAlong(r.from.times(-1)), into}
	into.reset(span{shadowSide, 0, shadowSide})
	corners := make([]projected, len(m.vertices))
	for i, v := range m.vertices {
		corners[i] = d.project(v.at)
	}
	for i, f := range m.faces {
		into.draw(i, corners[f.corners[0]], corners[f.corners[1]], corners[f.corners[2]])
	}
	return d
}

func (d depthMap) project(p vec) projected {
	const scale = shadowSide / (2 * shadowReach)
	at := d.view.onto(p.sub(middle))
	return projected{shadowSide/2 + scale*at.x, shadowSide/2 - scale*at.y, 2*shadowReach - at.z}
}

// lit is how much of the light reaches a place, blended between four samples.
func (d depthMap) lit(p vec) float64 {
	at := d.project(p)
	x, y := math.Floor(at.x-0.5), math.Floor(at.y-0.5)
	fx, fy := at.x-0.5-x, at.y-0.5-y
	left, top := int(x), int(y)
	return (1-fy)*((1-fx)*d.clear(left, top, at)+fx*d.clear(left+1, top, at)) +
		fy*((1-fx)*d.clear(left, top+1, at)+fx*d.clear(left+1, top+1, at))
}

func (d depthMap) clear(x, y int, at projected) float64 {
	if x < 0 || y < 0 || x >= shadowSide || y >= shadowSide {
		return 1
	}
	if float64(d.nearness[y*shadowSide+x]) > at.nearness {
		return 0
	}
	return 1
}

// ground is the light on the table and the floor around it, as a square map.
type ground struct{ key, sky []float64 }

func (g ground) place(i int) vec {
	const scale = 2 * groundReach / (groundSide - 1)
	return vec{float64(i%groundSide)*scale - groundReach, 0, float64(i/groundSide)*scale - groundReach}
}

// illuminate finds out which light reaches each corner of the mesh, and the ground.
func illuminate(m *mesh) ground {
	g := ground{make([]float64, groundSide*groundSide), make([]float64, groundSide*groundSide)}
	buffer := newRaster(span{shadowSide, 0, shadowSide})
	for _, r := range rays() {
		d := shadowOf(m, r, buffer)
		for i := range m.vertices {
			m.vertices[i].receive(r, d)
		}
		for i := range g.key {
			light := d.lit(g.place(i))
			if r.key {
				g.key[i] += light / keyRays
			} else {
				g.sky[i] += 2 * light * r.from.y / skyRays
			}
		}
	}
	m.lightBuried()
	g.key, g.sky = softened(g.key, 2), softened(g.sky, 5)
	return g
}

// lightBuried gives corners that lie inside another part the light of their
// neighbours, because the black of a corner that nobody sees would be spread
// over faces that stick out.
func (m *mesh) lightBuried() {
	const buried = 0.1
	sums := make([]struct{ key, sky, count float64 }, len(m.vertices))
	for _, f := range m.faces {
		for i, corner := range f.corners {
			next := f.corners[(i+1)%3]
			if light := m.vertices[next]; light.sky > buried {
				sum := &sums[corner]
				sum.key, sum.sky, sum.count = sum.key+light.key, sum.sky+light.sky, sum.count+1
			}
		}
	}
	for i, sum := range sums {
		if v := &m.vertices[i]; v.sky <= buried && sum.count > 0 {
			v.key, v.sky = sum.key/sum.count, sum.sky/sum.count
		}
	}
}

func (v *vertex) receive(r ray, d depthMap) {
	const lift = 0.06 // off the surface, so that it does not shade itself
	facing := v.normal.dot(r.from)
	if facing <= 0 {
		return
	}
	light := facing * d.lit(v.at.add(v.normal.times(lift)))
	if r.key {
		v.key += light / keyRays
	} else {
		v.sky += 2 * light / skyRays
	}
}

// softened averages a map over squares, twice, so that single rays leave no traces.
func softened(light []float64, radius int) []float64 {
	for range 2 {
		light = transposedMean(transposedMean(light, radius), radius)
	}
	return light
}

// transposedMean averages along the rows and returns the result with rows as columns.
func transposedMean(light []float64, radius int) []float64 {
	mean := make([]float64, len(light))
	for i := range light {
		row, column := i/groundSide, i%groundSide
		first, last := max(column-radius, 0), min(column+radius, groundSide-1)
		sum := 0.0
		for _, value := range light[row*groundSide+first : row*groundSide+last+1] {
			sum += value
		}
		mean[column*groundSide+row] = sum / float64(last-first+1)
	}
	return mean
}

// at returns the shares of key light and sky at a place on the ground. Far away
// they fade to 1, so that the map has no border.
func (g ground) at(x, z float64) (key, sky float64) {
	const scale = (groundSide - 1) / (2 * groundReach)
	column, row := (x+groundReach)*scale, (z+groundReach)*scale
	if column < 0 || row < 0 || column >= groundSide-1 || row >= groundSide-1 {
		return 1, 1
	}
	i := int(row)*groundSide + int(column)
	fx, fz := column-math.Floor(column), row-math.Floor(row)
	blend := func(light []float64) float64 {
		return (1-fz)*((1-fx)*light[i]+fx*light[i+1]) + fz*((1-fx)*light[i+groundSide]+fx*light[i+groundSide+1])
	}
	far := smooth(0.6*groundReach, groundReach, math.Hypot(x, z))
	key, sky = blend(g.key), blend(g.sky)
	return key + (1-key)*far, sky + (1-sky)*far
}
