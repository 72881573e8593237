package frame

import (
	"bytes"
	"encoding/binary"
)

// The markers that matter here, ITU-T T.81 table B.1.
const (
	markerDHT  = 0xC4
	markerJPG  = 0xC8
	markerDAC  = 0xCC
	markerSOI  = 0xD8
	markerEOI  = 0xD9
	markerSOS  = 0xDA
	markerAPP1 = 0xE1
)

// jpeg walks from marker to marker until the end marker that belongs to the picture. Looking for
// FF D9 from behind would find the end of the thumbnail inside EXIF. What follows the end marker is
// not looked at: padding and preview pictures are normal there.
func (f *file) jpeg() error {
	f.info.ContentType = "image/jpeg"
	if err := f.skip(2); err != nil {
		return err
	}
	for scanned := false; ; {
		marker, err := f.nextMarker()
		switch {
		case err == errCut:
			return broken("the file is cut off before its end marker (FF D9)")
		case err != nil:
			return err
		case marker == markerSOI:
			return broken("a second picture begins before the first one ends")
		case marker == markerEOI && !scanned:
			return broken("there is no picture in it")
		case marker == markerEOI, marker == markerSOS && f.headerOnly:
			return nil
		}
		scanned = scanned || marker == markerSOS
		if err := f.segment(marker, scanned); err != nil {
			return err
		}
	}
}

// nextMarker consumes everything up to and including the next marker that is not part of
// entropy-coded data. Fill bytes and garbage between segments are passed over, as decoders do.
func (s *stream) nextMarker() (byte, error) {
	for {
		w, err := s.peek(2)
		if err != nil {
			return 0, err
		}
		i := 0
		for {
			j := bytes.IndexByte(w[i:], 0xFF)
			if j < 0 {
				i = len(w)
				break
			}
			i += j
			if i+1 == len(w) {
				break
			}
			if c := w[i+1]; !inScan(c) {
				s.start += i + 2
				return c, nil
			} else if c == 0xFF {
				i++
			} else {
				i += 2
			}
		}
		s.start += i
	}
}

// inScan tells whether FF c carries no length and ends nothing: a stuffed byte, a restart marker,
// a fill byte, or TEM of arithmetic coding.
func inScan(c byte) bool {
	return c == 0x00 || c == 0x01 || c == 0xFF || 0xD0 <= c && c <= 0xD7
}

// segment consumes one marker segment and keeps what it tells.
func (f *file) segment(marker byte, scanned bool) error {
	head, err := f.next(2)
	if err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint16(head)) - 2
	if n < 0 {
		return broken("a segment of it has no length")
	}
	if scanned || marker != markerAPP1 && !isSOF(marker) {
		return f.skip(n)
	}
	data, err := f.next(int(n))
	if err != nil {
		return err
	}
	if isSOF(marker) && n >= 5 {
		f.info.Height = int(binary.BigEndian.Uint16(data[1:]))
		f.info.Width = int(binary.BigEndian.Uint16(data[3:]))
	} else if block, ok := bytes.CutPrefix(data, []byte(exifPrefix)); ok {
		f.setEXIF(block)
	} else if packet, ok := bytes.CutPrefix(data, []byte("http://ns.adobe.com/xap/1.0/\x00")); ok {
		f.setXMP(bytes.Clone(packet))
	}
	return nil
}

func isSOF(marker byte) bool {
	return 0xC0 <= marker && marker <= 0xCF &&
		marker != markerDHT && marker != markerJPG && marker != markerDAC
}
