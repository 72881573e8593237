package inspecttest

import "math"

// vec is a point or a direction. y points up; the turntable's top is y = 0.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec            { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec            { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) times(f float64) vec      { return vec{a.x * f, a.y * f, a.z * f} }
func (a vec) dot(b vec) float64        { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) mix(b vec, t float64) vec { return a.add(b.sub(a).times(t)) }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

func (a vec) unit() vec { return a.times(1 / math.Sqrt(a.dot(a))) }

// reflect mirrors a direction that leaves the surface about its normal.
func (a vec) reflect(normal vec) vec { return normal.times(2 * a.dot(normal)).sub(a) }

// turn is a rotation about the vertical axis.
type turn struct{ sin, cos float64 }

func turnBy(angle float64) turn {
	sin, cos := math.Sincos(angle)
	return turn{sin, cos}
}

func (t turn) apply(a vec) vec { return vec{a.x*t.cos + a.z*t.sin, a.y, a.z*t.cos - a.x*t.sin} }
func (t turn) back() turn      { return turn{-t.sin, t.cos} }

// view is a right-handed set of axes seen along forward.
type view struct{ right, up, forward vec }

func viewAlong(forward vec) view {
	forward = forward.unit()
	right := forward.cross(vec{0, 1, 0}).unit()
	return view{right, right.cross(forward), forward}
}

// onto returns a point's coordinates along right, up and forward.
func (v view) onto(p vec) vec { return vec{v.right.dot(p), v.up.dot(p), v.forward.dot(p)} }

// smooth rises from 0 at low to 1 at high with level ends.
func smooth(low, high, x float64) float64 {
	t := min(max((x-low)/(high-low), 0), 1)
	return t * t * (3 - 2*t)
}
