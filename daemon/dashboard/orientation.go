package dashboard

import (
	"image"
	"io"

	"github.com/bep/imagemeta"
)

// orientation reads the EXIF tag of that name, 1 to 8. Metadata that cannot be read is an upright
// photo, because its pixels can still be shown.
func orientation(file io.ReadSeeker) int {
	found := 1
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return found
	}
	// Only a JPEG of a camera carries the tag. Pictures of other programs stand upright.
	_, err := imagemeta.Decode(imagemeta.Options{
		R:           file,
		ImageFormat: imagemeta.JPEG,
		Sources:     imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool {
			return tag.Tag == "Orientation" && tag.Namespace == "IFD0"
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			if value, ok := tag.Value.(uint16); ok {
				found = int(value)
			}
			return imagemeta.ErrStopWalking
		},
	})
	if err != nil || found < 1 || found > 8 {
		return 1
	}
	return found
}

// upright turns a photo as its orientation asks for.
func upright(photo *image.RGBA, orientation int) image.Image {
	if orientation == 1 {
		return photo
	}
	w, h := photo.Rect.Dx(), photo.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	turned := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			fromX, fromY := source(orientation, x, y, w, h)
			turned.SetRGBA(x, y, photo.RGBAAt(fromX, fromY))
		}
	}
	return turned
}

// source is the pixel of a stored photo of w by h that belongs at x, y.
func source(orientation, x, y, w, h int) (fromX, fromY int) {
	switch orientation {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}
