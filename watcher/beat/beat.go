// Package beat has all parts of the program do at the same time what they do now and then, so that
// the machine is woken once for all of them.
package beat

import "time"

// Until is the time until the clock shows a multiple of a beat, and at least half of one.
func Until(now time.Time, beat time.Duration) time.Duration {
	return now.Add(beat / 2).Truncate(beat).Add(beat).Sub(now)
}
