// Package turntable plays a turntable shoot: a glazed teapot with a painted landscape, photographed
// all around. Call Camera with a directory and a Shoot. The demo publishes it, and tests use it where
// they want photos of a turning object.
//
// The pictures are embedded; the times and alt texts in them are rewritten for each photo, as a
// camera does. The package reads nothing, and writes only below the directory that Camera is given.
package turntable

import (
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// The generator in daemon/benchmark/teapot draws the pictures, and writes their EXIF data.
//
//go:embed frames
var pictures embed.FS

// Size of every photo, in pixels, and number of pictures of the full turn.
const (
	Width, Height = 800, 600
	fullTurn      = 36
)

// Glaze is the colour of the teapot.
type Glaze string

const (
	Blue  Glaze = "blue"  // all pictures of the turn
	Green Glaze = "green" // the frames of Reshoot, in a turn of 36
)

// Reshoot are the frames, from 0, that can be photographed again with the green teapot.
var Reshoot = []int{9, 10}

// Shoot is one object on the turntable, photographed all around. Frame i shows it after i / Frames
// of a full turn; the indices start at 0 and go round. Frames divides 36.
type Shoot struct {
	Frames int
	Glaze  Glaze
}

// Name is the file name of frame i: frame_01.jpg for the first.
func (s Shoot) Name(i int) string { return fmt.Sprintf("frame_%02d.jpg", s.index(i)+1) }

// WriteFrame writes frame i as a JPEG with EXIF data. Every third frame, the first included,
// carries its alt texts in an XMP packet.
func (s Shoot) WriteFrame(w io.Writer, i int, captured time.Time) error {
	picture, err := pictures.ReadFile(fmt.Sprintf("frames/%s_%02d.jpg", s.Glaze, s.index(i)*fullTurn/s.Frames+1))
	if err != nil {
		return err
	}
	data, err := exif(captured)
	if err != nil {
		return err
	}
	segments := app1("Exif\x00\x00", data)
	if s.embedsAltTexts(i) {
		segments = append(segments, app1("http://ns.adobe.com/xap/1.0/\x00", xmp(s.altTexts(i)))...)
	}
	startOfImage, rest := picture[:2], picture[2:]
	for _, part := range [][]byte{startOfImage, segments, rest} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// exif is the EXIF data of a photo: that of all of them, with another time.
func exif(captured time.Time) ([]byte, error) {
	data, err := pictures.ReadFile("frames/exif.tiff")
	now := strings.NewReplacer(
		"2001:02:03 04:05:06", captured.Format("2006:01:02 15:04:05"),
		"+01:00", captured.Format("-07:00"),
		"789", captured.Format(".000")[1:])
	return []byte(now.Replace(string(data))), err
}

// app1 is a JPEG segment that begins with an identifier. Its length counts itself.
func app1(identifier string, content []byte) []byte {
	segment := []byte{0xff, 0xe1}
	segment = binary.BigEndian.AppendUint16(segment, uint16(2+len(identifier)+len(content)))
	segment = append(segment, identifier...)
	return append(segment, content...)
}

func (s Shoot) embedsAltTexts(i int) bool { return s.index(i)%3 == 0 }

func (s Shoot) index(i int) int { return (i%s.Frames + s.Frames) % s.Frames }
