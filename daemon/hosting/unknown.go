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
	mu     sync.Mutex
	things map[string]unknown // by UUID
}

// unknown is a thing that the service does not know.
type unknown struct {
	since time.Time
	asked time.Time // when it was last found so
}

// Learn takes in whether the service knows a thing now.
func (u *Unknown) Learn(uuid string, known bool, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if known {
		delete(u.things, uuid)
		return
	}
	if u.things == nil {
		u.things = map[string]unknown{}
	}
	u.things[uuid] = unknown{since: cmp.Or(u.things[uuid].since, now), asked: now}
}

// AskedAt is when the service was last found not to know a thing; zero for another thing. Several
// folders may ask for one.
func (u *Unknown) AskedAt(uuid string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.things[uuid].asked
}

// GoneAt is when a thing counts as gone that the service does not know; zero for another thing.
func (u *Unknown) GoneAt(uuid string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	thing, is := u.things[uuid]
	if !is {
		return time.Time{}
	}
	return thing.since.Add(patience())
}

// patience is the time from a create to the last look for what it made.
func patience() (sum time.Duration) {
	for _, pause := range LookPauses {
		sum += pause
	}
	return sum
}
