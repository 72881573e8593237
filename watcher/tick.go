package watcher

import "time"

// UntilTick is the time until the clock shows a multiple of a period, and at least half of one.
// Timers that are set to it are aligned: an idle machine wakes once for all of them.
func UntilTick(now time.Time, period time.Duration) time.Duration {
	return now.Add(period / 2).Truncate(period).Add(period).Sub(now)
}
