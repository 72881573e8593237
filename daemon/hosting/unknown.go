package hosting

import (
	"cmp"
	"sync"
	"time"
)

// Unknown remembers since when the service does not know a product or project. A list may have a
// thing still that is gone, and may have a new thing before the rest of the service knows it. So a
// thing that is listed and not known counts as gone only after the patience of a look.
type Unknown struct {
	mu    sync.Mutex
	since map[string]time.Time // by UUID
}

// Learn takes in whether the service knows a thing now.
func (u *Unknown) Learn(uuid string, known bool, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if known {
		delete(u.since, uuid)
		return
	}
	if u.since == nil {
		u.since = map[string]time.Time{}
	}
	u.since[uuid] = cmp.Or(u.since[uuid], now)
}

// GoneAt is when a thing counts as gone that the service does not know; zero for another thing.
func (u *Unknown) GoneAt(uuid string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	since, is := u.since[uuid]
	if !is {
		return time.Time{}
	}
	return since.Add(patience())
}

// patience is the time from the first look for what a create made to the last one.
func patience() (sum time.Duration) {
	for _, pause := range Ladder {
		sum += pause
	}
	return sum
}
