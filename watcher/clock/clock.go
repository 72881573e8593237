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

// A Machine tells of its sleep.
type Machine struct {
	Slept  func() time.Duration // how long it has slept
	Counts bool                 // Go's clock counts its sleep as time
}

var machine = Machine{func() time.Duration { return steady(measured()) }, runtime.GOOS == "windows"}

// Pretend has a test run on another machine, until it calls back.
func Pretend(m Machine) (back func()) {
	before := machine
	machine = m
	return func() { machine = before }
}

var known atomic.Int64 // what Slept returned last of this machine

// Slept is how long the machine has slept. It stays the same to the nanosecond until the machine has
// slept for another second, because it is read from two clocks, one after the other.
func Slept() time.Duration { return machine.Slept() }

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
	if machine.Counts {
		return Slept()
	}
	return 0
}
