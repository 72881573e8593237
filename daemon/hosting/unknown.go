package hosting

import (
	"sync"
	"time"
)

// Unknown remembers since when the service does not know a product or project. A list may have a
// thing still that is gone, and may have a new thing before the rest of the service knows it. So a
// thing that is listed and not known counts as gone only after the patience of a look.
type Unknown struct {
	mu    sync.Mutex
	since map[string]time.Time // by UUID
	asked map[string]time.Time // when it was last found so, by UUID
}

// Learn takes in whether the service knows a thing now.
func (u *Unknown) Learn(uuid string, known bool, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since == nil {
		u.since, u.asked = map[string]time.Time{}, map[string]time.Time{}
	}
	if known {
		delete(u.since, uuid)
		delete(u.asked, uuid)
		return
	}
	if _, noted := u.since[uuid]; !noted {
		u.since[uuid] = now
	}
	u.asked[uuid] = now
}

// AskedAt is when the service was last found not to know a thing; zero for another thing. Several
// folders may ask for one.
func (u *Unknown) AskedAt(uuid string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.asked[uuid]
}

// GoneAt is when a thing counts as gone that the service does not know; zero for another thing.
func (u *Unknown) GoneAt(uuid string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	since, noted := u.since[uuid]
	if !noted {
		return time.Time{}
	}
	return since.Add(patience())
}

// patience is the time from a create to the last look for what it made.
func patience() (sum time.Duration) {
	for _, pause := range LookPauses {
		sum += pause
	}
	return sum
}
