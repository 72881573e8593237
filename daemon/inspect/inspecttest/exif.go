package inspecttest

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// EXIF is the data that a camera writes with a photo. What is zero is left out.
type EXIF struct {
	Captured      time.Time
	Width, Height int
	Exposure      uint32 // 1/Exposure of a second
	ISO           uint16
	Orientation   uint16 // zero: upright
	Thumbnail     []byte
}

// Block is a TIFF structure: the directories of the image and the camera, and that of the thumbnail.
func (e EXIF) Block() []byte {
	const header = "MM\x00\x2a\x00\x00\x00\x08"
	directories := func(cameraAt, thumbnailAt int) (image, camera []byte) {
		return directory(len(header), e.imageTags(cameraAt), thumbnailAt),
			directory(cameraAt, e.cameraTags(), 0)
	}
	image, camera := directories(0, 0) // their lengths do not depend on their pointers
	cameraAt := len(header) + len(image)
	thumbnailAt, thumbnail := 0, []byte(nil)
	if e.Thumbnail != nil {
		thumbnailAt = cameraAt + len(camera)
		tags := func(at int) []tag { return []tag{long(0x0201, uint32(at)), long(0x0202, uint32(len(e.Thumbnail)))} }
		thumbnail = directory(thumbnailAt, tags(0), 0)
		thumbnail = append(directory(thumbnailAt, tags(thumbnailAt+len(thumbnail)), 0), e.Thumbnail...)
	}
	image, camera = directories(cameraAt, thumbnailAt)
	return slices.Concat([]byte(header), image, camera, thumbnail)
}

func (e EXIF) imageTags(cameraAt int) []tag {
	return []tag{
		text(0x010f, "spinsync"),  // Make
		text(0x0110, "Turntable"), // Model
		short(0x0112, max(e.Orientation, 1)),
		ratio(0x011a, 300, 1), // XResolution
		ratio(0x011b, 300, 1), // YResolution
		short(0x0128, 2),      // ResolutionUnit: inch
		text(0x0132, e.Captured.Format(exifTime)),
		short(0x0213, 1), // YCbCrPositioning: centred
		long(0x8769, uint32(cameraAt)),
	}
}

func (e EXIF) cameraTags() []tag {
	var tags []tag
	if e.Exposure != 0 {
		tags = append(tags, ratio(0x829a, 1, e.Exposure), short(0x8827, e.ISO))
	}
	tags = append(tags,
		raw(0x9000, "0232"), // ExifVersion
		text(0x9003, e.Captured.Format(exifTime)),
		text(0x9004, e.Captured.Format(exifTime)),
		text(0x9010, e.Captured.Format("-07:00")),
		text(0x9011, e.Captured.Format("-07:00")),
		raw(0x9101, "\x01\x02\x03\x00"), // ComponentsConfiguration: Y, Cb, Cr
	)
	if e.Captured.Nanosecond() != 0 {
		tags = append(tags,
			text(0x9290, subSeconds(e.Captured)),
			text(0x9291, subSeconds(e.Captured)), // of DateTimeOriginal
		)
	}
	return append(tags,
		raw(0xa000, "0100"), // FlashpixVersion
		short(0xa001, 1),    // ColorSpace: sRGB
		long(0xa002, uint32(e.Width)),
		long(0xa003, uint32(e.Height)),
	)
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

func ratio(id uint16, value, over uint32) tag {
	return tag{id, 5, 1, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, value), over)}
}

// directory lays out tags, in ascending order, at a place of the TIFF structure. next is the place of
// the directory that follows, or 0.
func directory(at int, tags []tag, next int) []byte {
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
	entries = binary.BigEndian.AppendUint32(entries, uint32(next))
	return append(entries, data...)
}

// even pads a value, because TIFF wants each at an even place.
func even(value []byte) []byte {
	if len(value)%2 == 1 {
		return append(value, 0)
	}
	return value
}
