package watcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

func newTree(cfg Root, rules *names.Rules, log *slog.Logger) *tree {
	t := &tree{hints: make(chan events.Hints), survey: volume.Survey}
	t.root, t.volume, t.shots = cfg, cfg.Volume, newShots()
	t.loop = loop{inbox: inbox{wake: make(chan struct{}, 1)}, work: make(chan func(context.Context), 64)}
	t.disk, t.log = newDisk(cfg, rules), log
	t.at.reason = "is being read for the first time"
	t.plan = plan{interval: wholeEvery, branches: map[string]bool{}}
	t.watches = watching{watchSet: noWatches{}, poll: cfg.Poll, open: t.openWatches, log: log}
	t.folders, t.directories = map[string]*folder{}, directories{}
	for path, known := range cfg.Known {
		if Level(path) == cfg.Depth {
			t.folders[path] = &folder{path: path, idlePrint: known.Fingerprint, idleSince: known.At.Unix()}
		}
	}
	for _, dir := range cfg.Directories {
		t.recallDirectory(dir)
	}
	t.status.mounts = map[string]volume.Identity{}
	maps.Copy(t.status.mounts, cfg.Mounts)
	t.root.Known, t.root.Mounts = nil, nil
	t.publish()
	return t
}

// openWatches makes watches that deliver to t.hints.
func (t *tree) openWatches(ctx context.Context) (watchSet, error) {
	w, err := events.Open(t.root.Path, t.watches.lazy, t.log)
	if err != nil {
		return nil, err
	}
	t.loop.readers.Go(func() { w.Drain(ctx, t.hints) })
	return w, nil
}

// run owns the tree until ctx ends, or until the tree may not be read.
func (t *tree) run(ctx context.Context) error {
	defer t.watches.close()
	now := time.Now()
	t.at.since = now
	t.plan.random = rand.New(rand.NewPCG(uint64(now.UnixNano()), 0))
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-t.loop.inbox.wake:
			for _, do := range t.loop.inbox.take() {
				do(ctx)
			}
		case do := <-t.loop.work:
			do(ctx)
			t.loop.workOn(ctx)
		case h := <-t.hints:
			t.takeHints(h)
		}
		if t.refused != nil {
			return t.refused
		}
		timer.Reset(time.Until(t.step(ctx)))
		// A look that the system does not answer may never end.
		t.looking.Store(t.looks > 0 && !t.at.offline())
		t.loop.inbox.done()
		t.publish()
		if t.at.phase != unread {
			t.firstDone()
		}
	}
}

// How often the root is surveyed; a network drive is left alone more. hangLimit is when a reading
// counts as hanging.
const (
	surveyEvery        = 5 * time.Second
	surveyNetworkEvery = 30 * time.Second
	hangLimit          = 30 * time.Second
)

// step begins the work that is due and returns the time of the next step.
func (t *tree) step(ctx context.Context) time.Time {
	now := time.Now()
	if t.hangs() {
		return now.Add(surveyEvery)
	}
	barredAt := t.lookAtBarred(now)
	surveyAt := t.nextSurvey(now)
	if !t.plan.surveying && !surveyAt.After(now) {
		t.beginSurvey(ctx)
		surveyAt = now.Add(surveyEvery)
	}
	lookAt := t.lookAround(ctx, now)
	return sooner(now.Add(surveyEvery), surveyAt, lookAt, barredAt)
}

// hangs takes the root offline while the system does not answer a reading.
func (t *tree) hangs() bool {
	where, since, stuck := t.disk.readings.stuck(hangLimit)
	if stuck {
		t.goOffline(hanging, fmt.Sprintf("does not answer: a reading of %s has not returned since %s",
			where, since.Format(time.TimeOnly)))
	}
	if t.at.phase == hanging && !stuck {
		t.at.phase = offline
	}
	return stuck
}

// nextSurvey is when the root must be surveyed; each reading of the tree begins with that.
func (t *tree) nextSurvey(now time.Time) time.Time {
	if t.plan.reading || t.at.offline() {
		return t.plan.surveyAt
	}
	next := sooner(t.plan.surveyAt, t.plan.wholeAt)
	if t.at.phase == online && len(t.plan.branches) > 0 {
		return now
	}
	if t.scans() {
		next = sooner(next, t.plan.scanAt)
	}
	return next
}

func (t *tree) beginSurvey(ctx context.Context) {
	t.plan.surveying = true
	t.loop.spawn(ctx, func() func(context.Context) {
		if t.root.MayRead != nil {
			if err := t.root.MayRead(); err != nil {
				return func(context.Context) { t.refused = err }
			}
		}
		v, err := t.ask()
		return func(ctx context.Context) { t.judge(ctx, v, err) }
	})
}

// judge decides from a survey whether the root may be read.
func (t *tree) judge(ctx context.Context, v volume.Volume, err error) {
	now := time.Now()
	t.plan.surveying = false
	t.plan.surveyAt = now.Add(UntilTick(now, surveyEvery))
	if err != nil {
		t.fail(err)
		return
	}
	if why := t.volume.Differs(v.Identity); why != "" && !t.trust.accepts(v) {
		t.refuse(v, why)
		return
	}
	if v.Network && t.at.phase == online {
		t.plan.surveyAt = now.Add(surveyNetworkEvery)
	}
	if !t.at.on.SameMount(v) {
		t.plan.readWhole(now)
		t.watches.close() // the watches are on a mount that is no more
	}
	t.at.on = v
	t.beginReading(ctx, now)
}

// accept trusts the volumes that are untrusted at this time.
func (t *tree) accept() {
	if !t.trust.untrusted.none() {
		t.trust.accepted, t.trust.untrusted = t.trust.untrusted, strangers{}
		t.rescan()
	}
}

func (t *tree) rescan() {
	t.plan.readWhole(time.Now())
	t.plan.surveyAt = time.Time{}
}

// beginReading begins the reading of the tree that is due, if one is. The root was surveyed just
// now.
func (t *tree) beginReading(ctx context.Context, now time.Time) {
	r := &reading{walk: walk{from: []string{"."}, detail: listed}, start: now}
	switch p := &t.plan; {
	case p.reading:
		return
	case !p.wholeAt.After(now):
		r.counts = t.at.phase == online && t.watches.Count() > 0
		if !t.watches.lazy {
			t.watches.make(ctx, now, t.at.on)
		}
		clear(p.branches)
		p.asked, p.suspect = false, false
		r.accepted, t.trust.accepted.mounts = t.trust.accepted.mounts, nil
	case t.at.phase != online:
		return
	case len(p.branches) > 0:
		r.from, r.old = slices.Sorted(maps.Keys(p.branches)), t.old()
		clear(p.branches)
	case t.scans() && !p.scanAt.After(now):
		r.detail, r.idle = named, t.turn(now)
		if !p.timesAt.After(now) {
			r.detail = timed
		}
	default:
		return
	}
	t.begin(ctx, r)
}

func (t *tree) begin(ctx context.Context, r *reading) {
	t.plan.reading = true
	t.plan.number++
	r.number = t.plan.number
	r.disk, r.on, r.watch, r.known = t.disk, t.at.on, t.disk.adder(t.watches.watchSet), t.status.getMounts()
	if r.detail == listed {
		r.idle = t.idle()
	}
	r.mounts, r.untrusted, r.wrong = map[string]volume.Volume{}, map[string]string{}, directories{}
	r.mounted = func(dir string, on volume.Volume) { t.loop.post(ctx, func(context.Context) { t.mounted(r, dir, on) }) }
	r.found = func(f found) { t.loop.post(ctx, func(ctx context.Context) { t.met(ctx, r, f) }) }
	t.loop.spawn(ctx, func() func(context.Context) {
		r.err = t.barring(volume.ReadError(r.run(ctx)))
		if g, err := t.ask(); err != nil {
			r.err = err
		} else if !g.SameMount(r.on) {
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
	known := t.folders[what.folder] != nil
	f := t.folder(what.folder)
	f.seen = r.number
	if away, ok := errors.AsType[*MountError](what.err); ok {
		r.untrusted[f.path] = away.Why
	}
	switch {
	case what.err != nil:
		if dir, told := t.disk.barred(unknownDir{f.path, what.err}); told && dir != f.path {
			r.note(dir, what.err)
		}
		t.failed(ctx, f, what.err)
	case what.listing != nil && what.listing.bare && !t.calm(f, *what.listing): // changed meanwhile
		t.lookNow(f)
	case what.listing != nil:
		t.merge(ctx, f, *what.listing, source{counts: r.counts && t.watched(f, known)})
	case what.changed != 0 && what.changed != f.changed || !f.told:
		t.lookNow(f)
	}
}

// watched reports whether events should have told of a change in the folder, or of its appearance.
func (t *tree) watched(f *folder, known bool) bool {
	if !known {
		return t.watches.Complete()
	}
	return t.watches.Has(f.path)
}
