package watcher

import (
	"container/heap"
	"context"
	"log/slog"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"spinsync/watcher/names"
)

// settler follows the product folders of one root until their files are still: it knows which
// folder is looked at next, and tells what a look found. The loop owns it.
type settler struct {
	root    Root
	loop    loop
	disk    *disk
	shots   *shots
	log     *slog.Logger
	send    func(context.Context, Snapshot)
	status  statusBox
	at      condition
	plan    plan
	watches watching

	folders  map[string]*folder
	queue    queue         // of folders in which something may happen
	looks    int           // under way
	looking  atomic.Bool   // some are
	lookTook time.Duration // recently
	lastNews time.Time

	directories directories // those that were told of
}

// folder gives the folder of this path, a new one if need be.
func (s *settler) folder(path string) *folder {
	f := s.folders[path]
	if f == nil {
		f = &folder{path: path, born: s.plan.number}
		s.folders[path] = f
	}
	return f
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
	s.watches.Rest(f.path)
}

// hinted makes a look at a folder due soon, because something told about it.
func (s *settler) hinted(path, name string, now time.Time) {
	if s.disk.rules.HiddenAnywhere(path) {
		return
	}
	f := s.folder(path)
	s.awaken(f)
	f.live.hint(name, now)
	s.reschedule(f)
}

// lookNow makes a look at a folder due at once.
func (s *settler) lookNow(f *folder) {
	s.awaken(f)
	if !f.live.underway {
		s.queue.schedule(f, time.Now())
	}
}

// Looks that nothing called for: a folder that was just changing is looked at often, a quiet one
// rarely, and where events can be expected they come first.
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
	s.queue.schedule(f, f.live.next(s.at.rule(s.root.Settle).settle, s.pollEvery(f)))
}

func (s *settler) pollEvery(f *folder) time.Duration {
	quiet := f.live.last.end.Sub(f.live.changed)
	every := max(pollUnwatched, quiet/6)
	if s.watches.Has(f.path) {
		every = max(pollWatched, quiet/2)
	}
	every = min(every, pollRarely)
	return max(every, s.lookShare())
}

// lookShare is the least time in which all live folders may be looked at.
func (s *settler) lookShare() time.Duration { return share * s.lookTook * time.Duration(len(s.queue)) }

// tell sends a Snapshot of a folder.
func (s *settler) tell(ctx context.Context, f *folder) {
	s.lastNews = time.Now()
	f.told = f.missed == nil
	if f.live != nil {
		f.live.resend = false
	}
	s.send(ctx, s.snapshot(f))
}

func (s *settler) snapshot(f *folder) Snapshot {
	news := Snapshot{Root: s.root.Path, Folder: f.path, ID: f.id, Fingerprint: f.idlePrint, NotTaken: f.beside.notTaken()}
	if f.missed != nil {
		news.Absent = f.missed.Absence
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

// lose gives the watches up because events were lost, and reads the tree.
func (s *settler) lose(why string) {
	now := time.Now()
	s.log.Info("the whole tree is read", "reason", why)
	s.watches.giveUp(now)
	s.plan.readWhole(now)
}

// distrust counts a change that no event told, and makes the watches anew.
func (s *settler) distrust() {
	s.watches.missed++
	s.lose("a read found a change without an event")
}

// idle are the listings of the idle folders.
func (s *settler) idle() map[string]Fingerprint {
	all := make(map[string]Fingerprint, len(s.folders))
	for path, f := range s.folders {
		if !f.idlePrint.IsZero() && f.live == nil {
			all[path] = f.idlePrint
		}
	}
	return all
}

// old are the product folders that are there, and the directories above them, but for all that lies
// in a new branch.
func (s *settler) old() map[string]bool {
	all := make(map[string]bool, len(s.folders))
	for folder, f := range s.folders {
		if f.missed != nil || f.aside || s.plan.isInNewBranch(folder) {
			continue
		}
		for dir := folder; dir != "." && !all[dir]; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	return all
}

// survivors counts the folders that a reading met, and those among them that were known before it.
func (s *settler) survivors(r *reading) (all, known int) {
	for _, f := range s.folders {
		if f.seen == r.number {
			all++
			if f.born < r.number {
				known++
			}
		}
	}
	return all, known
}
