//go:build linux || darwin

package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// between is how far a clock is ahead of another one, or 0 where the system lacks one of them. A pause
// between the two readings makes it less, and never more.
func between(ahead, behind int32) time.Duration {
	var a, b unix.Timespec
	if unix.ClockGettime(ahead, &a) != nil || unix.ClockGettime(behind, &b) != nil {
		return 0
	}
	return time.Duration(a.Nano() - b.Nano())
}
