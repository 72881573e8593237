package simulation

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/watcher/clock"
)

const sleeping = "the machine sleeps"

// A machine is what the daemon runs on. It sleeps once in a day. On Linux and macOS Go's clock stands
// meanwhile: that takes no time of the bubble, and what others do then they do at that instant. On Windows
// the clock runs on: nothing is sent then, and what is read is as it was.
type machine struct {
	counts bool // its clock runs on

	mu   sync.Mutex
	from time.Time
	long time.Duration // 0 before it slept
	next time.Duration // how long it sleeps once a request for alt texts comes; 0 for not at all
}

// slept is how long the machine slept up to a time.
func (m *machine) slept(by time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.long == 0 || by.Before(m.from):
		return 0
	case m.counts:
		return min(by.Sub(m.from), m.long)
	}
	return m.long
}

// in is how long the machine slept in a time.
func (m *machine) in(s span) time.Duration { return m.slept(s.until) - m.slept(s.from) }

// awake is how much of a time a program could have done something in.
func (m *machine) awake(s span) time.Duration {
	return s.until.Sub(s.from) - when(m.counts, m.in(s))
}

// passed is how long a time was for all others.
func (m *machine) passed(s span) time.Duration {
	return s.until.Sub(s.from) + when(!m.counts, m.in(s))
}

// wakes is when it wakes up; the zero time while it is awake.
func (m *machine) wakes() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return when(m.counts && time.Since(m.from) < m.long, m.from.Add(m.long))
}

// holdAsleep keeps the daemon from the service until the machine is awake. What was held up goes on at
// instants of its own.
func (w *world) holdAsleep(ctx context.Context) {
	if until := w.machine.wakes(); !until.IsZero() {
		select {
		case <-time.After(time.Until(until) + between(random(w.seed, instant().String()), 1, time.Second)):
		case <-ctx.Done():
		}
	}
}

// pretend has the daemon run on the machine, in the days in which it sleeps.
func (w *world) pretend() (back func()) {
	m := &w.machine
	if !w.plan.faults.has(sleeping) {
		return func() {}
	}
	m.counts = chance(random(w.seed, "Windows"), 0.5)
	return clock.Pretend(clock.Machine{Slept: func() time.Duration { return m.slept(time.Now()) }, Counts: m.counts})
}

// sleepOnce has the machine sleep in the middle of something: while others write texts or, where the
// clock runs on, while somebody photographs a set anew.
func (w *world) sleepOnce() {
	r := random(w.seed, sleeping)
	if !w.machine.counts {
		w.machine.mu.Lock()
		w.machine.next = between(r, time.Minute, 12*time.Hour)
		w.machine.mu.Unlock()
		w.describeFolder(pick(r, w.studio.folders...))
		return
	}
	shoots := slices.DeleteFunc(slices.Clone(w.studio.folders), func(f *folder) bool {
		return f.root.unwatched || !f.present || f.wanted < 2 || f.root.leastQuiet < 2*f.root.settle
	})
	long := between(r, 20*time.Second, 20*time.Minute)
	if len(shoots) == 0 {
		w.nap(long)
		return
	}
	w.shootAsleep(r, pick(r, shoots...), long)
}

// shootAsleep has somebody photograph half of a set anew, and the other half after a sleep of the machine.
// Nobody begins anything else then.
func (w *world) shootAsleep(r *rand.Rand, f *folder, long time.Duration) {
	const evening = 3 * time.Minute // in which what was begun comes to its end
	before, after := between(r, f.root.settle, f.root.leastQuiet), between(r, time.Second, f.root.leastQuiet)
	for i := range w.agenda {
		if !w.agenda[i].started {
			w.agenda[i].at = w.agenda[i].at.Add(evening + before + long + after)
		}
	}
	slices.SortStableFunc(w.agenda, func(a, b deed) int { return a.at.Compare(b.at) })
	take := func(from, until int) {
		w.trace.add("%s: photos %d to %d are taken anew", f.name, from+1, until)
		for i := from; i < until; i++ {
			w.takeAgain(f, i)
		}
	}
	w.carryOn(evening, func() { take(0, f.wanted/2); f.poses(before + long + after) })
	w.carryOn(evening+before, func() { w.nap(long) })
	w.carryOn(evening+before+long+after, func() { take(f.wanted/2, f.wanted) })
}

// nap has the machine sleep for a while.
func (w *world) nap(long time.Duration) {
	w.trace.add("the machine sleeps for %s", long.Round(time.Second))
	w.machine.mu.Lock()
	w.machine.from, w.machine.long = time.Now(), long
	w.machine.mu.Unlock()
	if w.machine.counts {
		w.current.Load().hangUp()
		w.carryOn(long, func() { w.trace.add("the machine wakes up") })
	}
}

// napUpon has the machine sleep between a request for alt texts and its answer, if it is to, while others
// write texts.
func (w *world) napUpon(op string) {
	w.machine.mu.Lock()
	long := w.machine.next
	due := op == sandbox.SetAltTexts && long > 0 && !w.calm.Load()
	if due {
		w.machine.next = 0
	}
	w.machine.mu.Unlock()
	if due {
		time.Sleep(time.Millisecond) // the request was on its way before
		w.nap(long)
		w.describeAll()
	}
}

// describeFolder has alt texts written for all photos of a folder at once.
func (w *world) describeFolder(f *folder) {
	if f.root.away || !f.present {
		return
	}
	for i := range f.wanted {
		if name := f.frameName(i); f.files[name] != nil {
			w.studio.put(f, sidecarsOf(name)[0], &content{data: []byte("before the sleep")})
		}
	}
	w.trace.add("%s: all photos are described", f.name)
}

// describeAll has somebody else write a text on each image of all views.
func (w *world) describeAll() {
	products, err := w.service.Products()
	w.studio.must(err)
	products = slices.DeleteFunc(products, func(p sandbox.Product) bool {
		return !p.Status.Finished() || len(p.Revisions) == 0 || len(p.Images) != len(p.Revisions[len(p.Revisions)-1].Files)
	})
	for _, p := range products {
		for i := range p.Images {
			w.describeImage(p, i, "texte d'une nuit")
		}
	}
}
