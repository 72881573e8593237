package frame

import (
	"image"
	"io"
	"slices"
)

// Orientation is the value of EXIF's tag of that name, 1 to 8: how the camera was held. Zero =
// unknown.
type Orientation uint16

// Upright is the orientation of a photo that needs no turning.
const Upright Orientation = 1

// OrientationOf reads the orientation of a photo. A photo whose metadata cannot be read counts as
// upright, because its pixels can still be shown.
func OrientationOf(photo io.ReadSeeker) Orientation {
	size, err := photo.Seek(0, io.SeekEnd)
	if err != nil {
		return Upright
	}
	info, err := Meta(readerAt{photo}, size)
	if err != nil || info.Orientation == 0 {
		return Upright
	}
	return info.Orientation
}

// readerAt moves the position of a reader, which nobody else may use until it is done.
type readerAt struct{ from io.ReadSeeker }

func (r readerAt) ReadAt(p []byte, offset int64) (int, error) {
	if _, err := r.from.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(r.from, p)
}

// Size returns the size of a photo after turning. The other way round it is the same.
func (o Orientation) Size(stored image.Point) image.Point {
	if o.transposed() {
		return image.Pt(stored.Y, stored.X)
	}
	return stored
}

func (o Orientation) transposed() bool { return o >= 5 }

// Apply turns a photo.
func (o Orientation) Apply(photo image.Image) image.Image {
	if o == Upright {
		return photo
	}
	stored := photo.Bounds()
	turned := image.NewRGBA(image.Rectangle{Max: o.Size(stored.Size())})
	for y := range turned.Rect.Dy() {
		for x := range turned.Rect.Dx() {
			turned.Set(x, y, photo.At(o.source(x, y, stored)))
		}
	}
	return turned
}

// source returns the place in the stored photo that is shown at x, y.
func (o Orientation) source(x, y int, stored image.Rectangle) (int, int) {
	if o.transposed() {
		x, y = y, x
	}
	if slices.Contains([]Orientation{2, 3, 7, 8}, o) {
		x = stored.Dx() - 1 - x
	}
	if slices.Contains([]Orientation{3, 4, 6, 7}, o) {
		y = stored.Dy() - 1 - y
	}
	return stored.Min.X + x, stored.Min.Y + y
}
