package watcher

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A courtesy leaves disk and share to the camera: while frames are written below a root, its files
// are read in turns, in pieces, and after each piece nothing is read for as long as the piece took.
// Reading then takes half of the time at most. Whole reads of the tree go on with one goroutine.
type courtesy struct {
	base  time.Time
	until atomic.Int64  // when the camera counts as done, since base
	turn  chan struct{} // holds one

	read int           // bytes since the last pause; guarded by the turn
	took time.Duration // by that

	mu   sync.Mutex
	shot map[string]time.Time // until when a folder counts as being shot
}

const (
	shootingLasts = time.Second // after a frame that was seen to be written
	pieceSize     = 256 << 10
	// leastPause is for a piece from the system's cache: it takes no time, and the next may be on
	// the drive.
	leastPause   = time.Millisecond
	longestPause = time.Second // a drive that was asleep is no slow drive
)

func newCourtesy() *courtesy {
	return &courtesy{base: time.Now(), turn: make(chan struct{}, 1), shot: map[string]time.Time{}}
}

// wrote notes that a frame of a folder is being written. The folder counts as being shot until
// then.
func (c *courtesy) wrote(folder string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.After(c.shot[folder]) {
		c.shot[folder] = until
	}
	c.until.Store(max(c.until.Load(), int64(until.Sub(c.base))))
}

// due reports whether a camera is at work.
func (c *courtesy) due() bool { return time.Since(c.base) < time.Duration(c.until.Load()) }

// shooting lists the folders whose frames are being written.
func (c *courtesy) shooting(now time.Time) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.shot, func(_ string, until time.Time) bool { return !now.Before(until) })
	return slices.Sorted(maps.Keys(c.shot))
}

// piece does one reading into p, or into the beginning of p when a camera is at work.
func (c *courtesy) piece(p []byte, read func([]byte) (int, error)) (int, error) {
	if !c.due() {
		return read(p)
	}
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	began := time.Now()
	n, err := read(p[:min(len(p), pieceSize)])
	c.read += n
	c.took += time.Since(began)
	if c.read >= pieceSize {
		time.Sleep(min(max(c.took, leastPause), longestPause))
		// The bytes beyond a piece count for the next, so that the number of pauses depends on no
		// order.
		c.read, c.took = c.read-pieceSize, 0
	}
	return n, err
}
