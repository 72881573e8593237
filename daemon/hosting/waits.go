package hosting

import "time"

const (
	// The answer to a create or a finish is worth waiting for when the program stops: without it
	// searches are due.
	AnswerGrace = 10 * time.Second
	// A service that refuses the password locks accounts that go on knocking.
	rejectedPause = 5 * time.Minute
	// A tripped breaker that nothing has tried for this long after its pause is forgotten.
	abandonedAfter = 10 * time.Minute
	// A refused list of images is asked for again after this long.
	RefusedPause = time.Minute
	// A refusal that nobody met again for this long counts no more: the run that waited is gone.
	refusedLife = 3 * RefusedPause
	// A captive portal or a machine whose clock is not set yet is through after this; what bars the
	// way longer needs a person.
	BarredPatience = time.Minute
	// The interface does not show which refusals pass by themselves, so each is tried this often
	// before a person is asked.
	Refusals = 3
)

// ladder is the waits between the searches for something whose creation was not answered. The first
// search comes after the first wait, too. A list may lag behind the create. After the last search it
// is certain enough that nothing was made.
func ladder() [Rungs]time.Duration {
	return [Rungs]time.Duration{2 * time.Second, 20 * time.Second, 2 * time.Minute}
}

// Rungs is how many waits there are between the searches.
const Rungs = 3

// Searches is the patience with something that should show itself: after the last pause one search is
// left.
func Searches(n int) (pause time.Duration, patient bool) { return SearchPause(n), n <= Rungs }

// SearchPause is the wait before the n-th search, counted from 1; beyond the last one, that before the
// last.
func SearchPause(n int) time.Duration { return ladder()[max(1, min(n, Rungs))-1] }

// Patience is the time from the first search for what a create made to the last one.
func Patience() (sum time.Duration) {
	for _, pause := range ladder() {
		sum += pause
	}
	return sum
}

// Age is how long ago a recorded request was sent, for a process that began at a time. A request of
// the future was sent before the clock was set back, and before the process began.
func Age(sent, began time.Time) time.Duration {
	now := began.Add(time.Since(began))
	if sent.After(now) {
		sent = began
	}
	return now.Sub(sent)
}
