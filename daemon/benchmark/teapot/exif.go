package main

import (
	"encoding/binary"
	"fmt"
	"time"
)

// taken is the time in the EXIF data. The demo writes its own in the place of it.
var taken = time.Date(2001, 2, 3, 4, 5, 6, 789_000_000, time.FixedZone("", 60*60))

// exif is a TIFF structure of two directories: the image's and the camera's.
func exif(captured time.Time, width, height int) []byte {
	const header = "MM\x00\x2a\x00\x00\x00\x08"
	directories := func(cameraAt int) (image, camera []byte) {
		return directory(len(header), imageTags(captured, cameraAt)),
			directory(cameraAt, cameraTags(captured, width, height))
	}
	image, _ := directories(0) // its length does not depend on its pointers
	image, camera := directories(len(header) + len(image))
	return append(append([]byte(header), image...), camera...)
}

func imageTags(captured time.Time, cameraAt int) []tag {
	return []tag{
		text(0x010f, "spinsync"),  // Make
		text(0x0110, "Turntable"), // Model
		short(0x0112, 1),          // Orientation: upright
		ratio(0x011a, 300),        // XResolution
		ratio(0x011b, 300),        // YResolution
		short(0x0128, 2),          // ResolutionUnit: inch
		text(0x0132, captured.Format(exifTime)),
		short(0x0213, 1), // YCbCrPositioning: centred
		long(0x8769, uint32(cameraAt)),
	}
}

func cameraTags(captured time.Time, width, height int) []tag {
	return []tag{
		raw(0x9000, "0232"), // ExifVersion
		text(0x9003, captured.Format(exifTime)),
		text(0x9004, captured.Format(exifTime)),
		text(0x9010, captured.Format("-07:00")),
		text(0x9011, captured.Format("-07:00")),
		raw(0x9101, "\x01\x02\x03\x00"), // ComponentsConfiguration: Y, Cb, Cr
		text(0x9290, subSeconds(captured)),
		text(0x9291, subSeconds(captured)), // of DateTimeOriginal
		raw(0xa000, "0100"),                // FlashpixVersion
		short(0xa001, 1),                   // ColorSpace: sRGB
		long(0xa002, uint32(width)),
		long(0xa003, uint32(height)),
	}
}

const exifTime = "2006:01:02 15:04:05"

// subSeconds are the digits behind the decimal point.
func subSeconds(t time.Time) string { return fmt.Sprintf("%03d", t.Nanosecond()/1e6) }

// tag is one entry of a TIFF directory. Values of more than four bytes are kept behind it.
type tag struct {
	id, kind uint16
	count    int
	value    []byte
}

func text(id uint16, s string) tag { return tag{id, 2, len(s) + 1, append([]byte(s), 0)} }
func raw(id uint16, s string) tag  { return tag{id, 7, len(s), []byte(s)} }

func short(id, value uint16) tag {
	return tag{id, 3, 1, binary.BigEndian.AppendUint16(nil, value)}
}

func long(id uint16, value uint32) tag {
	return tag{id, 4, 1, binary.BigEndian.AppendUint32(nil, value)}
}

func ratio(id uint16, value uint32) tag {
	return tag{id, 5, 1, append(binary.BigEndian.AppendUint32(nil, value), 0, 0, 0, 1)}
}

// directory lays out tags, in ascending order, at a place of the TIFF structure.
func directory(at int, tags []tag) []byte {
	const pointer = 4
	dataAt := at + 2 + 12*len(tags) + pointer
	entries := binary.BigEndian.AppendUint16(nil, uint16(len(tags)))
	var data []byte
	for _, t := range tags {
		entries = binary.BigEndian.AppendUint16(entries, t.id)
		entries = binary.BigEndian.AppendUint16(entries, t.kind)
		entries = binary.BigEndian.AppendUint32(entries, uint32(t.count))
		value := t.value
		if len(value) > pointer {
			value = binary.BigEndian.AppendUint32(nil, uint32(dataAt+len(data)))
			data = append(data, even(t.value)...)
		}
		entries = append(entries, value...)
		entries = append(entries, make([]byte, pointer-len(value))...)
	}
	entries = append(entries, make([]byte, pointer)...) // no next directory
	return append(entries, data...)
}

// even pads a value, because TIFF wants each at an even place.
func even(value []byte) []byte {
	if len(value)%2 == 1 {
		return append(value, 0)
	}
	return value
}
