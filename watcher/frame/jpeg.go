package frame

import (
	"bytes"
	"encoding/binary"
)

// The markers that matter here, ITU-T T.81 table B.1.
const (
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
	if marker != markerAPP1 {
		return f.in.skip(n)
	}
	data, err := f.in.next(int(n))
	if err != nil {
		return err
	}
	if block, ok := bytes.CutPrefix(data, []byte(exifPrefix)); ok {
		f.setEXIF(block)
	} else if packet, ok := bytes.CutPrefix(data, []byte("http://ns.adobe.com/xap/1.0/\x00")); ok {
		f.setXMP(bytes.Clone(packet))
	}
	return nil
}
