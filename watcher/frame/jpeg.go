package frame

import (
	"bytes"
	"encoding/binary"
)

// The markers that matter here, ITU-T T.81 table B.1.
const (
	markerSOF2 = 0xC2 // progressive
	markerSOI  = 0xD8
	markerEOI  = 0xD9
	markerSOS  = 0xDA
	markerAPP1 = 0xE1
)

// jpeg walks from marker to marker until the picture data begins, which a Proof judges. What
// follows the end marker that belongs to the picture is not read: padding and preview pictures are
// normal there.
func (f *file) jpeg() error {
	f.info.ContentType = "image/jpeg"
	if err := f.in.skip(2); err != nil {
		return err
	}
	for {
		marker, err := f.in.nextMarker()
		if err == nil && marker == markerSOS {
			return f.pictureData()
		}
		if err == nil {
			err = ends(marker, false)
		}
		if err == nil {
			err = f.segment(marker)
		}
		if err != nil {
			return cutOff(err)
		}
	}
}

// pictureData judges all from the header of the first scan on, unless the file ends as a whole one
// does: then it is left to a Proof. A search for FF D9 from behind alone would find the end of the
// thumbnail inside EXIF.
func (f *file) pictureData() error {
	if f.headerOnly {
		return nil
	}
	if whole, err := f.endsWell(); whole || err != nil {
		return err
	}
	p := Proof{at: inLength, scanned: true}
	for f.in.left() > 0 && p.at != settled {
		w, err := f.in.peek(1)
		if err != nil {
			return err
		}
		p.take(w)
		f.in.start += len(w)
	}
	return p.verdict()
}

// endsWell reports whether the file's last bytes are an end marker, before any padding.
func (f *file) endsWell() (bool, error) {
	var tail [512]byte
	n := min(f.in.left(), int64(len(tail)))
	err := readFull(f.in.r, tail[:n], f.in.size-n)
	return bytes.HasSuffix(bytes.TrimRight(tail[:n], "\x00"), []byte{0xFF, markerEOI}), err
}

// nextMarker consumes everything up to and including the next marker that is not part of picture
// data.
func (s *stream) nextMarker() (byte, error) {
	for {
		if s.pos() > maxHeader {
			return 0, errEndless
		}
		w, err := s.peek(2)
		if err != nil {
			return 0, err
		}
		marker, n := findMarker(w)
		s.start += n
		if marker != 0 {
			return marker, nil
		}
	}
}

// segment consumes one marker segment and keeps its metadata.
func (f *file) segment(marker byte) error {
	head, err := f.in.next(2)
	if err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint16(head)) - 2
	if n < 0 {
		return errNoLength
	}
	if marker != markerAPP1 && !isFrameHeader(marker) {
		return f.in.skip(n)
	}
	at := f.in.pos()
	data, err := f.in.next(int(n))
	if err != nil {
		return err
	}
	if marker != markerAPP1 {
		f.setSize(marker, data)
	} else if block, ok := bytes.CutPrefix(data, []byte(exifPrefix)); ok {
		f.setEXIF(block, at+int64(len(exifPrefix)))
	} else if packet, ok := bytes.CutPrefix(data, []byte("http://ns.adobe.com/xap/1.0/\x00")); ok {
		f.setXMP(bytes.Clone(packet))
	}
	return nil
}

// isFrameHeader reports whether a marker begins the header that has a picture's size. There are
// tables among their numbers.
func isFrameHeader(marker byte) bool {
	switch marker {
	case 0xC4, 0xC8, 0xCC:
		return false
	}
	return marker&0xF0 == 0xC0
}

// setSize reads a frame header: the size, and for each component its share of the samples.
func (f *file) setSize(marker byte, header []byte) {
	const before, component = 6, 3
	if len(header) < before || f.info.Width != 0 {
		return
	}
	f.info.Height = int64(binary.BigEndian.Uint16(header[1:]))
	f.info.Width = int64(binary.BigEndian.Uint16(header[3:]))
	if marker > markerSOF2 {
		return // of a kind that image/jpeg cannot decode
	}
	var all, most int64
	components := header[before:]
	for i := 0; i+component <= len(components); i += component {
		area := int64(components[i+1]>>4) * int64(components[i+1]&15)
		all, most = all+area, max(most, area)
	}
	if most == 0 {
		return
	}
	pixels := f.info.Width * f.info.Height
	f.info.Decoded = pixels * all / most
	if marker == markerSOF2 {
		f.info.Decoded *= 1 + 4 // the coefficients of a progressive picture stay until its end
	}
	if all > 2*most { // RGB or CMYK, perhaps, for which another picture is made
		f.info.Decoded += 4 * pixels
	}
}
