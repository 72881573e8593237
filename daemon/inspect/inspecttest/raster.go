package inspecttest

import "math"

// projected is a corner on the screen: place in samples, and one over its depth,
// which unlike the depth itself is linear across a face.
type projected struct{ x, y, nearness float64 }

// span is the part of a screen that a raster draws: rows from top to below bottom.
type span struct{ width, top, bottom int }

// raster keeps for every sample the nearest face. Nearness 0 is the background.
type raster struct {
	span
	nearness []float32
	face     []int32
}

func newRaster(s span) *raster {
	samples := s.width * (s.bottom - s.top)
	return &raster{s, make([]float32, samples), make([]int32, samples)}
}

func (r *raster) reset(s span) {
	r.span = s
	clear(r.nearness)
}

// draw covers the samples whose centres lie inside the face. A face seen from
// behind is left out: something else of a closed body is always in front of it.
func (r *raster) draw(index int, a, b, c projected) {
	area := edge(a, b, c)
	if area >= 0 {
		return
	}
	left := max(0, int(math.Ceil(min(a.x, b.x, c.x)-0.5)))
	right := min(r.width-1, int(math.Floor(max(a.x, b.x, c.x)-0.5)))
	top := max(r.top, int(math.Ceil(min(a.y, b.y, c.y)-0.5)))
	bottom := min(r.bottom-1, int(math.Floor(max(a.y, b.y, c.y)-0.5)))
	stepA, stepB := (b.y-c.y)/area, (c.y-a.y)/area
	for y := top; y <= bottom; y++ {
		at := projected{x: float64(left) + 0.5, y: float64(y) + 0.5}
		wa, wb := edge(b, c, at)/area, edge(c, a, at)/area
		for i := r.index(left, y); i <= r.index(right, y); i++ {
			wc := 1 - wa - wb
			if wa >= 0 && wb >= 0 && wc >= 0 {
				near := float32(wa*a.nearness + wb*b.nearness + wc*c.nearness)
				if near > r.nearness[i] {
					r.nearness[i], r.face[i] = near, int32(index)
				}
			}
			wa, wb = wa+stepA, wb+stepB
		}
	}
}

func (r *raster) index(x, y int) int { return (y-r.top)*r.width + x }

// hit is what a sample shows. Its place is the sample's centre.
type hit struct {
	face     int
	nearness float32
	x, y     float64
}

func (r *raster) at(x, y int) hit {
	i := r.index(x, y)
	return hit{int(r.face[i]), r.nearness[i], float64(x) + 0.5, float64(y) + 0.5}
}

// edge is twice the signed area of a triangle on the screen.
func edge(a, b, c projected) float64 {
	return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x)
}

// weights returns how much each corner counts at a sample, corrected for perspective.
func weights(a, b, c projected, x, y float64) (wa, wb, wc float64) {
	at := projected{x: x, y: y}
	wa = edge(b, c, at) * a.nearness
	wb = edge(c, a, at) * b.nearness
	wc = edge(a, b, at) * c.nearness
	sum := wa + wb + wc
	return wa / sum, wb / sum, wc / sum
}
