package watcher

import (
	"container/heap"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
)

// takeHints turns hints into looks and readings.
func (t *tree) takeHints(h events.Hints) {
	if h.From != nil && h.From != t.watches {
		return // of watches that were given up; a whole read follows
	}
	now := time.Now()
	if h.Lost != "" {
		t.lose(h.Lost)
	}
	if t.state == offline {
		t.surveyAt = sooner(t.surveyAt, now)
		return
	}
	for _, below := range slices.Sorted(maps.Keys(h.Paths)) {
		t.takeHint(below, h.Paths[below], now)
	}
}

func (t *tree) takeHint(below string, c events.Change, now time.Time) {
	level := Level(below)
	if 0 < level && level <= t.Depth && c&(events.Appeared|events.Gone) != 0 && t.mayBePhoto(below) {
		t.alone[branchOf(path.Dir(below))] = true
	}
	switch {
	case below == "":
		t.surveyAt = now
	case level < t.Depth && c&events.Unwatched != 0:
		// The watches below a renamed directory go on under its old name.
		t.lose("a directory above product folders was renamed or removed")
	case level < t.Depth && c&events.Appeared != 0:
		t.branches[below] = true
	case level == t.Depth && c != events.Touched && t.folders[below] == nil && t.mayBePhoto(below):
		t.branches[below] = true // it is hardly a product folder
	case level == t.Depth && (c != events.Touched || t.folders[below] != nil):
		t.hinted(below, "", now)
	case 0 < level && level < t.Depth && c == events.Touched:
		t.alone[branchOf(below)] = true // its rights may be other ones now
	case level == t.Depth+1:
		t.takeFileHint(path.Dir(below), path.Base(below), c, now)
	}
}

// mayBePhoto reports whether the path of something above product folders, or in place of one, has
// the name of a photo.
func (t *tree) mayBePhoto(below string) bool {
	k, _ := t.disk.rules.Classify(path.Dir(below), path.Base(below))
	return k == names.Frame
}

// takeFileHint leaves junk out. A file whose attributes alone changed stays still if a look finds
// it the same: indexers and virus scanners cause storms of such events.
func (t *tree) takeFileHint(folder, name string, c events.Change, now time.Time) {
	k, _ := t.disk.rules.Classify(folder, name)
	other := k == names.Foreign || k == names.Photo
	if k == names.Unseen || other && c&(events.Appeared|events.Gone) == 0 {
		return
	}
	if other {
		name = ""
	}
	if (k == names.Frame || k == names.Busy) && c&(events.Appeared|events.Altered) != 0 {
		t.disk.courtesy.wrote(folder, now.Add(shootingLasts))
	}
	if c == events.Touched {
		name = ""
	}
	t.hinted(folder, name, now)
}

// hinted makes a look at a folder due soon, because something told about it.
func (t *tree) hinted(path, name string, now time.Time) {
	if t.disk.rules.HiddenAnywhere(path) {
		return
	}
	f := t.folder(path)
	t.awaken(f)
	f.live.hint(name, now)
	t.reschedule(f)
}

// lookNow makes a look at a folder due at once.
func (t *tree) lookNow(f *folder) {
	t.awaken(f)
	if !f.live.underway {
		t.queue.schedule(f, time.Now())
	}
}

// folder gives the folder of this path, a new one if need be.
func (t *tree) folder(path string) *folder {
	f := t.folders[path]
	if f == nil {
		f = &folder{path: path, born: t.plan.number, late: t.state != unread}
		t.folders[path] = f
	}
	return f
}

// awaken makes sure that a folder has a place in the queue.
func (t *tree) awaken(f *folder) {
	if f.live == nil {
		f.live = &live{due: time.Now().Add(time.Hour)}
		heap.Push(&t.queue, f)
	}
}

// drop forgets the live state of a folder. Its idle state stays.
func (t *tree) drop(f *folder) {
	if f.live != nil {
		heap.Remove(&t.queue, f.live.index)
		f.live = nil
	}
}

func (t *tree) reschedule(f *folder) {
	if f.live.underway {
		return
	}
	t.queue.schedule(f, f.live.next(t.settling().settle, t.pollEvery(f)))
}

// Looks that nothing called for: a folder that was just changing is looked at often, a quiet one
// rarely, and where events can be expected they come first.
const (
	pollUnwatched = 2 * time.Second
	pollWatched   = 10 * time.Second
	pollRarely    = 5 * time.Minute
	pollDenied    = 20 * time.Second // what this account may not read
	share         = 20               // reading may take one part in 20 of the time
)

func (t *tree) pollEvery(f *folder) time.Duration {
	quiet := f.live.last.end.Sub(f.live.changed)
	every := max(pollUnwatched, quiet/6)
	if t.watches.Has(f.path) {
		every = max(pollWatched, quiet/2)
	}
	every = min(every, pollRarely)
	return max(every, t.lookShare())
}

// lookShare is the least time in which all live folders may be looked at.
func (t *tree) lookShare() time.Duration { return share * t.lookTook * time.Duration(len(t.queue)) }

// A second look begins beside the first when the next one has waited this long; more than four
// never run.
const (
	lookPatience = 20 * time.Millisecond
	lookers      = 4
)

// lookAround begins the looks that are due and gives the time of the next.
func (t *tree) lookAround(ctx context.Context, now time.Time) time.Time {
	for len(t.queue) > 0 && t.state != offline && t.looks < lookers && t.surveyed {
		f := t.queue[0]
		due := f.live.due.Add(time.Duration(t.looks) * lookPatience)
		if due.After(now) {
			return due
		}
		t.look(ctx, f)
	}
	return now.Add(time.Hour)
}

// look begins the scheduled look at a folder.
func (t *tree) look(ctx context.Context, f *folder) {
	t.looks++
	f.live.underway = true
	t.queue.schedule(f, time.Now().Add(time.Hour))
	if t.lazy {
		t.makeWatches(ctx, time.Now())
	}
	t.read(ctx, f, t.watching(), func(ctx context.Context, f *folder, l listing, err error) {
		t.looks--
		if f.live != nil {
			f.live.underway = false
		}
		t.looked(ctx, f, l, err)
	})
}

// read reads a folder in another goroutine, which watches it before; done runs in the owner's. The
// folder may have been forgotten meanwhile, and then is a new one.
func (t *tree) read(
	ctx context.Context, f *folder, watch func(string, events.Rank), done func(context.Context, *folder, listing, error),
) {
	path, g, mounts, by := f.path, t.on, mountsOver(t.mounts, f.path), t.settling()
	var open []string
	if by.opened && f.live != nil {
		open = f.live.ripe(time.Now(), by.settle)
	}
	t.spawn(ctx, func() func(context.Context) {
		watch(path, events.ActiveFolder)
		l, err := t.disk.look(path, g, mounts, open)
		return func(ctx context.Context) { done(ctx, t.folder(path), l, err) }
	})
}

// looked takes in what a look found.
func (t *tree) looked(ctx context.Context, f *folder, l listing, err error) {
	switch {
	case t.state == offline:
		t.putOff(f)
	case err == nil:
		t.lookTook = (3*t.lookTook + l.end.Sub(l.start)) / 4
		t.merge(ctx, f, l, source{opened: true})
	case errors.Is(err, errMoved):
		t.surveyAt = time.Now()
		t.putOff(f)
	case errors.Is(err, fs.ErrNotExist):
		t.vanished(f)
	default:
		t.failed(ctx, f, err)
	}
}

// putOff puts off the next look at a folder that cannot be looked at now.
func (t *tree) putOff(f *folder) {
	if f.live == nil || f.live.underway {
		return
	}
	pause := max(pollWatched, t.lookShare())
	if denied(f.live.err) != nil {
		pause = min(pause, pollDenied)
	}
	t.queue.schedule(f, time.Now().Add(pause))
}

// vanished: a look did not find the folder. Only whole reads conclude from that.
func (t *tree) vanished(f *folder) {
	switch {
	case f.missed != nil || f.aside:
		t.drop(f)
	case f.told || f.born == 0:
		t.plan.suspect = true
		t.hasten(time.Now())
		t.putOff(f)
	default:
		t.drop(f)
		delete(t.folders, f.path)
	}
}

// failed notes that a folder is there and cannot be read. Its last listing stays.
func (t *tree) failed(ctx context.Context, f *folder, err error) {
	f.seen, f.missed = t.plan.number, nil
	t.awaken(f)
	news := f.live.err == nil || f.live.err.Error() != err.Error()
	f.live.err = err
	if dir, bars := t.barred(hole{dir: f.path, err: err}); news && bars && Level(dir) < t.Depth {
		t.alone[branchOf(dir)] = true // it is told by itself
	}
	if news {
		t.tell(ctx, f)
	}
	t.putOff(f)
}

// source says how a listing came about.
type source struct {
	opened bool           // by a look, which asked through handles where that matters
	counts bool           // by a reading of the tree, and events should have told before
	answer func(Snapshot) // for Look; nil = none
}

// merge takes a listing in and sends a Snapshot when it holds news.
func (t *tree) merge(ctx context.Context, f *folder, l listing, from source) {
	f.id, f.changed, f.seen, f.listed = l.id, l.changed, t.plan.number, t.plan.number
	back := !f.told || f.missed != nil
	f.missed, f.aside = nil, false
	other := t.takeBeside(ctx, f, l)
	if t.calm(f, l) && from.answer == nil {
		t.drop(f)
		if back || other {
			t.tell(ctx, f)
		}
		return
	}
	t.awaken(f)
	v := f.live
	failed, news := v.err != nil, false
	if !l.start.Before(v.last.start) { // else something newer is known already
		t.countMissed(f, l, from)
		first := v.last.start.IsZero()
		news = v.take(l, f.idlePrint, t.settling(), from.opened) || other
		if other && len(l.files[names.Frame]) == 0 {
			v.changed = l.end
		}
		if !first && v.changed.Equal(l.end) {
			t.disk.courtesy.wrote(f.path, l.end.Add(t.shotFor(f)))
		}
	}
	if from.answer != nil {
		from.answer(t.snapshot(f))
	}
	if news || back || failed || v.resend {
		t.tell(ctx, f)
	}
	t.settle(f)
}

// shotFor is how long a folder that a look found changed counts as being shot. Where no event tells
// of the next frame, a look does, so that it lasts until after that.
func (t *tree) shotFor(f *folder) time.Duration {
	if t.watches.Has(f.path) {
		return shootingLasts
	}
	return shootingLasts + min(t.pollEvery(f), pollWatched)
}

// calm reports whether an idle folder has not changed, and no other look at it is wanted.
func (t *tree) calm(f *folder, l listing) bool {
	if f.idlePrint.IsZero() || l.print != f.idlePrint {
		return false
	}
	v := f.live
	return v == nil ||
		v.last.start.IsZero() && v.err == nil && len(v.touched) == 0 && !v.resend && !v.hinted[1].After(l.start)
}

// idleAfter is the time without a change after which a folder becomes idle by itself. SetIdle does so
// earlier.
const idleAfter = 10 * time.Minute

// settle decides what becomes of a folder after a look.
func (t *tree) settle(f *folder) {
	v := f.live
	quiet := v.last.end.Sub(v.changed)
	if v.still() && (v.last.print == f.idlePrint || quiet >= idleAfter) {
		f.becomeIdle(v.last.print)
		t.drop(f)
		return
	}
	t.reschedule(f)
}

// countMissed notes a change that was found by reading, and counts it when a second later still no
// event has told.
func (t *tree) countMissed(f *folder, l listing, from source) {
	v := f.live
	if !v.untold.IsZero() && l.start.Sub(v.untold) >= time.Second {
		v.untold = time.Time{}
		t.distrust()
	}
	if from.counts && l.print != v.last.print && len(v.touched) == 0 && v.hinted[0].IsZero() {
		v.untold = l.end
	}
}

// tell sends a Snapshot of a folder.
func (t *tree) tell(ctx context.Context, f *folder) {
	t.lastNews = time.Now()
	f.told = f.missed == nil
	if f.live != nil {
		f.live.resend = false
	}
	t.send(ctx, t.snapshot(f))
}

func (t *tree) snapshot(f *folder) Snapshot {
	s := Snapshot{Root: t.Path, Folder: f.path, ID: f.id, Fingerprint: f.idlePrint, NotTaken: f.beside.notTaken()}
	if f.missed != nil {
		s.Absent = f.missed.Absence
		return s
	}
	s.Present = true
	v := f.live
	if v != nil {
		s.Err = v.err
	}
	if v == nil || v.last.start.IsZero() {
		s.Idle = s.Err == nil
		return s
	}
	s.Fingerprint, s.Changed = v.last.print, v.changed
	if !f.late {
		s.Modified = time.Unix(0, v.last.changed)
	}
	s.Frames, s.Sidecars = v.last.files[names.Frame], v.last.files[names.Sidecar]
	for _, b := range v.last.files[names.Busy] {
		_, reason := t.disk.rules.Classify(f.path, b.Name)
		s.Busy = append(s.Busy, Busy{b, t.disk.rules.FrameOf(b.Name), reason})
	}
	if m := v.last.files[names.Marker]; len(m) > 0 {
		s.Marker = &m[0]
	}
	return s
}
