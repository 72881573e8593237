package watcher

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"spinsync/watcher/volume"
)

// reading is one reading of the tree.
type reading struct {
	walk   walk
	number uint32
	counts bool // events should have come before for the changes it finds
	start  time.Time
	end    time.Time
	err    error // why the root goes offline

	mounts    map[string]volume.Volume // of drives that it came across
	untrusted map[string]string        // directories that are without their drive, and why
}

// passedOver reports whether a reading did not survey the mount at a directory.
func (r *reading) passedOver(dir string) bool {
	return r.walk.detail != listed && Level(dir) == r.walk.disk.depth
}

// unknownAbove gives the error of a directory, at or above a folder, that could not be read.
func (r *reading) unknownAbove(folder string) error {
	i := slices.IndexFunc(r.walk.unknown, func(h unknownDir) bool { return within(h.dir, folder) })
	if i < 0 {
		return nil
	}
	return r.walk.unknown[i].err
}

// beginReading begins the reading of the tree that is due, if one is. The root was surveyed just
// now.
func (t *tree) beginReading(ctx context.Context, now time.Time) {
	r := &reading{walk: walk{from: []string{"."}, detail: listed}, start: now}
	switch p := &t.plan; {
	case p.reading:
		return
	case !p.wholeAt.After(now):
		r.counts = t.at.phase == online && t.watches.set.Count() > 0
		if !t.watches.lazy {
			t.watches.make(ctx, now, t.at.on)
		}
		clear(p.branches)
		p.asked, p.suspect = false, false
		r.walk.accepted = t.trust.takeMounts()
	case t.at.phase != online:
		return
	case len(p.branches) > 0:
		r.walk.from, r.walk.old = slices.Sorted(maps.Keys(p.branches)), t.folders.old(p.isInNewBranch)
		clear(p.branches)
	case t.scans() && !p.scanAt.After(now):
		r.walk.detail, r.walk.idle = named, t.settler.turn(now, p.listTook)
		if !p.timesAt.After(now) {
			r.walk.detail = timed
		}
	default:
		return
	}
	t.begin(ctx, r)
}

func (t *tree) begin(ctx context.Context, r *reading) {
	t.plan.reading = true
	t.folders.reading++
	r.number = t.folders.reading
	w := &r.walk
	w.disk, w.on, w.watch, w.known = t.disk, t.at.on, t.disk.adder(t.watches.set), t.status.getMounts()
	if w.detail == listed {
		w.idle = t.folders.idle()
	}
	r.mounts, r.untrusted, w.wrong = map[string]volume.Volume{}, map[string]string{}, directories{}
	w.mounted = func(dir string, on volume.Volume) {
		t.loop.post(ctx, func(context.Context) { t.absence.mounted(r, dir, on) })
	}
	w.found = func(f found) { t.loop.post(ctx, func(ctx context.Context) { t.met(ctx, r, f) }) }
	t.loop.spawn(ctx, func() func(context.Context) {
		r.err = t.nameDenied(volume.ReadError(w.run(ctx)))
		if g, err := t.ask(); err != nil {
			r.err = err
		} else if !g.SameMount(w.on) {
			r.err = errMoved
		}
		r.end = time.Now()
		return func(ctx context.Context) { t.finish(ctx, r) }
	})
}

// met takes in what a reading of the tree found about one folder.
func (t *tree) met(ctx context.Context, r *reading, what found) {
	if IsGone(what.err) || errors.Is(what.err, errMoved) {
		return
	}
	if away, ok := errors.AsType[*MountError](what.err); ok {
		r.untrusted[what.folder] = away.Why
	}
	if what.err != nil {
		if dir, ok := t.disk.reportedFor(unknownDir{what.folder, what.err}); ok && dir != what.folder {
			r.walk.note(dir, what.err)
		}
	}
	t.settler.take(ctx, what, r.counts)
}

// finish draws the conclusions from a reading of the tree.
func (t *tree) finish(ctx context.Context, r *reading) {
	p := &t.plan
	p.reading = false
	took := r.end.Sub(r.start)
	p.planScans(r, len(t.folders.all), t.timesEvery(r.end))
	if r.err != nil {
		t.fail(r.err)
		return
	}
	if !r.walk.isBranches() {
		t.absence.judgeMounts(r)
	}
	for _, f := range t.troubled.judge(ctx, r) {
		t.settler.remove(f)
	}
	if r.walk.isBranches() {
		return
	}
	t.noteLinks(r.walk.links)
	lost, unknown := t.absence.notMet(r)
	for _, f := range unknown {
		t.settler.failed(ctx, f, r.unknownAbove(f.path))
	}
	if !r.walk.isWhole() {
		p.suspect = p.suspect || slices.ContainsFunc(lost, func(f *folder) bool { return f.missed == nil })
		p.hasten(r.end)
		return
	}
	p.lastWhole, p.took = r.end, took
	if why := t.absence.emptied(r, lost); why != "" {
		t.refuse(r.walk.on, why)
		t.trust.emptied = true
		p.wholeAt = r.end.Add(p.gap())
		return
	}
	t.conclude(ctx, r, lost)
	t.status.setAside(t.folders.aside())
	t.trust.confirm(r.walk.on)
	t.goOnline()
	p.wholeAt = r.end.Add(cmp.Or(t.root.Rescan, p.nextWhole(t.watches.missed, t.watches.set.Complete())))
	if t.watches.wanted(t.at.on) && !t.watches.lazy {
		p.wholeAt = sooner(p.wholeAt, later(t.watches.retry.at, r.end.Add(p.gap())))
	}
	p.hasten(r.end)
}

// noteLinks keeps what links there are, and logs that they are passed by.
func (t *tree) noteLinks(links []string) {
	now := Links{Count: len(links)}
	if now.Count > 0 {
		now.First = slices.Min(links)
	}
	if now.Count > t.links.Count {
		t.log.Warn("links are not followed; watch the directory that they lead to", "first", now.First)
	}
	t.links = now
}

// conclude counts the absence of the folders that a whole read of a healthy root did not find.
func (t *tree) conclude(ctx context.Context, r *reading, lost []*folder) {
	strange, aside := t.absence.strange(r), 0
	for _, f := range lost {
		switch {
		case strange && f.missed == nil:
			f.aside = true
			aside++
			t.settler.drop(f)
		case !strange:
			t.miss(ctx, r, f)
		}
	}
	if aside > 0 {
		t.log.Warn("all product folders disappeared at once, as if another drive were there; a person may accept that they are gone",
			"folders", aside)
	}
}

// miss counts the absence of one folder.
func (t *tree) miss(ctx context.Context, r *reading, f *folder) {
	if f.miss(r) {
		t.settler.gone(ctx, f)
	}
	t.plan.suspect = t.plan.suspect || f.missed.absent.Reads < 2
}
