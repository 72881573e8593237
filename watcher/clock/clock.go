// Package clock measures time on a machine that sleeps: Boot counts sleep, and Overslept is the
// sleep in Go's own clock. That clock stops while the machine sleeps, but on Windows it runs on.
package clock

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Boot is the time of a clock that nobody sets and that runs on in sleep: for the age of what others
// may change. Only another time of this clock compares with it.
func Boot() time.Time { return time.Now().Add(Slept() - Overslept()) }

var known atomic.Int64 // what Slept returned last

// Slept is how long the machine has slept. It stays the same to the nanosecond until the machine has
// slept for another second, because it is read from two clocks, one after the other.
func Slept() time.Duration { return steady(measured()) }

func steady(slept time.Duration) time.Duration {
	before := time.Duration(known.Load())
	if slept-before < time.Second {
		return before
	}
	known.Store(int64(slept))
	return slept
}

// Overslept is the sleep that Go's clock has counted as time, all of it on Windows and none
// elsewhere. How much longer it becomes between two instants is no time in which another program
// could have done anything.
func Overslept() time.Duration {
	if runtime.GOOS == "windows" {
		return Slept()
	}
	return 0
}
