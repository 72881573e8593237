package schedule

import "time"

// PollPause is the wait before the next status request (interface 4.14), so long after the finish
// request: a quarter of the time passed, so that a late notice costs little, but at least shortest
// and at most longest. Jitter only lengthens it. A clock that was set back makes elapsed negative,
// which counts as no time.
func PollPause(elapsed, shortest, longest time.Duration, random func(int64) int64) time.Duration {
	pause := max(elapsed/4, shortest)
	return min(pause+time.Duration(random(int64(pause/5)+1)), longest)
}
