package daemon

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// How many uploads are in flight when nobody said a number. Sixteen fill a clean line of 100 Mbit/s at 40 ms and keep two
// cores busy on a local network; a line that loses packets needs three times as many. Each holds about 250 KB of buffers,
// which is what bounds them.
const (
	lanesAtFirst = 16
	lanesAtMost  = 48
	lanesAtLeast = 2
)

// laneRate is how many bytes per second of a limit are worth a lane: with fewer, hosts take the connection for dead.
const laneRate = 64 << 10

const (
	// The rate is measured over this long, and judged by the mean of two: several round trips of a far line, and many
	// bursts of a lossy one.
	measureEvery = 500 * time.Millisecond
	// After a verdict this many judgements pass before another number is tried, as paths change.
	tryAgainAfter = 12
)

// A tuner finds the number of uploads that carries the most, from the rate measured once per interval.
//
// It doubles the number. The step stands if the rate grew by a quarter of what the number did, else it is taken back: a
// path that is limited by loss or by round trips carries nearly twice as much with twice the uploads, a full one no more
// at all, so that noise does not matter. A lossy line looks full until its connections have met their first losses, so
// that a rate which sinks, even by little, is a reason to try again. A host that has too much to do takes number back too.
type tuner struct {
	now     int
	before  int     // the number to go back to while a step is under trial, else 0
	rate    float64 // before that step, or at the last verdict
	resting int     // judgements to let pass
	skip    int     // measurements to let pass: new connections start slowly
	half    float64 // the first of two measurements; 0 = none yet
}

func newTuner() tuner { return tuner{now: lanesAtFirst, skip: 1} }

// measured takes in a rate, in any unit, that was reached with all uploads in flight.
func (t *tuner) measured(rate float64) {
	switch {
	case t.skip > 0:
		t.skip--
	case t.half == 0:
		t.half = rate
	default:
		rate, t.half = (rate+t.half)/2, 0
		t.judge(rate)
	}
}

func (t *tuner) judge(rate float64) {
	switch {
	case t.before > 0 && !t.pays(rate):
		*t = tuner{now: t.before, rate: t.rate, resting: tryAgainAfter, skip: 1}
		return
	case t.before == 0 && t.resting > 0 && rate >= 0.9*t.rate:
		t.resting--
		return
	}
	next := min(2*t.now, lanesAtMost)
	if next == t.now {
		*t = tuner{now: t.now, rate: rate, resting: tryAgainAfter}
		return
	}
	*t = tuner{now: next, before: t.now, rate: rate, skip: 1}
}

// pays reports whether the step under trial carries enough more to stand.
func (t *tuner) pays(rate float64) bool {
	grown := float64(t.now)/float64(t.before) - 1
	return rate >= t.rate*(1+grown/4)
}

// shrink is for a host that wants less.
func (t *tuner) shrink() {
	*t = tuner{now: max(lanesAtLeast, t.now/2), resting: tryAgainAfter, skip: 1}
}

// lanes are the uploads that may be in flight over all product folders. Three quarters are for the folder that came first, so
// that one view after the other goes live, and the rest for those that have the fewest, so that a folder whose files come slowly
// holds up no other. What a camera writes goes before that, and a folder that a person is in a hurry for before all, with all lanes but
// one. A single lane is given to the one in front three times out of four. Lanes that a root holds which does not answer are lost
// until it does, so that they do not count, and it gets no more. While a camera writes below a root, all other folders there have one
// lane together.
type lanes struct {
	mu      sync.Mutex
	fixed   int // 0 = as the tuner and the limit allow
	limit   func(time.Time) config.Rate
	tuner   tuner
	taken   int
	held    map[syncstate.Folder]int
	begun   map[syncstate.Folder]int // when each that has or wants a lane came, by number
	came    int
	turns   int // lanes given so far
	waiting []*applicant
	hung    map[string]bool     // roots that do not answer
	shot    map[string][]string // by root, the folders that a camera writes
	rush    *rush

	began   time.Time // of the measurement
	bytes   int64     // handed to the network since then
	idle    time.Time // since when nobody waits for a lane; zero = somebody does
	unasked time.Duration
	refused bool // the number was taken back in this interval already
}

// An applicant waits for a lane.
type applicant struct {
	folder  syncstate.Folder
	granted chan struct{} // closed with the lane
}

func newLanes(u config.Upload) *lanes {
	return &lanes{fixed: u.Parallel, limit: u.LimitAt, tuner: newTuner(), held: map[syncstate.Folder]int{}, begun: map[syncstate.Folder]int{}}
}

// reconsider is due when other folders go first than before.
func (l *lanes) reconsider() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.grant(time.Now())
}

// configure replaces what the configuration says.
func (l *lanes) configure(u config.Upload) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fixed, l.limit = u.Parallel, u.LimitAt
	l.grant(time.Now())
}

// allowed is how many uploads may be in flight now.
func (l *lanes) allowed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.width(time.Now())
}

func (l *lanes) width(now time.Time) int {
	switch limit := l.limit(now); {
	case l.fixed > 0:
		return l.fixed
	case limit > 0:
		return min(l.tuner.now, max(1, int(limit/laneRate)))
	}
	return l.tuner.now
}

// share is how many lanes one folder may have. Who names a number means it for a single folder too.
func (l *lanes) share(now time.Time) int {
	if l.fixed > 0 {
		return l.fixed
	}
	width := l.width(now)
	return width - width/4
}

// mayLead reports whether the folder in front gets one more lane before any other.
func (l *lanes) mayLead(front syncstate.Folder, now time.Time) bool {
	return l.held[front] < l.ahead(front, now) && !l.turnOfOthers(front, now)
}

// ahead is how many lanes the folder in front is given before any other.
func (l *lanes) ahead(front syncstate.Folder, now time.Time) int {
	width := l.width(now)
	if l.rush.has(front) {
		return max(1, width-1)
	}
	return max(1, width-(width+3)/4)
}

// enter waits for a lane.
func (l *lanes) enter(ctx context.Context, folder syncstate.Folder) error {
	a := &applicant{folder, make(chan struct{})}
	l.mu.Lock()
	if l.begun[folder] == 0 {
		l.came++
		l.begun[folder] = l.came
	}
	l.waiting = append(l.waiting, a)
	l.grant(time.Now())
	l.mu.Unlock()
	select {
	case <-a.granted:
		return nil
	case <-ctx.Done():
		l.withdraw(a)
		return ctx.Err()
	}
}

func (l *lanes) withdraw(a *applicant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, a); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		l.forget(a.folder)
		return
	}
	l.giveBack(a.folder)
}

// leave gives the lane back with how the upload ended.
func (l *lanes) leave(folder syncstate.Folder, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wantsLess(err) && !l.refused {
		l.tuner.shrink()
		l.refused = true
	}
	l.giveBack(folder)
}

func (l *lanes) giveBack(folder syncstate.Folder) {
	l.taken--
	if l.held[folder]--; l.held[folder] == 0 {
		delete(l.held, folder)
		l.forget(folder)
	}
	l.grant(time.Now())
}

// holds is how many lanes a folder has.
func (l *lanes) holds(folder syncstate.Folder) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[folder]
}

// forget ends the turn of a folder that neither has nor wants a lane.
func (l *lanes) forget(folder syncstate.Folder) {
	wants := func(a *applicant) bool { return a.folder == folder }
	if l.held[folder] == 0 && !slices.ContainsFunc(l.waiting, wants) {
		delete(l.begun, folder)
	}
}

// wantsLess reports whether an upload failed because the host or the line has too much to do.
func wantsLess(err error) bool {
	var remote *apiclient.Error
	return errors.As(err, &remote) && (remote.Throttled() || unreachable(remote))
}

// grant gives free lanes to those who wait. The mutex is held.
func (l *lanes) grant(now time.Time) {
	for l.inUse() < l.width(now) {
		next := l.next(now)
		if next < 0 {
			break
		}
		a := l.waiting[next]
		l.waiting = slices.Delete(l.waiting, next, next+1)
		l.taken++
		l.turns++
		l.held[a.folder]++
		close(a.granted)
	}
	l.noteIdle(now)
}

// setAside says which roots do not answer at present, and which folders a camera writes, by root.
func (l *lanes) setAside(hung map[string]bool, shot map[string][]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hung, l.shot = hung, shot
	l.grant(time.Now())
}

// barred reports whether a folder gets no lane now: its root does not answer, or the folder makes way for a camera and another
// that does so has one.
func (l *lanes) barred(folder syncstate.Folder) bool {
	if l.hung[folder.Root] {
		return true
	}
	if !l.makesWay(folder) {
		return false
	}
	for other := range l.held {
		if other.Root == folder.Root && l.makesWay(other) {
			return true
		}
	}
	return false
}

// makesWay reports whether a camera writes in other folders of the root, and not in this one.
func (l *lanes) makesWay(folder syncstate.Folder) bool {
	return len(l.shot[folder.Root]) > 0 && !l.isShot(folder)
}

// isShot reports whether a camera writes in a folder.
func (l *lanes) isShot(folder syncstate.Folder) bool {
	return slices.Contains(l.shot[folder.Root], folder.Path)
}

// inUse counts the lanes that are taken by roots that answer.
func (l *lanes) inUse() int {
	n := l.taken
	for folder, held := range l.held {
		if l.hung[folder.Root] {
			n -= held
		}
	}
	return n
}

// next is the one of those who wait that gets a free lane, -1 when there is none. Folders that are barred are passed over.
func (l *lanes) next(now time.Time) int {
	first, poorest := -1, -1
	for i, a := range l.waiting {
		if l.barred(a.folder) {
			continue
		}
		if first < 0 || l.precedes(a.folder, l.waiting[first].folder) {
			first = i
		}
		if poorest < 0 || l.held[a.folder] < l.held[l.waiting[poorest].folder] {
			poorest = i
		}
	}
	switch {
	case first >= 0 && l.mayLead(l.waiting[first].folder, now):
		return first
	case poorest >= 0 && l.held[l.waiting[poorest].folder] < l.share(now):
		return poorest
	}
	return -1
}

// turnOfOthers reports whether the only lane that there is goes to another folder than the one in front: to that which has waited
// longest. A person who is in a hurry for the one in front wants it so.
func (l *lanes) turnOfOthers(front syncstate.Folder, now time.Time) bool {
	return l.width(now) == 1 && l.turns%4 == 3 && !l.rush.has(front)
}

// precedes reports whether a folder goes before another one: a person is in a hurry for it, a camera writes it, so that its view is
// there when the turn is, or it came before.
func (l *lanes) precedes(a, b syncstate.Folder) bool {
	if first := l.rush.has(a); first != l.rush.has(b) {
		return first
	}
	if shot := l.isShot(a); shot != l.isShot(b) {
		return shot
	}
	return l.begun[a] < l.begun[b]
}

// noteIdle keeps count of the time in which nobody waited. Nothing can be learned from a rate that lanes did not limit.
func (l *lanes) noteIdle(now time.Time) {
	if !l.idle.IsZero() {
		l.unasked += now.Sub(l.idle)
		l.idle = time.Time{}
	}
	if len(l.waiting) == 0 {
		l.idle = now
	}
}

// sent counts bytes that were handed to the network, and measures when it is time.
func (l *lanes) sent(n int) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		l.began = now
	}
	l.bytes += int64(n)
	took := now.Sub(l.began)
	if took < measureEvery {
		return
	}
	l.noteIdle(now)
	if l.unasked < took/5 && took < 4*measureEvery {
		l.tuner.measured(float64(l.bytes) / took.Seconds())
	}
	l.began, l.bytes, l.unasked, l.refused = now, 0, 0, false
	l.grant(now)
}
