package traffic

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Capture is what a camera does below a root. Reading yields to it: while frames are written, files
// are read in turns, in pieces, and after each piece nothing is read for as long as the piece took.
// Reading then takes half of the time at most. Whole reads of the tree go on with one goroutine.
type Capture struct {
	base  time.Time
	until atomic.Int64  // when the camera counts as done, since base
	turn  chan struct{} // holds one

	read int           // bytes since the last pause; guarded by the turn
	took time.Duration // by that

	mu   sync.Mutex
	shot map[string]time.Time // until when a folder counts as being shot
}

// How reading yields.
const (
	PieceSize = 256 << 10 // bytes that are read before a pause
	// LeastPause is for a piece from the system's cache: it takes no time, and the next may be on
	// the drive.
	LeastPause   = time.Millisecond
	longestPause = time.Second // a drive that was asleep is no slow drive
)

// NewCapture says that no camera is at work.
func NewCapture() *Capture {
	return &Capture{base: time.Now(), turn: make(chan struct{}, 1), shot: map[string]time.Time{}}
}

// Wrote notes that a frame of a folder is being written. The folder counts as being shot until
// then.
func (c *Capture) Wrote(folder string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.After(c.shot[folder]) {
		c.shot[folder] = until
	}
	c.until.Store(max(c.until.Load(), int64(until.Sub(c.base))))
}

// UnderWay reports whether a camera is at work.
func (c *Capture) UnderWay() bool { return time.Since(c.base) < time.Duration(c.until.Load()) }

// Shooting lists the folders whose frames are being written.
func (c *Capture) Shooting(now time.Time) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.shot, func(_ string, until time.Time) bool { return !now.Before(until) })
	return slices.Sorted(maps.Keys(c.shot))
}

// Piece does one reading into p, or into the beginning of p when a camera is at work.
func (c *Capture) Piece(p []byte, read func([]byte) (int, error)) (int, error) {
	if !c.UnderWay() {
		return read(p)
	}
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	began := time.Now()
	n, err := read(p[:min(len(p), PieceSize)])
	c.read += n
	c.took += time.Since(began)
	if c.read >= PieceSize {
		time.Sleep(min(max(c.took, LeastPause), longestPause))
		// The bytes beyond a piece count for the next, so that the number of pauses depends on no
		// order.
		c.read, c.took = c.read-PieceSize, 0
	}
	return n, err
}
