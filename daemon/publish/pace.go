package publish

import (
	"time"

	"spinsync/daemon/schedule"
)

// A pace is how soon a folder tries again what failed.
type pace struct {
	random func(n int64) int64
}

// retry is the pause after so many tries in a row.
func (p pace) retry(attempt int) time.Duration { return schedule.Pause(attempt, p.random) }

// tries is the patience with a failure that may pass by itself: the pauses grow, and in the end a
// person is asked.
func (p pace) tries(n int) (pause time.Duration, patient bool) { return p.retry(n), n < mostTries }
