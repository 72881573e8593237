package inspecttest

import "math"

// background is the paper with the shadow that falls on it.
func (sc *scene) background(x, y int) colour {
	direction := sc.camera.through(float64(x*samplesPerSide+1), float64(y*samplesPerSide+1))
	if direction.y >= 0 {
		return sc.paper[y]
	}
	at := sc.camera.place.add(direction.times(-sc.camera.place.y / direction.y))
	key, sky := sc.ground.at(at.x, at.z)
	return sc.paper[y].times(0.5*key + 0.5*sky)
}

// surface shades one sample of a face.
func (sc *scene) surface(h hit) colour {
	f := sc.mesh.faces[h.face]
	wa, wb, wc := weights(sc.corners[f.corners[0]], sc.corners[f.corners[1]], sc.corners[f.corners[2]], h.x, h.y)
	a, b, c := &sc.mesh.vertices[f.corners[0]], &sc.mesh.vertices[f.corners[1]], &sc.mesh.vertices[f.corners[2]]
	at := a.at.times(wa).add(b.at.times(wb)).add(c.at.times(wc))
	normal := a.normal.times(wa).add(b.normal.times(wb)).add(c.normal.times(wc)).unit()
	key := wa*a.key + wb*b.key + wc*c.key
	sky := wa*a.sky + wb*b.sky + wc*c.sky
	local := sc.back.apply(at)
	diffuse := sc.finish.colourAt(f.part, local).times(0.95*key + 0.62*sky + bounce(at, normal))
	if f.part == partClay {
		return diffuse
	}
	return diffuse.add(sc.gloss(sc.camera.place.sub(at).unit(), ridged(normal, local), sky))
}

// bounce is the light that the floor throws back, none of it into the corner below the object.
func bounce(at, normal vec) float64 {
	return 0.30 * (0.5 - 0.5*normal.y) * smooth(-0.1, 0.7, at.y)
}

// ridged tilts a normal as the fingers of a potter leave it.
func ridged(normal, at vec) vec {
	normal.y += 0.012*math.Sin(55*at.y) + 0.008*math.Sin(23*at.y+9*at.x)
	return normal.unit()
}

// gloss is what the clear glaze mirrors, more of it at grazing angles.
func (sc *scene) gloss(toCamera, normal vec, sky float64) colour {
	facing := math.Abs(toCamera.dot(normal))
	graze := (1 - facing) * (1 - facing)
	share := 0.045 + 0.6*graze*graze*(1-facing)
	open := smooth(0, 0.35, sky+0.12)
	return sc.studio.seen(toCamera.reflect(normal)).times(share * open)
}

// tones turns linear light into steps of sRGB, with a soft shoulder above 0.8.
// It holds the curve for light from 0 to toneEnd.
type tones [4096]float32

const toneEnd = 4

func newTones() tones {
	var t tones
	for i := range t {
		light := float64(i) * toneEnd / float64(len(t)-1)
		if light > 0.8 {
			light = 1 - 0.2*math.Exp(-(light-0.8)/0.2)
		}
		t[i] = float32(255 * math.Pow(light, 1/2.2))
	}
	return t
}

func (t *tones) screen(light, noise float64) uint8 {
	place := min(max(light/toneEnd, 0), 0.9999) * float64(len(t)-1)
	i := int(place)
	step := float64(t[i]) + (place-float64(i))*float64(t[i+1]-t[i])
	return uint8(min(max(step+noise+0.5, 0), 255))
}

// grain is the noise of a sensor, of about one step of 255. Each frame has its own.
type grain uint32

func (g grain) at(x, y int) float64 {
	h := scatter(uint32(g)*0x9e3779b9 + scatter(uint32(y)<<16|uint32(x)))
	return (float64(h&0xff) + float64(h>>8&0xff) + float64(h>>16&0xff) - 382.5) / 200
}
