package frame

import (
	"bytes"
	"strings"
	"time"
)

const exifPrefix = "Exif\x00\x00"

// exifIn reads an EXIF block. What the block lacks is zero: a picture with broken EXIF is still a
// picture.
func exifIn(block []byte) (captured time.Time, orientation Orientation) {
	t, first, err := openTIFF(bytes.NewReader(block), int64(len(block)))
	if err != nil {
		return time.Time{}, 0
	}
	dir, err := t.directory(first)
	if err != nil {
		return time.Time{}, 0
	}
	if captured, err = t.captured(dir); err != nil {
		captured = time.Time{}
	}
	return captured, t.orientation(dir)
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

// captured reads DateTimeOriginal and SubSecTimeOriginal (EXIF 2.31, 4.6.6.4) of the EXIF directory
// that dir points to.
func (t *tiffReader) captured(dir directory) (time.Time, error) {
	pointer, ok := dir.entries[tagEXIF]
	if !ok || pointer.width < 4 || pointer.count() != 1 {
		return time.Time{}, nil
	}
	at, err := t.numbers(pointer, 0, 1)
	if err != nil {
		return time.Time{}, err
	}
	exif, err := t.directory(at[0])
	if err != nil {
		return time.Time{}, err
	}
	var fields [2]string
	for i, tag := range []uint16{tagCaptured, tagCapturedSeconds} {
		if fields[i], err = t.text(exif.entries[tag]); err != nil {
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
