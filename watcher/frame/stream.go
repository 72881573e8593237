package frame

import (
	"io"
	"sync"
)

const (
	firstRead = 16 << 10  // after the start and after a jump: often only a few bytes are wanted
	fullRead  = 256 << 10 // reached by doubling while a file is read in one go
)

var buffers = sync.Pool{New: func() any { return new([fullRead]byte) }}

// stream moves a window forward over a file of known size.
type stream struct {
	r          io.ReaderAt
	size       int64
	off        int64 // of the byte behind the window
	buf        *[fullRead]byte
	start, end int // the window in buf
	ahead      int // how much to read next
}

func newStream(r io.ReaderAt, size int64) stream {
	return stream{r: r, size: size, buf: buffers.Get().(*[fullRead]byte), ahead: firstRead}
}

// release gives the buffer back. No slice that came from peek or next may be used after it.
func (s *stream) release() { buffers.Put(s.buf) }

// pos is the offset of the next unread byte.
func (s *stream) pos() int64 { return s.off - int64(s.end-s.start) }

// left is the number of unread bytes.
func (s *stream) left() int64 { return s.size - s.pos() }

// peek returns the window, at least n bytes of it and as many as are at hand. It is valid until the
// next call.
func (s *stream) peek(n int) ([]byte, error) {
	if s.end-s.start < n {
		if err := s.fill(n); err != nil {
			return nil, err
		}
	}
	return s.buf[s.start:s.end], nil
}

func (s *stream) fill(n int) error {
	if int64(n) > s.left() {
		return errCut
	}
	s.end = copy(s.buf[:], s.buf[s.start:s.end])
	s.start = 0
	want := min(max(s.ahead, n-s.end), len(s.buf)-s.end)
	want = int(min(int64(want), s.size-s.off))
	s.ahead = min(2*s.ahead, fullRead)
	if err := readFull(s.r, s.buf[s.end:s.end+want], s.off); err != nil {
		return err
	}
	s.end += want
	s.off += int64(want)
	return nil
}

// next consumes n bytes, at most fullRead. They are valid until the next call.
func (s *stream) next(n int) ([]byte, error) {
	w, err := s.peek(n)
	if err != nil {
		return nil, err
	}
	s.start += n
	return w[:n], nil
}

// skip consumes n bytes without reading those that are not at hand.
func (s *stream) skip(n int64) error {
	if n < 0 || n > s.left() {
		return errCut
	}
	if held := int64(s.end - s.start); n > held {
		s.off += n - held
		s.start, s.end = 0, 0
		s.ahead = firstRead
		return nil
	}
	s.start += int(n)
	return nil
}

// each consumes n bytes and passes them to do, piece by piece.
func (s *stream) each(n int64, do func([]byte)) error {
	if n < 0 || n > s.left() {
		return errCut
	}
	for n > 0 {
		w, err := s.peek(1)
		if err != nil {
			return err
		}
		w = w[:min(int64(len(w)), n)]
		do(w)
		s.start += len(w)
		n -= int64(len(w))
	}
	return nil
}

// take consumes n bytes and returns a copy of the first maxMeta of them.
func (s *stream) take(n int64) ([]byte, error) {
	if n < 0 || n > s.left() {
		return nil, errCut
	}
	kept := min(n, maxMeta)
	data := make([]byte, 0, kept)
	err := s.each(kept, func(p []byte) { data = append(data, p...) })
	if err != nil {
		return nil, err
	}
	return data, s.skip(n - kept)
}

// readFull reads all of p at off; its error is why not.
func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case err == io.EOF:
		return errShrank
	}
	return err
}
