package sandbox

import (
	pixels "image"
	"image/color"
)

// drawPoster draws a play sign: a light triangle on dark grey.
func drawPoster() pixels.Image {
	const width, height, half = 640, 360, 70
	dark, light := color.Gray{Y: 0x22}, color.Gray{Y: 0xdd}
	poster := pixels.NewGray(pixels.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			across, down := x-width/2+half, abs(y-height/2)
			poster.SetGray(x, y, dark)
			if across >= 0 && across <= 2*(half-down) {
				poster.SetGray(x, y, light)
			}
		}
	}
	return poster
}

func abs(n int) int { return max(n, -n) }
