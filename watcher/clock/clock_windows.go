package clock

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var queryUnbiasedInterruptTime = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

var (
	started      = time.Now()
	awakeAtStart = awake()
)

// measured is how long the machine has slept since the start of the program.
func measured() time.Duration { return time.Since(started) - (awake() - awakeAtStart) }

// awake is the time since the start of the machine without its sleep.
func awake() time.Duration {
	var t uint64 // in units of 100 ns
	_, _, _ = queryUnbiasedInterruptTime.Call(uintptr(unsafe.Pointer(&t)))
	return time.Duration(t) * 100
}
