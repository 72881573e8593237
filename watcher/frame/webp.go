package frame

import (
	"bytes"
	"encoding/binary"
)

// webp compares the length that RIFF states with the file's, and walks the chunks inside.
func (f *file) webp() error {
	f.info.ContentType = "image/webp"
	head, err := f.next(12)
	if err != nil {
		return err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(head[4:]))
	if end > f.size {
		return errCut
	}
	var picture bool
	for f.pos()+8 <= end {
		head, err := f.next(8)
		if err != nil {
			return err
		}
		kind, length := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		if length > end-f.pos() {
			return broken("its " + kind + " chunk is longer than the file")
		}
		picture = picture || kind == "VP8 " || kind == "VP8L" || kind == "ANMF"
		// Chunks are padded to an even length; some writers forget the last one's pad.
		next := min(f.pos()+length+length%2, end)
		if err := f.webpChunk(kind, length); err != nil {
			return err
		}
		if err := f.skip(next - f.pos()); err != nil {
			return err
		}
	}
	if !picture {
		return broken("there is no picture in it")
	}
	return nil
}

// webpChunk consumes as much of a chunk as it needs to keep what it tells.
func (f *file) webpChunk(kind string, length int64) error {
	switch kind {
	case "EXIF", "XMP ":
		data, err := f.take(length)
		if err != nil {
			return err
		}
		if kind == "EXIF" {
			f.setEXIF(bytes.TrimPrefix(data, []byte(exifPrefix)))
		} else {
			f.setXMP(data)
		}
	case "VP8X", "VP8 ", "VP8L":
		data, err := f.next(int(min(length, 10)))
		if err != nil {
			return err
		}
		if f.info.Width == 0 {
			f.info.Width, f.info.Height = webpSize(kind, data)
		}
	}
	return nil
}

// webpSize reads the size of the picture from the beginning of its chunk; 0 = unknown.
func webpSize(kind string, data []byte) (width, height int) {
	switch {
	case kind == "VP8X" && len(data) >= 10:
		wide := binary.LittleEndian.Uint32(data[3:]) >> 8
		high := binary.LittleEndian.Uint32(data[6:]) >> 8
		return int(wide) + 1, int(high) + 1
	case kind == "VP8 " && len(data) >= 10:
		wide := binary.LittleEndian.Uint16(data[6:])
		high := binary.LittleEndian.Uint16(data[8:])
		return int(wide & 0x3fff), int(high & 0x3fff)
	case kind == "VP8L" && len(data) >= 5:
		bits := binary.LittleEndian.Uint32(data[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	}
	return 0, 0
}
