package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"spinsync/watcher/volume"
)

// Whole reads come every 5 minutes give or take a quarter, so that several machines do not read a
// drive in step. They come more often while they find what no event told, and less often while
// events tell all.
const (
	wholeEvery  = 5 * time.Minute
	wholeOften  = 30 * time.Second
	wholeSeldom = 20 * time.Minute
	absenceGap  = 5 * time.Second // between two whole reads that prove an absence
)

// plan says when the tree is read, and how often it was.
type plan struct {
	number  uint32 // of the last reading
	reading bool   // one is under way

	wholeAt   time.Time
	scanAt    time.Time
	timesAt   time.Time     // of the next scan that reads the times of product folders
	listTook  time.Duration // by one folder of a turn, recently
	lastWhole time.Time     // end of the last one of a healthy root
	took      time.Duration // by that
	interval  time.Duration // between whole reads, without jitter
	missed    int           // tree.missed at the end of the last one
	asked     bool          // a whole read is wanted that begins after the one under way
	suspect   bool          // a folder was not found, and whole reads must prove its absence
	// doubted is the untrusted volume that took the root offline, so that a person may accept it.
	doubted *volume.Volume
	// accepted is the volume a person trusted, until it was read or the root is on another one.
	accepted *volume.Volume
	random   *rand.Rand
}

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

	mounts map[string]volume.Volume // of drives that it came across
	astray map[string]string        // directories that are without their drive, and why
}

// beginReading begins the reading of the tree that is due, if one is. The root was surveyed just
// now.
func (t *tree) beginReading(ctx context.Context, now time.Time) {
	r := &reading{walk: walk{from: []string{""}, detail: listed}, start: now}
	switch p := &t.plan; {
	case p.reading:
		return
	case !p.wholeAt.After(now):
		r.whole, r.all, r.counts = true, true, t.state == online && t.watches.Count() > 0
		if !t.lazy {
			t.makeWatches(ctx, now)
		}
		clear(t.branches)
		clear(t.alone)
		p.asked, p.suspect = false, false
		r.waived, t.waived = t.waived, nil
	case t.state != online:
		return
	case len(t.branches) > 0:
		r.from = slices.Sorted(maps.Keys(t.branches))
		clear(t.branches)
	case len(t.alone) > 0:
		r.from, r.shallow = slices.Sorted(maps.Keys(t.alone)), true
		clear(t.alone)
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
	r.disk, r.on, r.watch, r.known = t.disk, t.on, t.watching(), t.mounts
	if r.detail == listed {
		r.idle = t.idle()
	}
	r.mounts, r.astray, r.wrong = map[string]volume.Volume{}, map[string]string{}, directories{}
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

// idle are the listings of the idle folders.
func (t *tree) idle() map[string]Fingerprint {
	all := make(map[string]Fingerprint, len(t.folders))
	for path, f := range t.folders {
		if !f.idlePrint.IsZero() && f.live == nil {
			all[path] = f.idlePrint
		}
	}
	return all
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
		r.astray[f.path] = stray.Why
	}
	switch {
	case what.err != nil:
		if dir, told := t.barred(hole{f.path, what.err}); told && dir != f.path {
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
		t.goOffline(r.err.Error())
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
		t.hasten(r.end)
		return
	}
	p.lastWhole, p.took = r.end, took
	if why := t.emptied(r, lost); why != "" {
		t.doubt(r.on, why)
		p.wholeAt = r.end.Add(t.gap())
		return
	}
	t.conclude(ctx, r, lost)
	if t.Volume.IsZero() || t.accepts(r.on) {
		t.Volume = r.on.Identity
	}
	p.accepted = nil
	t.goOnline()
	p.wholeAt = r.end.Add(t.nextWhole())
	if t.wantsWatches() && !t.lazy {
		p.wholeAt = sooner(p.wholeAt, later(t.retry.at, r.end.Add(t.gap())))
	}
	t.hasten(r.end)
}

// gap is the least time between the end of a whole read and the next.
func (t *tree) gap() time.Duration { return max(absenceGap, share*t.plan.took) }

// nextWhole says how long to wait for the next whole read.
func (t *tree) nextWhole() time.Duration {
	p := &t.plan
	switch {
	case t.Rescan > 0:
		return t.Rescan
	case t.missed > p.missed:
		p.interval = max(wholeOften, p.interval/2)
	case t.watches.Complete():
		p.interval = min(wholeSeldom, p.interval*2)
	default:
		p.interval = wholeEvery
	}
	p.missed = t.missed
	jitter := 0.75 + 0.5*p.random.Float64()
	return max(time.Duration(float64(p.interval)*jitter), share*p.took)
}

// readWhole asks for a whole read at once.
func (t *tree) readWhole(now time.Time) {
	t.plan.asked = true
	t.plan.wholeAt = sooner(t.plan.wholeAt, now)
}

// hasten makes the next whole read come soon while one is wanted, or could prove that a folder is
// gone.
func (t *tree) hasten(now time.Time) {
	if t.plan.asked {
		t.plan.wholeAt = now
	}
	if t.plan.suspect {
		t.plan.wholeAt = sooner(t.plan.wholeAt, later(now, t.plan.lastWhole.Add(t.gap())))
	}
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

// survivors counts the folders that a reading met, and those among them that were known before it.
func (t *tree) survivors(r *reading) (all, known int) {
	for _, f := range t.folders {
		if f.seen == r.number {
			all++
			if f.born < r.number {
				known++
			}
		}
	}
	return all, known
}

// emptied says why a root in which no product folder is left is not believed, or "".
func (t *tree) emptied(r *reading, lost []*folder) string {
	had := 0
	for _, f := range lost {
		if f.missed == nil && (f.told || f.born == 0) {
			had++
		}
	}
	if all, _ := t.survivors(r); had == 0 || all > 0 || t.accepts(r.on) {
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
	return known == 0 && !t.accepts(r.on) && (t.Volume.IsZero() || !r.on.Sure)
}

func (t *tree) rescan() {
	t.readWhole(time.Now())
	t.surveyAt = time.Time{}
}

// doubt takes the root offline because of its volume.
func (t *tree) doubt(g volume.Volume, why string) {
	t.goOffline(why)
	t.plan.doubted = &g
}

// accept trusts the volumes that are untrusted at this time, and none that come later.
func (t *tree) accept() {
	if t.plan.doubted == nil && len(t.astray) == 0 {
		return
	}
	t.plan.accepted, t.plan.doubted = t.plan.doubted, nil
	t.waived, t.astray = t.astray, nil
	t.rescan()
}

func (t *tree) accepts(g volume.Volume) bool { return t.plan.accepted != nil && *t.plan.accepted == g }
