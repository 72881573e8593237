package frame

import (
	"image"
	"image/color"
	"testing"
)

// Each orientation must bring the photo's first pixel to where it belongs by EXIF.
func TestPhotosStandUpright(t *testing.T) {
	photo := image.NewRGBA(image.Rect(0, 0, 3, 2))
	photo.SetRGBA(0, 0, color.RGBA{255, 0, 0, 255})
	for orientation, corner := range map[Orientation]image.Point{
		1: {0, 0}, 2: {2, 0}, 3: {2, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 2}, 8: {0, 2},
	} {
		turned := orientation.Apply(photo)
		if r, _, _, _ := turned.At(corner.X, corner.Y).RGBA(); r == 0 {
			t.Errorf("orientation %d: the first pixel is not at %v", orientation, corner)
		}
		if wide := turned.Bounds().Dx() > turned.Bounds().Dy(); wide != (orientation < 5) {
			t.Errorf("orientation %d: the photo is %v", orientation, turned.Bounds().Size())
		}
	}
}
