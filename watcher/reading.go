package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/watcher/volume"
)

// reading is one reading of the tree.
type reading struct {
	walk
	number uint32
	whole  bool // else a scan, branches, or single directories
	all    bool // every folder was asked for: whole read or scan
	counts bool // events should have told before of the changes it finds
	start  time.Time
	end    time.Time
	err    error // why the root is to be taken offline

	mounts    map[string]volume.Volume // of drives that it came across
	untrusted map[string]string        // directories that are without their drive, and why
}

// beginReading begins the reading of the tree that is due, if one is. The root was surveyed just
// now.
func (t *tree) beginReading(ctx context.Context, now time.Time) {
	r := &reading{walk: walk{from: []string{""}, detail: listed}, start: now}
	switch p := &t.plan; {
	case p.reading:
		return
	case !p.wholeAt.After(now):
		r.whole, r.all, r.counts = true, true, t.at.phase == online && t.watches.Count() > 0
		if !t.watches.lazy {
			t.watches.make(ctx, now, t.at.on)
		}
		clear(p.branches)
		clear(p.alone)
		p.asked, p.suspect = false, false
		r.accepted, t.trust.accepted.mounts = t.trust.accepted.mounts, nil
	case t.at.phase != online:
		return
	case len(p.branches) > 0:
		r.from = slices.Sorted(maps.Keys(p.branches))
		clear(p.branches)
	case len(p.alone) > 0:
		r.from, r.shallow = slices.Sorted(maps.Keys(p.alone)), true
		clear(p.alone)
	case t.scans() && !p.scanAt.After(now):
		r.all, r.detail, r.idle = true, named, t.turn(now)
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
	r.mounted = func(dir string, on volume.Volume) { t.post(ctx, func(context.Context) { t.mounted(r, dir, on) }) }
	r.found = func(f found) { t.post(ctx, func(ctx context.Context) { t.met(ctx, r, f) }) }
	t.spawn(ctx, func() func(context.Context) {
		r.err = volume.ReadError(r.run(ctx))
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
	if errors.Is(what.err, fs.ErrNotExist) || errors.Is(what.err, errMoved) {
		return
	}
	known := t.folders[what.folder] != nil
	f := t.folder(what.folder)
	f.seen = r.number
	if stray, ok := errors.AsType[*MountError](what.err); ok {
		r.untrusted[f.path] = stray.Why
	}
	switch {
	case what.err != nil:
		if dir, told := t.disk.barred(hole{f.path, what.err}); told && dir != f.path {
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

// finish draws the conclusions from a reading of the tree.
func (t *tree) finish(ctx context.Context, r *reading) {
	p := &t.plan
	p.reading = false
	took := r.end.Sub(r.start)
	t.planScans(r, took)
	if r.err != nil {
		t.goOffline(offline, r.err.Error())
		return
	}
	if !r.all {
		t.judgeDirectories(ctx, r)
		return
	}
	t.judgeMounts(r)
	t.judgeDirectories(ctx, r)
	lost := t.lost(ctx, r)
	if !r.whole {
		p.suspect = p.suspect || slices.ContainsFunc(lost, func(f *folder) bool { return f.missed == nil })
		p.hasten(r.end)
		return
	}
	p.lastWhole, p.took = r.end, took
	if why := t.emptied(r, lost); why != "" {
		t.doubt(r.on, why)
		p.wholeAt = r.end.Add(p.gap())
		return
	}
	t.conclude(ctx, r, lost)
	if t.Volume.IsZero() || t.trust.accepts(r.on) {
		t.Volume = r.on.Identity
	}
	t.trust.accepted.root = nil
	t.goOnline()
	p.wholeAt = r.end.Add(cmp.Or(t.Rescan, p.nextWhole(t.watches.missed, t.watches.Complete())))
	if t.watches.wanted(t.at.on) && !t.watches.lazy {
		p.wholeAt = sooner(p.wholeAt, later(t.watches.retry.at, r.end.Add(p.gap())))
	}
	p.hasten(r.end)
}

// lost gives the folders that were known before a reading and that it should have met. Of those
// below a directory that could not be read nothing is known, and a folder that the configuration
// hides is not gone.
func (t *tree) lost(ctx context.Context, r *reading) []*folder {
	var lost []*folder
	for _, f := range t.folders {
		if f.seen == r.number || f.aside {
			continue
		}
		if i := slices.IndexFunc(r.holes, func(h hole) bool { return within(h.dir, f.path) }); i >= 0 {
			if f.missed == nil {
				t.failed(ctx, f, r.holes[i].err)
			}
			continue
		}
		if !t.disk.rules.HiddenAnywhere(f.path) {
			lost = append(lost, f)
		}
	}
	slices.SortFunc(lost, func(a, b *folder) int { return strings.Compare(a.path, b.path) })
	return lost
}

// emptied says why a root in which no product folder is left is not believed, or "".
func (t *tree) emptied(r *reading, lost []*folder) string {
	had := 0
	for _, f := range lost {
		if f.missed == nil && (f.told || f.born == 0) {
			had++
		}
	}
	if all, _ := t.survivors(r); had == 0 || all > 0 || t.trust.accepts(r.on) {
		return ""
	}
	return fmt.Sprintf("holds no product folder any more, and %d were known: connect the drive, or put them back", had)
}

// conclude counts the absence of the folders that a whole read of a healthy root did not find.
func (t *tree) conclude(ctx context.Context, r *reading, lost []*folder) {
	if t.strange(r) {
		for _, f := range lost {
			if f.missed == nil {
				f.aside = true
				t.drop(f)
			}
		}
		return
	}
	for _, f := range lost {
		if t.count(f, r) {
			t.tell(ctx, f)
		}
		t.plan.suspect = t.plan.suspect || f.missed.Reads < 2
	}
}

// count counts a whole read that did not find a folder, unless the last one was just before.
func (t *tree) count(f *folder, r *reading) bool {
	if f.missed == nil {
		t.drop(f)
		f.missed = &missed{Absence: Absence{Since: r.start}}
	} else if r.start.Sub(f.missed.last) < absenceGap {
		return false
	}
	f.missed.Reads++
	f.missed.last = r.end
	return true
}

// strange reports whether a root holds none of the folders known from before and nothing proves
// that it is still the same volume: another memory card in the same slot. Its folders count, but
// the others are not gone.
func (t *tree) strange(r *reading) bool {
	_, known := t.survivors(r)
	return known == 0 && !t.trust.accepts(r.on) && (t.Volume.IsZero() || !r.on.Sure)
}
