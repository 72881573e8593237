package frame

import (
	"bytes"
	"encoding/binary"
)

// webp compares the length that RIFF states with the file's, and walks the chunks inside. Zeros at
// the end of picture data are no damage: a lossy picture ends so where its floor is white.
func (f *file) webp() error {
	f.info.ContentType = "image/webp"
	head, err := f.in.next(12)
	if err != nil {
		return err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(head[4:]))
	if end > f.in.size {
		return errCut
	}
	var picture bool
	for f.in.pos()+8 <= end {
		head, err := f.in.next(8)
		if err != nil {
			return err
		}
		kind, length := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		if length > end-f.in.pos() {
			return broken("its " + kind + " chunk is longer than the file")
		}
		switch kind {
		case "VP8 ", "VP8L", "ANMF":
			picture = true
		case "\x00\x00\x00\x00":
			return errZeros
		}
		// Chunks are padded to an even length; some writers forget the last one's pad.
		next := min(f.in.pos()+length+length%2, end)
		if err := f.webpChunk(kind, length); err != nil {
			return err
		}
		if err := f.in.skip(next - f.in.pos()); err != nil {
			return err
		}
	}
	if !picture {
		return broken("there is no picture in it")
	}
	return nil
}

// webpChunk consumes a chunk of metadata and keeps its content.
func (f *file) webpChunk(kind string, length int64) error {
	if kind != "EXIF" && kind != "XMP " {
		return nil
	}
	at := f.in.pos()
	data, err := f.in.take(length)
	if err != nil {
		return err
	}
	if kind == "EXIF" {
		block := bytes.TrimPrefix(data, []byte(exifPrefix))
		f.setEXIF(block, at+int64(len(data)-len(block)))
	} else {
		f.setXMP(data)
	}
	return nil
}
