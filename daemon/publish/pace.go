package publish

import (
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/schedule"
)

// A pace is how soon a folder tries again, and how soon the status of a product may be asked for again.
type pace struct {
	service *hosting.Service
	poll    config.Poll
	started time.Time // of the process
	random  func(n int64) int64
}

// retry is the pause after so many tries in a row.
func (p pace) retry(attempt int) time.Duration { return schedule.Pause(attempt, p.random) }

// tries is the patience with a failure that may pass by itself: the pauses grow, and in the end a
// person is asked.
func (p pace) tries(n int) (pause time.Duration, patient bool) { return p.retry(n), n < mostTries }

// soonestStatus is when the status of a product may be asked for again, by any folder. An earlier
// process may have asked a moment before this one started.
func (p pace) soonestStatus(product string) time.Time {
	last := p.service.Memory.Asked.At(product)
	if last.Before(p.started) {
		last = p.started
	}
	return last.Add(p.poll.First)
}

// nextPoll is the time of the next status request about a product that is processed since then.
func (p pace) nextPoll(product string, since time.Time) time.Time {
	now := time.Now()
	next := now.Add(schedule.PollPause(now.Sub(since), p.poll.First, p.poll.Max, p.random))
	if soonest := p.soonestStatus(product); next.Before(soonest) {
		return soonest
	}
	return next
}
