package simulation

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// planPasses has people call sync in some of the days, beside the daemon or in its place.
func (w *world) planPasses() {
	r := random(w.seed, "passes")
	if !chance(r, 0.3) {
		return
	}
	for range 1 + r.IntN(3) {
		w.after(between(r, 0, w.plan.chaos), pick(r, w.passBeside, w.passAlone))
	}
}

// longestPass is how long a pass may take on a day on which things go wrong: nobody waits for longer.
const longestPass = time.Hour

// passBeside has a person call sync while the daemon runs.
func (w *world) passBeside() {
	l := w.current.Load()
	if l.isOver() {
		return
	}
	w.trace.add("sync is called beside life %d", l.number)
	go func() {
		ctx, cancel := context.WithTimeout(w.t.Context(), longestPass)
		defer cancel()
		_ = l.daemon.Pass(ctx) // it ends with the life at the latest
	}()
}

// passAlone has a person stop the daemon, and call sync in its place.
func (w *world) passAlone() {
	if l := w.current.Load(); !w.calm.Load() && !l.isOver() {
		w.startPass(l)
	}
}

// startPass has the life end, and a sync begin in its place.
func (w *world) startPass(l *life) {
	w.trace.add("life %d is stopped for a sync", l.number)
	w.luck.passes = true
	l.end()
}

// waitForBeat waits until the next full five seconds. A pass checks at intervals whether it is over, and
// the scheduler moves them by a little. The next life must begin at the same time in each run.
func waitForBeat() {
	const beat = 5 * time.Second
	time.Sleep(time.Until(time.Now().Truncate(beat).Add(beat)))
}

// patienceWithPass is more than a pass needs when all is well: it tries a folder for ten minutes.
const patienceWithPass = 20 * time.Minute

// endWithPass has a person call sync once all is at rest, beside the daemon or in its place. It comes to
// its end, finds everything published, and changes nothing on the service.
func (w *world) endWithPass() {
	if w.seemsOvertaken() {
		return
	}
	before, err := w.service.Journal()
	w.studio.must(err)
	err = pick(random(w.seed, "last pass"), w.lastPassBeside, w.lastPassAlone)()
	if err != nil && (w.allDone() || !errors.Is(err, daemon.ErrUnpublished)) {
		w.breaks("sync, when all was at rest: %v", err)
	}
	after, err := w.service.Journal()
	w.studio.must(err)
	for _, e := range after[len(before):] {
		w.breaks("sync, when all was at rest: %s of %s", e.Effect, e.Title)
	}
}

// allDone reports whether a sync has nothing to complain of: a root without any folder counts as a drive
// that went away.
func (w *world) allDone() bool {
	shown := w.current.Load().daemon.Daemon().Status()
	return !slices.ContainsFunc(shown.Roots, func(r watcher.RootStatus) bool { return !r.Online }) &&
		!slices.ContainsFunc(shown.Products, func(p status.ProductStatus) bool {
			return p.State != status.Published && p.State != status.Missing
		})
}

func (w *world) lastPassBeside() error {
	ended, l := make(chan error, 1), w.current.Load()
	ctx, cancel := context.WithTimeout(w.t.Context(), patienceWithPass)
	defer cancel()
	w.trace.add("sync is called beside life %d, when all is at rest", l.number)
	go func() { ended <- l.daemon.Pass(ctx) }()
	for len(ended) == 0 {
		w.pass(time.Now().Add(time.Second))
	}
	return <-ended
}

func (w *world) lastPassAlone() error {
	if r := random(w.seed, "last ignored"); chance(r, 0.3) {
		f := pick(r, w.studio.folders...)
		i := slices.Index(w.studio.roots, f.root)
		w.plan.roots[i].ignore = path.Base(f.name)
		w.trace.add("sync.toml ignores %s", w.plan.roots[i].ignore)
	}
	w.startPass(w.current.Load())
	enough := time.Now().Add(patienceWithPass)
	for w.pass(time.Now().Add(time.Minute)); time.Now().Before(enough); w.pass(time.Now().Add(time.Second)) {
		if w.sync.isDead() && !w.current.Load().isDead() {
			return w.sync.err
		}
	}
	return errors.New("it does not end")
}
