package sending

import (
	"io"
	"math"
	"sync/atomic"

	"spinsync/daemon/outcome"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
)

// rereadable starts a file over for another try, together with the hasher that its bytes go
// through.
func rereadable(
	source reading.Source, through *reading.Hasher, sent *meter, throttle func(io.Reader) io.Reader,
) io.ReadCloser {
	through.Reset()
	file := io.NewSectionReader(source, 0, math.MaxInt64) // to its end, wherever that is then
	return io.NopCloser(guardedReader{io.TeeReader(throttle(file), io.MultiWriter(through, sent))})
}

// A guardedReader returns a panic as an error. The HTTP client reads the bytes of an upload on a
// goroutine that no other guard covers.
type guardedReader struct{ io.Reader }

// Read implements io.Reader.
func (r guardedReader) Read(b []byte) (n int, err error) {
	err = outcome.Guard(func() (err error) {
		n, err = r.Reader.Read(b)
		return err
	})
	return n, err
}

// A meter counts the bytes of one upload into its folder's sum.
type meter struct {
	slots *schedule.Slots
	sum   *atomic.Int64
	mine  int64
}

// Write implements io.Writer.
func (m *meter) Write(b []byte) (int, error) {
	m.mine += int64(len(b))
	m.sum.Add(int64(len(b)))
	m.slots.Sent(len(b))
	return len(b), nil
}

// undo takes back what a failed upload counted.
func (m *meter) undo() {
	m.sum.Add(-m.mine)
	m.mine = 0
}
