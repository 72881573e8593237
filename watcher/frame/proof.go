package frame

import "bytes"

// A Proof judges a JPEG by all of its bytes, as they pass on their way to somewhere else. It is
// what a Glance leaves open. The zero value is for a new file.
type Proof struct {
	at      place
	left    int  // bytes of the segment that are still to pass
	scanned bool // picture data has begun
	reason  error
}

// A place is what a Proof expects next.
type place int

const (
	atStart   place = iota // the first byte of the file
	atStart2               // its second
	inData                 // any bytes up to the next marker
	atMarker               // its kind, after an FF
	inLength               // the first byte of a segment's length
	inLength2              // its second
	inSegment              // the rest of a segment
	settled                // nothing: the end marker or damage has passed, or there is no rule
)

// NewProof makes a Proof for a file of a media type. Of other files than JPEGs a Glance leaves
// nothing open.
func NewProof(contentType string) *Proof {
	if contentType != "image/jpeg" {
		return &Proof{at: settled}
	}
	return new(Proof)
}

// Write takes the next bytes. It never fails.
func (p *Proof) Write(b []byte) (int, error) {
	p.take(b)
	return len(b), nil
}

// Verdict is nil if what has passed is a whole file, and else a *BrokenError with its name.
func (p *Proof) Verdict(name string) error {
	if err := p.verdict(); err != nil {
		return &BrokenError{Name: name, Reason: err.Error()}
	}
	return nil
}

func (p *Proof) verdict() error {
	if p.at != settled {
		return cutOff(errCut)
	}
	return p.reason
}

func (p *Proof) take(b []byte) {
	for len(b) > 0 && p.at != settled {
		switch p.at {
		case inData:
			marker, n := findMarker(b)
			b = b[n:]
			switch {
			case marker != 0:
				p.marker(marker)
			case len(b) > 0: // an FF
				p.at, b = atMarker, b[1:]
			}
		case inSegment:
			n := min(p.left, len(b))
			p.left, b = p.left-n, b[n:]
			p.segment()
		default:
			p.step(b[0])
			b = b[1:]
		}
	}
}

// step takes a byte that is expected by itself.
func (p *Proof) step(c byte) {
	switch p.at {
	case atStart:
		p.begin(c, 0xFF, atStart2)
	case atStart2:
		p.begin(c, markerSOI, inData)
	case atMarker:
		switch {
		case !inScan(c):
			p.marker(c)
		case c != 0xFF:
			p.at = inData
		}
	case inLength:
		p.left, p.at = int(c)<<8, inLength2
	case inLength2:
		p.left += int(c) - 2
		p.segment()
	}
}

// begin takes one of the bytes that every JPEG begins with.
func (p *Proof) begin(c, want byte, next place) {
	p.at = next
	if c != want {
		p.at, p.reason = settled, broken(isNo("image/jpeg"))
	}
}

// marker takes a marker that is no part of picture data.
func (p *Proof) marker(c byte) {
	p.at = inLength
	if err := ends(c, p.scanned); err != nil || c == markerEOI {
		p.at, p.reason = settled, err
	}
	p.scanned = p.scanned || c == markerSOS
}

// segment goes on in a segment as long as something of it is left.
func (p *Proof) segment() {
	switch {
	case p.left < 0:
		p.at, p.reason = settled, errNoLength
	case p.left == 0:
		p.at = inData
	default:
		p.at = inSegment
	}
}

// ends is the damage that a marker shows, which comes after picture data or before any.
func ends(marker byte, scanned bool) error {
	switch {
	case marker == markerSOI:
		return broken("a second picture begins before the first one ends")
	case marker == markerEOI && !scanned:
		return broken("there is no picture in it")
	}
	return nil
}

// cutOff has plain words for a file that ends before its end marker.
func cutOff(err error) error {
	if err == errCut {
		return broken("the file is cut off: its end is missing")
	}
	return err
}

// findMarker finds the first marker that is no part of picture data, and counts the bytes up to its
// end. Without one the marker is 0, and an FF at the end of b is not counted, since the next byte
// decides its meaning. Fill bytes and garbage between segments are passed over, as decoders do.
func findMarker(b []byte) (marker byte, n int) {
	for i := 0; ; {
		j := bytes.IndexByte(b[i:], 0xFF)
		if j < 0 {
			return 0, len(b)
		}
		i += j
		if i+1 == len(b) {
			return 0, i
		}
		switch c := b[i+1]; {
		case !inScan(c):
			return c, i + 2
		case c == 0xFF:
			i++
		default:
			i += 2
		}
	}
}

// inScan reports whether FF c carries no length and ends nothing: a stuffed byte, a restart marker,
// a fill byte, or TEM of arithmetic coding.
func inScan(c byte) bool {
	return c == 0x00 || c == 0x01 || c == 0xFF || 0xD0 <= c && c <= 0xD7
}
