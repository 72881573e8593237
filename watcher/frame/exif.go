package frame

import (
	"bytes"
	"strings"
	"time"
)

const exifPrefix = "Exif\x00\x00"

// A Shot is what EXIF says of how a photo was taken. What EXIF lacks is zero.
type Shot struct {
	Camera, Lens string
	Exposure     float64 // seconds
	Aperture     float64 // the f-number
	ISO          int64
	WhiteBalance string // "auto" or "manual"
}

// A Thumbnail is the place of the JPEG that EXIF holds. A camera makes it with the photo. No program
// promises that it still shows the photo, or that it is whole. Length 0 = none.
type Thumbnail struct{ Offset, Length int64 }

// exif is what this package takes from an EXIF block. The thumbnail's place is within the block.
type exif struct {
	captured    time.Time
	orientation Orientation
	shot        Shot
	thumbnail   Thumbnail
}

// exifIn reads an EXIF block. What the block lacks is zero: a picture with broken EXIF is still a
// picture.
func exifIn(block []byte) exif {
	t, first, err := openTIFF(bytes.NewReader(block), int64(len(block)))
	if err != nil {
		return exif{}
	}
	dir, err := t.directory(first)
	if err != nil {
		return exif{}
	}
	found := exif{orientation: t.orientation(dir), thumbnail: t.thumbnail(dir.next)}
	if below, err := t.exifDirectory(dir); err == nil {
		found.shot = t.shot(dir, below)
		found.captured, _ = t.captured(below)
	}
	return found
}

// thumbnail reads the place of the JPEG in the directory that follows the first one.
func (t *tiffReader) thumbnail(second int64) Thumbnail {
	if second == 0 {
		return Thumbnail{}
	}
	dir, err := t.directory(second)
	if err != nil {
		return Thumbnail{}
	}
	place := Thumbnail{Offset: t.number(dir.entries[tagJPEGOffset]), Length: t.number(dir.entries[tagJPEGLength])}
	if place.Offset == 0 || !t.holds(place.Offset, place.Length) {
		return Thumbnail{}
	}
	return place
}

// shot reads a photo's first directory and its EXIF directory. A value that cannot be read is missing.
func (t *tiffReader) shot(dir, below directory) Shot {
	return Shot{
		Camera:       t.camera(dir),
		Lens:         t.word(below.entries[tagLens]),
		Exposure:     t.fraction(below.entries[tagExposure]),
		Aperture:     t.fraction(below.entries[tagAperture]),
		ISO:          t.number(below.entries[tagISO]),
		WhiteBalance: t.whiteBalance(below.entries[tagWhiteBalance]),
	}
}

// camera joins maker and model. Many models begin with their maker.
func (t *tiffReader) camera(dir directory) string {
	maker, model := t.word(dir.entries[tagMaker]), t.word(dir.entries[tagModel])
	if strings.HasPrefix(model, maker) {
		return model
	}
	return strings.TrimSpace(maker + " " + model)
}

func (t *tiffReader) whiteBalance(e entry) string {
	if e.count() == 0 || e.width != 2 {
		return ""
	}
	switch value, err := t.numbers(e, 0, 1); {
	case err == nil && value[0] == 0:
		return "auto"
	case err == nil && value[0] == 1:
		return "manual"
	}
	return ""
}

// number reads the first of an entry's whole numbers, 0 if there is none.
func (t *tiffReader) number(e entry) int64 {
	if e.count() == 0 || e.width > 4 {
		return 0
	}
	value, err := t.numbers(e, 0, 1)
	if err != nil {
		return 0
	}
	return value[0]
}

// fraction reads an entry of two numbers, one over the other, 0 if that makes no sense.
func (t *tiffReader) fraction(e entry) float64 {
	if e.width != 8 || e.count() == 0 {
		return 0
	}
	value, err := t.numbers(entry{width: 4, at: e.at, length: 8}, 0, 2)
	if err != nil || value[1] == 0 {
		return 0
	}
	return float64(value[0]) / float64(value[1])
}

// word is text without an error: what cannot be read is missing.
func (t *tiffReader) word(e entry) string {
	text, err := t.text(e)
	if err != nil {
		return ""
	}
	return text
}

// orientation reads the tag of that name, 0 if there is none.
func (t *tiffReader) orientation(dir directory) Orientation {
	e := dir.entries[tagOrientation]
	if e.width != 2 || e.count() != 1 {
		return 0
	}
	value, err := t.numbers(e, 0, 1)
	if err != nil || value[0] < 1 || value[0] > 8 {
		return 0
	}
	return Orientation(value[0])
}

// exifDirectory reads the EXIF directory that a directory points to. Without one it is empty.
func (t *tiffReader) exifDirectory(dir directory) (directory, error) {
	pointer, ok := dir.entries[tagEXIF]
	if !ok || pointer.width < 4 || pointer.count() != 1 {
		return directory{}, nil
	}
	at, err := t.numbers(pointer, 0, 1)
	if err != nil {
		return directory{}, err
	}
	return t.directory(at[0])
}

// captured reads DateTimeOriginal and SubSecTimeOriginal (EXIF 2.31, 4.6.6.4) of the EXIF directory.
func (t *tiffReader) captured(below directory) (captured time.Time, err error) {
	var fields [2]string
	for i, tag := range []uint16{tagCaptured, tagCapturedSeconds} {
		if fields[i], err = t.text(below.entries[tag]); err != nil {
			return time.Time{}, err
		}
	}
	return parseCaptured(fields[0], fields[1]), nil
}

// text reads a short ASCII value.
func (t *tiffReader) text(e entry) (string, error) {
	const longest = 64
	if e.width != 1 {
		return "", nil
	}
	p, err := t.read(e.at, min(e.length, longest))
	if err != nil {
		return "", err
	}
	text, _, _ := strings.Cut(string(p), "\x00")
	return strings.TrimSpace(text), nil
}

// parseCaptured puts the parts of a capture time together. A fraction that makes no sense is left out;
// a date that makes none, such as the 0000:00:00 of a camera without a clock, is zero.
func parseCaptured(date, fraction string) time.Time {
	for _, best := range []string{date + "." + fraction, date} {
		if t, err := time.Parse("2006:01:02 15:04:05", best); err == nil && t.Year() > 0 {
			return t
		}
	}
	return time.Time{}
}
