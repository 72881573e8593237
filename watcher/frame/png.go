package frame

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// png walks the chunks to IEND. The checksums of the critical ones are compared, because decoders
// refuse a file whose are wrong, and a copy with a hole in it has one.
func (f *file) png() error {
	f.info.ContentType = "image/png"
	if err := f.in.skip(int64(len(pngSignature))); err != nil {
		return err
	}
	var data bool
	for first := true; ; first = false {
		head, err := f.in.next(8)
		if err != nil {
			return err
		}
		length, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		switch {
		case !isChunk(kind):
			return broken("its chunks do not follow one another")
		case first && (kind != "IHDR" || length != 13):
			return broken("its header is missing")
		}
		data = data || kind == "IDAT"
		if first {
			if err := f.pngSize(); err != nil {
				return err
			}
		}
		if err := f.chunk(kind, length); err != nil {
			return err
		}
		if kind == "IEND" && !data {
			return broken("there is no picture in it")
		} else if kind == "IEND" {
			return nil
		}
	}
}

// pngSize reads the size from the header of the picture, which is checked like any other chunk.
func (f *file) pngSize() error {
	const depth, interlaced = 8, 12
	header, err := f.in.peek(13)
	if err != nil {
		return err
	}
	f.info.Width = int64(binary.BigEndian.Uint32(header))
	f.info.Height = int64(binary.BigEndian.Uint32(header[4:]))
	pixel := int64(4)
	if header[depth] == 16 {
		pixel = 8
	}
	if header[interlaced] != 0 {
		pixel *= 2 // the passes are pictures of their own
	}
	if most := int64(1 << 32); f.info.Width < most && f.info.Height < most/pixel {
		f.info.Decoded = f.info.Width * f.info.Height * pixel
	}
	return nil
}

// isChunk reports whether the four bytes can be the type of a PNG chunk, which are letters.
func isChunk(kind string) bool {
	for _, c := range []byte(kind) {
		if c |= 0x20; c < 'a' || 'z' < c {
			return false
		}
	}
	return true
}

// chunk consumes the rest of a PNG chunk and keeps its metadata.
func (f *file) chunk(kind string, length int64) error {
	switch {
	case kind == "eXIf", kind == "iTXt":
		at := f.in.pos()
		data, err := f.in.take(length)
		if err != nil {
			return err
		}
		f.pngMeta(kind, data, at)
		return f.in.skip(4)
	case kind[0]&0x20 != 0, f.headerOnly:
		return f.in.skip(length + 4)
	}
	return f.checked(kind, length)
}

// checked consumes a chunk's data and its checksum.
func (f *file) checked(kind string, length int64) error {
	sum := crc32.ChecksumIEEE([]byte(kind))
	err := f.in.each(length, func(p []byte) { sum = crc32.Update(sum, crc32.IEEETable, p) })
	if err != nil {
		return err
	}
	want, err := f.in.next(4)
	if err != nil {
		return err
	}
	if sum != binary.BigEndian.Uint32(want) {
		return broken("the checksum of its " + kind + " chunk is wrong")
	}
	return nil
}

// pngMeta reads EXIF and XMP. XMP's keyword is followed by the flag and method of compression, a
// language and a translated keyword; for XMP all of them are empty (XMP part 3, 1.1.5).
func (f *file) pngMeta(kind string, data []byte, at int64) {
	if kind == "eXIf" {
		f.setEXIF(data, at)
	} else if packet, ok := bytes.CutPrefix(data, []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00")); ok {
		f.setXMP(packet)
	}
}
