// Package upright turns a photo as its EXIF orientation says, which is how the camera was held.
package upright

import (
	"image"
	"io"
	"slices"

	"github.com/bep/imagemeta"
)

// Orientation is the value of the EXIF tag of that name: 1 to 8.
type Orientation uint16

// AsStored is the orientation of a photo that stands upright already.
const AsStored Orientation = 1

// Read reads the orientation of a photo in a format as package image names it. Metadata that cannot
// be read is that of an upright photo, because its pixels can still be shown.
func Read(file io.ReadSeeker, format string) Orientation {
	formats := map[string]imagemeta.ImageFormat{
		"jpeg": imagemeta.JPEG, "png": imagemeta.PNG, "tiff": imagemeta.TIFF, "webp": imagemeta.WebP,
	}
	known, ok := formats[format]
	if _, err := file.Seek(0, io.SeekStart); err != nil || !ok {
		return AsStored
	}
	found := AsStored
	_, err := imagemeta.Decode(imagemeta.Options{
		R:           file,
		ImageFormat: known,
		Sources:     imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool {
			return tag.Tag == "Orientation" && tag.Namespace == "IFD0"
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			if value, ok := tag.Value.(uint16); ok {
				found = Orientation(value)
			}
			return imagemeta.ErrStopWalking
		},
	})
	if err != nil || found < 1 || found > 8 {
		return AsStored
	}
	return found
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
	if o == AsStored {
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
