package schedule

import (
	"context"
	"slices"
	"sync"
	"time"

	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// slotRate is how many bytes per second of a limit are worth a slot: with fewer, hosts take the
// connection for dead.
const slotRate = 64 << 10

// Slots hands out the upload slots, over all product folders.
//
// A free slot goes to the folder in front: one with priority, then one that a camera writes, then the
// one that came first. So one view after the other goes live. Every fourth slot goes to whoever has
// waited longest, so that no folder waits for ever.
//
// A root that does not answer keeps its slots until it does. They do not count, and the root gets no
// more.
type Slots struct {
	mu         sync.Mutex
	fixed      int // 0 = as the tuner and the limit allow
	limit      func(time.Time) config.Rate
	tuner      tuner
	taken      int
	takenBy    map[syncstate.Folder]int
	since      map[syncstate.Folder]time.Time     // when a folder got the first of the slots that it has
	held       map[syncstate.Folder]time.Duration // how long a folder had slots under its form, before those that it has
	arrived    map[syncstate.Folder]int           // the number of each folder at work
	arrivals   int
	granted    int // slots given so far
	waiting    []*applicant
	hung       map[string]bool     // roots that do not answer
	shooting   map[string][]string // by root, the folders that a camera writes
	priorities *Priorities

	measured measurement
}

// A measurement is the rate of one interval, in the making. It has to be kept apart from the time
// in which no upload wanted a slot: nothing can be learned from a rate that slots did not limit.
type measurement struct {
	began     time.Time
	bytes     int64     // handed to the network since then
	idleSince time.Time // no upload waits for a slot; zero = one does
	idle      time.Duration
	shrunk    bool // the tuner took slots back in this interval already
}

// An applicant waits for a slot.
type applicant struct {
	folder  syncstate.Folder
	granted chan struct{} // closed with the slot
}

// NewSlots makes slots by [upload] of the configuration.
func NewSlots(u config.Upload, p *Priorities) *Slots {
	return &Slots{
		fixed: u.Parallel, limit: u.LimitAt, tuner: newTuner(), priorities: p,
		takenBy: map[syncstate.Folder]int{}, arrived: map[syncstate.Folder]int{},
		since: map[syncstate.Folder]time.Time{}, held: map[syncstate.Folder]time.Duration{},
	}
}

// Configure takes over a new configuration. Free slots are handed out when the next bytes leave.
func (s *Slots) Configure(u config.Upload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fixed, s.limit = u.Parallel, u.LimitAt
}

// Width is how many uploads may be in flight now.
func (s *Slots) Width() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width(time.Now())
}

func (s *Slots) width(now time.Time) int {
	switch limit := s.limit(now); {
	case s.fixed > 0:
		return s.fixed
	case limit > 0:
		return min(s.tuner.now, max(1, int(limit/slotRate)))
	}
	return s.tuner.now
}

// Enter waits for a slot.
func (s *Slots) Enter(ctx context.Context, folder syncstate.Folder) error {
	a := &applicant{folder, make(chan struct{})}
	s.mu.Lock()
	if s.arrived[folder] == 0 {
		s.arrivals++
		s.arrived[folder] = s.arrivals
	}
	s.waiting = append(s.waiting, a)
	s.grant(time.Now())
	s.mu.Unlock()
	select {
	case <-a.granted:
		return nil
	case <-ctx.Done():
		s.withdraw(a)
		return ctx.Err()
	}
}

func (s *Slots) withdraw(a *applicant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, a); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return
	}
	s.giveBack(a.folder)
}

// Leave gives a slot back. Overloaded means that the host or the line had too much to do.
func (s *Slots) Leave(folder syncstate.Folder, overloaded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if overloaded && !s.measured.shrunk {
		s.tuner.shrink()
		s.measured.shrunk = true
	}
	s.giveBack(folder)
}

func (s *Slots) giveBack(folder syncstate.Folder) {
	s.taken--
	if s.takenBy[folder]--; s.takenBy[folder] == 0 {
		s.held[folder] += time.Since(s.since[folder])
		delete(s.takenBy, folder)
		delete(s.since, folder)
	}
	s.grant(time.Now())
}

// PutDown ends the turn of a folder when its worker is done with it. Until then the folder keeps its
// place: on a slow line a form may expire before its turn comes, and the next one would too.
func (s *Slots) PutDown(folder syncstate.Folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.arrived, folder)
}

// Held is how long a folder had a slot since ForgetHeld.
func (s *Slots) Held(folder syncstate.Folder) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.held[folder]
	if since, ok := s.since[folder]; ok {
		held += time.Since(since)
	}
	return held
}

// ForgetHeld has Held count from now on. Call it when a form is asked for, and when a run is over.
func (s *Slots) ForgetHeld(folder syncstate.Folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, folder)
	if _, ok := s.since[folder]; ok {
		s.since[folder] = time.Now()
	}
}

// Of is how many slots a folder has.
func (s *Slots) Of(folder syncstate.Folder) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takenBy[folder]
}

// SetConditions sets which roots do not answer now, and which folders a camera writes, by root.
func (s *Slots) SetConditions(hung map[string]bool, shooting map[string][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hung, s.shooting = hung, shooting
	s.grant(time.Now())
}

// grant gives free slots to those who wait. The mutex is held.
func (s *Slots) grant(now time.Time) {
	for s.inUse() < s.width(now) {
		next := s.next()
		if next < 0 {
			break
		}
		a := s.waiting[next]
		s.waiting = slices.Delete(s.waiting, next, next+1)
		s.taken++
		s.granted++
		if s.takenBy[a.folder]++; s.takenBy[a.folder] == 1 {
			s.since[a.folder] = now
		}
		close(a.granted)
	}
	s.measured.noteIdle(now, len(s.waiting) == 0)
}

// inUse counts the slots that are taken by roots that answer.
func (s *Slots) inUse() int {
	n := s.taken
	for folder, taken := range s.takenBy {
		if s.hung[folder.Root] {
			n -= taken
		}
	}
	return n
}

// next returns the index of the applicant that gets a free slot, -1 when there is none. It skips roots
// that do not answer. The applicants stand in the order in which they came.
func (s *Slots) next() int {
	turnOfOldest := s.granted%4 == 3
	first := -1
	for i, a := range s.waiting {
		switch {
		case s.hung[a.folder.Root]:
		case first < 0:
			first = i
		case !turnOfOldest && s.precedes(a.folder, s.waiting[first].folder):
			first = i
		}
	}
	return first
}

// precedes reports whether a folder goes before another one.
func (s *Slots) precedes(a, b syncstate.Folder) bool {
	return order(s.classOf(a), s.arrived[a], s.classOf(b), s.arrived[b]) < 0
}

// classOf returns the class of a folder. Without priority or a camera it is Begun, because all
// folders that send frames have begun.
func (s *Slots) classOf(folder syncstate.Folder) Class {
	switch {
	case s.priorities.Has(folder):
		return Priority
	case s.isShooting(folder):
		return Shooting
	}
	return Begun
}

// isShooting reports whether a camera writes in a folder.
func (s *Slots) isShooting(folder syncstate.Folder) bool {
	return slices.Contains(s.shooting[folder.Root], folder.Path)
}

// Sent counts bytes that were handed to the network, and measures the rate when an interval is
// over.
func (s *Slots) Sent(n int) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.measured
	if m.began.IsZero() {
		m.began = now
	}
	m.bytes += int64(n)
	took := now.Sub(m.began)
	if took < measureEvery {
		return
	}
	m.noteIdle(now, len(s.waiting) == 0)
	if m.idle < took/5 && took < 4*measureEvery {
		s.tuner.measured(float64(m.bytes) / took.Seconds())
	}
	*m = measurement{began: now}
	s.grant(now)
}

// noteIdle counts the time in which no upload waited for a slot.
func (m *measurement) noteIdle(now time.Time, idle bool) {
	if !m.idleSince.IsZero() {
		m.idle += now.Sub(m.idleSince)
		m.idleSince = time.Time{}
	}
	if idle {
		m.idleSince = now
	}
}
