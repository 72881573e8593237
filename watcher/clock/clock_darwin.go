package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// measured is how long the machine has slept since its start.
func measured() time.Duration { return between(unix.CLOCK_MONOTONIC_RAW, unix.CLOCK_UPTIME_RAW) }
