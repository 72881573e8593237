package traffic

import (
	"testing"
	"testing/synctest"
	"time"
)

// Beside a camera each piece costs a pause as long as it took to read, and no longer.
func TestPausesBesideACamera(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCapture()
		c.Wrote("shoe", time.Now().Add(time.Hour))
		piece := func(slow time.Duration) time.Duration {
			start := time.Now()
			n, err := c.Piece(make([]byte, 2*PieceSize), func(p []byte) (int, error) {
				time.Sleep(slow)
				return len(p), nil
			})
			if n != PieceSize || err != nil {
				t.Errorf("read %d bytes, %v", n, err)
			}
			return time.Since(start) - slow
		}
		if pause := piece(2 * LeastPause); pause != 2*LeastPause {
			t.Errorf("%s of rest after a slow piece", pause)
		}
		if pause := piece(0); pause != LeastPause {
			t.Errorf("%s of rest after a quick piece", pause)
		}
	})
}
