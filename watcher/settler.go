package watcher

import (
	"container/heap"
	"context"
	"slices"
	"time"

	"spinsync/watcher/names"
)

// settler follows the product folders of one root until their files are still: it knows which
// folder is read next, and reports what a read found. The loop owns it.
type settler struct {
	root       string        // its path
	stillAfter time.Duration // see Root.Settle
	folders    *folders
	disk       *disk
	loop       *loop
	at         *condition // of the root
	watches    *watching
	status     *statusBox // has the mounts below the root
	troubled   *troubled
	shots      *shots
	out        *outbox
	above      above

	queue    queue         // of folders in which something may happen
	reads    int           // under way
	readTook time.Duration // recently
	lastNews time.Time
}

// above is the tree around a settler, which reads more than single folders.
type above interface {
	surveySoon()   // the root may have been replaced
	proveAbsence() // a folder was not found, which only whole reads prove
	distrust()     // a folder changed without an event, so that others may have changed too
}

// awaken makes sure that a folder has a place in the queue.
func (s *settler) awaken(f *folder) {
	if f.live == nil {
		f.live = &live{due: time.Now().Add(time.Hour)}
		heap.Push(&s.queue, f)
	}
}

// drop forgets the live state of a folder, and its watch where that costs much. Its idle state stays.
func (s *settler) drop(f *folder) {
	if f.live != nil {
		heap.Remove(&s.queue, f.live.index)
		f.live = nil
	}
	s.watches.set.Rest(f.path)
}

// remove forgets a folder.
func (s *settler) remove(f *folder) {
	s.drop(f)
	delete(s.folders.all, f.path)
}

// hinted makes a read of a folder due soon, because an event was about it.
func (s *settler) hinted(path, name string, now time.Time) {
	if s.disk.rules.HiddenAnywhere(path) {
		return
	}
	f := s.folders.at(path)
	s.awaken(f)
	f.live.hint(name, now)
	s.reschedule(f)
}

// readNow makes a read of a folder due at once.
func (s *settler) readNow(f *folder) {
	s.awaken(f)
	if !f.live.underway {
		s.queue.schedule(f, time.Now())
	}
}

// Reads that nothing called for: a folder that was just changing is read often, a quiet one rarely,
// and where events can be expected they come first.
const (
	pollUnwatched = 2 * time.Second
	pollWatched   = 10 * time.Second
	pollRarely    = 5 * time.Minute
	pollDenied    = 20 * time.Second // what this account may not read
	shootingLasts = time.Second      // after a frame that was seen to be written
)

func (s *settler) reschedule(f *folder) {
	if f.live.underway {
		return
	}
	s.queue.schedule(f, f.live.next(s.at.rule(s.stillAfter).settle, s.pollEvery(f)))
}

func (s *settler) pollEvery(f *folder) time.Duration {
	quiet := f.live.last.end.Sub(f.live.changed)
	every := max(pollUnwatched, quiet/6)
	if s.watches.set.Has(f.path) {
		every = max(pollWatched, quiet/2)
	}
	every = min(every, pollRarely)
	return max(every, s.readShare())
}

// readShare is the least time in which all live folders may be read.
func (s *settler) readShare() time.Duration { return share * s.readTook * time.Duration(len(s.queue)) }

// report sends a Snapshot of a folder.
func (s *settler) report(ctx context.Context, f *folder) {
	s.lastNews = time.Now()
	f.reported = f.missed == nil
	if f.live != nil {
		f.live.resend = false
	}
	s.out.put(ctx, s.snapshot(f))
}

// gone reports a folder that a whole read did not find.
func (s *settler) gone(ctx context.Context, f *folder) {
	if f.missed.absent.Reads == 1 {
		s.drop(f)
	}
	s.report(ctx, f)
}

func (s *settler) snapshot(f *folder) Snapshot {
	news := Snapshot{Root: s.root, Folder: f.path, ID: f.id, Fingerprint: f.idlePrint, NotTaken: f.beside.notTaken()}
	if f.missed != nil {
		news.Absent = f.missed.absent
		return news
	}
	news.Present = true
	v := f.live
	if v != nil {
		news.Err = v.err
	}
	if v == nil || v.last.start.IsZero() {
		news.Idle = news.Err == nil
		return news
	}
	news.Fingerprint, news.Changed, news.Overslept = v.last.print, v.changed, v.last.overslept
	news.Mixed = v.kept != nil
	var held []File
	news.Frames, held = partHeld(v.last.files[names.Frame])
	news.Sidecars = v.last.files[names.Sidecar]
	for _, b := range v.last.files[names.Busy] {
		_, reason := s.disk.rules.Classify(f.path, b.Name)
		news.Busy = append(news.Busy, Busy{b, s.disk.rules.FrameOf(b.Name), reason, names.IsPlaceholder(b.Name)})
	}
	for _, h := range held {
		news.Busy = append(news.Busy, Busy{h, s.disk.rules.FrameOf(h.Name), h.Held, true})
	}
	if m := v.last.files[names.Marker]; len(m) > 0 {
		news.Marker = &m[0]
	}
	return news
}

// partHeld parts the frames that are held from the others. One that was found still before is what
// it was.
func partHeld(frames []File) (free, held []File) {
	isHeld := func(f File) bool { return f.Held != "" && !f.Still }
	if !slices.ContainsFunc(frames, isHeld) {
		return frames, nil
	}
	for _, f := range frames {
		if isHeld(f) {
			held = append(held, f)
		} else {
			free = append(free, f)
		}
	}
	return free, held
}
