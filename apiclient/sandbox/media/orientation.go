package media

import (
	"image"
	"io"
	"slices"

	"github.com/bep/imagemeta"
)

// orientation is the value of the EXIF tag of that name: 1 to 8.
type orientation uint16

const upright orientation = 1

var metaFormats = map[string]imagemeta.ImageFormat{
	"jpeg": imagemeta.JPEG,
	"png":  imagemeta.PNG,
	"tiff": imagemeta.TIFF,
	"webp": imagemeta.WebP,
}

// readOrientation takes metadata that cannot be read as an upright image,
// because the pixels can still be shown.
func readOrientation(file io.ReadSeeker, format string) orientation {
	found := upright
	metaFormat, known := metaFormats[format]
	if _, err := file.Seek(0, io.SeekStart); err != nil || !known {
		return found
	}
	_, err := imagemeta.Decode(imagemeta.Options{
		R: file, ImageFormat: metaFormat, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool {
			return tag.Tag == "Orientation" && tag.Namespace == "IFD0"
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			if value, ok := tag.Value.(uint16); ok {
				found = orientation(value)
			}
			return imagemeta.ErrStopWalking
		},
	})
	if err != nil || found < 1 || found > 8 {
		return upright
	}
	return found
}

// size returns the size of an image after turning; the other way round it is the same.
func (o orientation) size(stored image.Point) image.Point {
	if o.transposed() {
		return image.Pt(stored.Y, stored.X)
	}
	return stored
}

func (o orientation) transposed() bool { return o >= 5 }

func (o orientation) apply(img image.Image) image.Image {
	if o == upright {
		return img
	}
	stored := img.Bounds()
	turned := image.NewRGBA(image.Rectangle{Max: o.size(stored.Size())})
	for y := range turned.Rect.Dy() {
		for x := range turned.Rect.Dx() {
			turned.Set(x, y, img.At(o.source(x, y, stored)))
		}
	}
	return turned
}

// source returns the place in the stored image that is shown at x, y.
func (o orientation) source(x, y int, stored image.Rectangle) (int, int) {
	if o.transposed() {
		x, y = y, x
	}
	if slices.Contains([]orientation{2, 3, 7, 8}, o) {
		x = stored.Dx() - 1 - x
	}
	if slices.Contains([]orientation{3, 4, 6, 7}, o) {
		y = stored.Dy() - 1 - y
	}
	return stored.Min.X + x, stored.Min.Y + y
}
