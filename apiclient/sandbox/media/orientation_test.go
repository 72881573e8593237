package media_test

import (
	"image"
	"image/color"
	"strings"
	"testing"
)

const patch = 16 // pixels; JPEG keeps a patch of this size one colour

var letters = "ABCDEF"

// patches draws rows of letters, each as a square of its own grey.
func patches(rows ...string) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, patch*len(rows[0]), patch*len(rows)))
	for i := range img.Pix {
		x, y := i%img.Stride, i/img.Stride
		img.Pix[i] = uint8(20 + 40*strings.IndexByte(letters, rows[y/patch][x/patch]))
	}
	return img
}

// read is the reverse of patches.
func read(img image.Image) string {
	var rows []string
	for y := patch / 2; y < img.Bounds().Dy(); y += patch {
		var row strings.Builder
		for x := patch / 2; x < img.Bounds().Dx(); x += patch {
			grey := color.GrayModel.Convert(img.At(x, y)).(color.Gray)
			row.WriteByte(letters[grey.Y/40])
		}
		rows = append(rows, row.String())
	}
	return strings.Join(rows, " ")
}

// withOrientation puts an EXIF block with that one tag behind the start of a JPEG.
func withOrientation(file []byte, value byte) []byte {
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08" +
		"\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(value) + "\x00\x00\x00\x00\x00\x00"
	return append([]byte("\xff\xd8"+exif), file[2:]...)
}

func TestOrientationIsHonoured(t *testing.T) {
	stored := jpegBytes(t, patches("AB", "CD", "EF"))
	for value, want := range map[byte]string{
		0: "AB CD EF",
		1: "AB CD EF",
		2: "BA DC FE",
		3: "FE DC BA",
		4: "EF CD AB",
		5: "ACE BDF",
		6: "ECA FDB",
		7: "FDB ECA",
		8: "BDF ACE",
		9: "AB CD EF",
	} {
		img, _, _ := transformed(t, withOrientation(stored, value), nil, "image.png")
		if got := read(img); got != want {
			t.Errorf("orientation %d shows %s, want %s", value, got, want)
		}
	}
}

func TestWidthIsThatOfTheTurnedImage(t *testing.T) {
	source := withOrientation(jpegBytes(t, photo(160, 80)), 6)
	img, _, _ := transformed(t, source, []string{"resize;w_40"}, "image.webp")
	if got, want := img.Bounds().Size(), image.Pt(40, 80); got != want {
		t.Errorf("size %v, want %v", got, want)
	}
}
