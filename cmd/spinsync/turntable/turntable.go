// Package turntable makes the photos of a shoot that never took place: a
// glazed teapot with a painted landscape, photographed all around on light grey
// paper. The demo publishes it, and tests may use it wherever real photos of a
// turning object are wanted.
//
// Everything is drawn from a few curves: a z-buffer rasteriser with four
// samples to a pixel, a soft box and a white room that stand still while the
// table turns, soft shadows, sensor noise. The same Shoot gives the same
// pixels on the same machine. The package reads nothing, and writes only below
// the directory that Camera is given.
package turntable

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
	"time"
)

// Shoot is one object on the turntable, photographed all around. Frame i shows
// it after i / Frames of a full turn; the indices start at 0 and go round.
type Shoot struct {
	Frames        int
	Width, Height int // of a frame, in pixels
	Variant       int // 0: blue glaze and a sun; 1: green glaze and a moon
}

// jpegQuality is what cameras call fine.
const jpegQuality = 90

// Frame draws frame i.
func (s Shoot) Frame(i int) image.Image {
	i = s.index(i)
	img := image.NewRGBA(image.Rect(0, 0, s.Width, s.Height))
	angle := 2 * math.Pi * float64(i) / float64(s.Frames)
	newScene(s, angle).render(img, grain(i))
	return img
}

// Name is the file name of frame i: frame_01.jpg for the first.
func (s Shoot) Name(i int) string {
	width := max(2, len(fmt.Sprint(s.Frames)))
	return fmt.Sprintf("frame_%0*d.jpg", width, s.index(i)+1)
}

// WriteFrame writes frame i as a JPEG with EXIF data. Every third frame, the
// first included, carries its alt texts in an XMP packet.
func (s Shoot) WriteFrame(w io.Writer, i int, captured time.Time) error {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, s.Frame(i), &jpeg.Options{Quality: jpegQuality}); err != nil {
		return err
	}
	segments := app1("Exif\x00\x00", exif(captured, s.Width, s.Height))
	if s.embedsAltTexts(i) {
		segments = append(segments, app1("http://ns.adobe.com/xap/1.0/\x00", xmp(s.altTexts(i)))...)
	}
	startOfImage, rest := file.Bytes()[:2], file.Bytes()[2:]
	for _, part := range [][]byte{startOfImage, segments, rest} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (s Shoot) embedsAltTexts(i int) bool { return s.index(i)%3 == 0 }

func (s Shoot) index(i int) int { return (i%s.Frames + s.Frames) % s.Frames }
