package syncstate

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// head is the JSON form of a record. It tells which other values there are, so that a lost one is
// noticed.
type head struct {
	Record
	Run       *Run       `json:"run,omitempty"`
	Published *Published `json:"published,omitempty"`
	RunFrames int        `json:"run_frames,omitempty"` // how many
	RunCarry  bool       `json:"run_carry,omitempty"`  // whether there is one
}

// decodeHead reads a head. Its run and its publication are without what the other values hold.
func decodeHead(data []byte) (h head, err error) {
	if r, ok := plainHead(data); ok {
		return head{Record: r, Published: r.Published}, nil
	}
	if err := json.Unmarshal(data, &h); err != nil {
		return head{}, err
	}
	h.Record.Run, h.Record.Published = h.Run, h.Published
	return h, nil
}

// plainHead reads the head of a folder at rest in a fraction of the time that encoding/json takes:
// a start reads thousands of them. At anything else, be it another field, an escaped character or a
// mistake, it gives up.
func plainHead(data []byte) (r Record, ok bool) {
	s := scanner{rest: data, failed: !utf8.Valid(data)}
	s.object(func(name []byte) {
		switch string(name) {
		case "state":
			s.text(&r.State)
		case "since":
			s.time(&r.Since)
		case "rest":
			s.text(&r.Rest)
		case "settings":
			s.text(&r.Settings)
		case "project":
			s.project(&r.Project)
		case "product":
			s.product(&r.Product)
		case "settled":
			s.int(&r.Settled)
		case "expected":
			s.int(&r.Expected)
		case "arrived":
			s.time(&r.Arrived)
		case "published":
			r.Published = new(Published)
			s.published(r.Published)
		default:
			s.failed = true
		}
	})
	return r, !s.failed && len(s.rest) == 0
}

func (s *scanner) project(p *Project) {
	s.object(func(name []byte) {
		switch string(name) {
		case "uuid":
			s.text(&p.UUID)
		case "title":
			s.text(&p.Title)
		default:
			s.failed = true
		}
	})
}

func (s *scanner) product(p *Product) {
	s.object(func(name []byte) {
		switch string(name) {
		case "uuid":
			s.text(&p.UUID)
		case "title":
			s.text(&p.Title)
		case "sku":
			s.text(&p.SKU)
		case "manufacturer":
			s.text(&p.Manufacturer)
		case "year":
			s.text(&p.Year)
		default:
			s.failed = true
		}
	})
}

func (s *scanner) published(p *Published) {
	s.object(func(name []byte) {
		switch string(name) {
		case "revision":
			s.number(&p.Revision)
		case "at":
			s.time(&p.At)
		case "images":
			s.int(&p.Images)
		case "bytes":
			s.number(&p.Bytes)
		case "took":
			s.number((*int64)(&p.Took))
		case "found":
			s.yes(&p.Found)
		default:
			s.failed = true
		}
	})
}

// A scanner reads JSON without spaces, as encoding/json writes it.
type scanner struct {
	rest   []byte
	failed bool // at unknown JSON; everything after that means nothing
}

// skip takes the next byte if it is this one.
func (s *scanner) skip(c byte) bool {
	if s.failed || len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) expect(c byte) { s.failed = !s.skip(c) || s.failed }

// object calls field behind the name of each, to read its value.
func (s *scanner) object(field func(name []byte)) {
	s.expect('{')
	if s.skip('}') {
		return
	}
	for !s.failed {
		name := s.quoted()
		s.expect(':')
		if !s.failed {
			field(name)
		}
		if s.skip('}') {
			return
		}
		s.expect(',')
	}
}

// quoted takes a string that is written as it is.
func (s *scanner) quoted() []byte {
	s.expect('"')
	for i, c := range s.rest {
		switch {
		case s.failed, c < ' ', c == '\\':
			s.failed = true
			return nil
		case c == '"':
			quoted := s.rest[:i]
			s.rest = s.rest[i+1:]
			return quoted
		}
	}
	s.failed = true
	return nil
}

func (s *scanner) text(to *string) { *to = string(s.quoted()) }

func (s *scanner) time(to *time.Time) {
	quoted := s.quoted()
	s.failed = s.failed || to.UnmarshalText(quoted) != nil
}

// yes reads true: a field with omitempty is never written as false.
func (s *scanner) yes(to *bool) {
	for _, c := range []byte("true") {
		s.expect(c)
	}
	*to = !s.failed
}

func (s *scanner) number(to *int64) {
	end := bytes.IndexAny(s.rest, ",}")
	if s.failed || end < 0 {
		s.failed = true
		return
	}
	digits := string(s.rest[:end])
	n, err := strconv.ParseInt(digits, 10, 64)
	*to, s.failed = n, err != nil || strconv.FormatInt(n, 10) != digits // JSON knows no 007
	s.rest = s.rest[end:]
}

func (s *scanner) int(to *int) {
	var n int64
	s.number(&n)
	*to = int(n)
	s.failed = s.failed || int64(*to) != n
}
