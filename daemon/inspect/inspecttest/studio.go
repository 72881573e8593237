package inspecttest

import "math"

// colour is linear light: red, green, blue, 1 is white paper in full light.
type colour = vec

func grey(level float64) colour { return colour{level, level, level} }

// srgb returns the colour whose usual notation is the three bytes of rgb.
func srgb(rgb uint32) colour {
	linear := func(shift uint) float64 { return math.Pow(float64(rgb>>shift&255)/255, 2.2) }
	return colour{linear(16), linear(8), linear(0)}
}

// studio is the room that a glossy surface mirrors.
type studio struct{ softBox, strip window }

func newStudio() studio {
	return studio{
		softBox: window{viewAlong(keyLight), 0.36, 0.30},
		strip:   window{viewAlong(vec{0.88, 0.38, 0.35}), 0.10, 0.60},
	}
}

const horizon = 0.15 // half the height over which floor and room pass into each other

// seen is the light that comes from a direction: a white room that is dark
// behind the camera, the soft box, a narrow light on the right, and the floor.
func (s studio) seen(direction vec) colour {
	floor := 0.55 * smooth(-1.2, 0.1, direction.y)
	if direction.y < -horizon {
		return grey(floor)
	}
	behindCamera := smooth(-0.2, 0.9, 0.25*direction.y+0.97*direction.z)
	light := 0.62 - 0.5*behindCamera + 0.25*smooth(0.5, 1, direction.y)
	light = floor + (light-floor)*smooth(-horizon, horizon, direction.y)
	return grey(light + 4.2*s.softBox.covers(direction) + 1.6*s.strip.covers(direction))
}

// window is a rectangle of light; half its width and height as tangents.
type window struct {
	view                  view
	halfWidth, halfHeight float64
}

// covers is 1 for directions inside the window, with soft borders.
func (w window) covers(direction vec) float64 {
	const border = 0.03
	at := w.view.onto(direction)
	if at.z <= 0 {
		return 0
	}
	x, y := math.Abs(at.x/at.z), math.Abs(at.y/at.z)
	return (1 - smooth(w.halfWidth-border, w.halfWidth+border, x)) * (1 - smooth(w.halfHeight-border, w.halfHeight+border, y))
}

// backdrop is the seamless paper at a height of the frame, 0 at its top and 1 at its bottom.
func backdrop(height float64) colour {
	return grey(0.63 + 0.17*smooth(0.05, 0.85, height))
}
