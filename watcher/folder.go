package watcher

import (
	"container/heap"
	"errors"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// folder is what the watcher keeps about a product folder. There may be 30,000, so live holds all
// that an idle folder does not need.
type folder struct {
	path       string
	id         volume.FileID
	changed    int64       // the directory's own time when it was last read, see listing
	idlePrint  Fingerprint // the listing it became idle with, zero = none
	idleSince  int64       // seconds since 1970
	idleFrames int32       // how many that listing had; 0 = unknown
	idleNewest int64       // when the newest of them was written, see Newest
	live       *live       // nil while it is idle
	beside     *beside     // nil for nothing
	missed     *missed     // nil while it is there
	seen       uint32      // number of the last reading of the tree that met it
	listed     uint32      // number of the last reading of the tree that listed its files
	born       uint32      // number of the reading when it was first met; 0 = known from before
	reported   bool        // a snapshot has reported that it is there
	aside      bool        // gone together with all others: it waits for its drive, or for Accept
}

// folders are the product folders of a root. A folder that comes later than the last reading of the
// tree is noted with the number of that reading.
type folders struct {
	all     map[string]*folder // by path
	reading uint32             // number of the last reading of the tree
}

// newFolders knows the folders of an earlier process, but for those that the configuration hides now.
func newFolders(cfg Root, rules *names.Rules) *folders {
	fs := &folders{all: map[string]*folder{}}
	for path, known := range cfg.Known {
		if Level(path) == cfg.Depth && !rules.HiddenAnywhere(path) {
			f := &folder{
				path: path, idlePrint: known.Fingerprint, idleSince: known.At.Unix(), idleFrames: int32(known.Frames),
				idleNewest: known.Newest, aside: slices.Contains(cfg.Aside, path),
			}
			if known.Gone {
				f.missed = &missed{}
			}
			fs.all[path] = f
		}
	}
	return fs
}

// at gives the folder of this path, a new one if need be.
func (fs *folders) at(path string) *folder {
	f := fs.all[path]
	if f == nil {
		f = &folder{path: path, born: fs.reading}
		fs.all[path] = f
	}
	return f
}

// idle are the listings of the idle folders.
func (fs *folders) idle() map[string]Fingerprint {
	all := make(map[string]Fingerprint, len(fs.all))
	for path, f := range fs.all {
		if !f.idlePrint.IsZero() && f.live == nil {
			all[path] = f.idlePrint
		}
	}
	return all
}

// old are the product folders that are there, and the directories above them, but for all that lies
// in a new branch.
func (fs *folders) old(isNew func(folder string) bool) map[string]bool {
	all := make(map[string]bool, len(fs.all))
	for folder, f := range fs.all {
		if f.missed != nil || f.aside || isNew(folder) {
			continue
		}
		for dir := folder; dir != "." && !all[dir]; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	return all
}

// aside are the folders that are set aside, in the order of their names.
func (fs *folders) aside() []string {
	var all []string
	for path, f := range fs.all {
		if f.aside {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// becomeIdle notes what the folder became idle with.
func (f *folder) becomeIdle(with Fingerprint) {
	if f.idlePrint == with {
		return
	}
	f.idlePrint, f.idleSince, f.idleFrames = with, time.Now().Unix(), 0
	if f.live != nil && f.live.last.print == with {
		frames := f.live.last.files[names.Frame]
		f.idleFrames, f.idleNewest = int32(len(frames)), Newest(frames)
	}
}

// keptAtRest are the frames of its first read after it was idle that were there before, where the others
// took the place of some: as many as before are there, and the others are newer than all of those. It is nil
// for none.
func (f *folder) keptAtRest(frames []File) map[string]bool {
	kept := map[string]bool{}
	for _, frame := range frames {
		if frame.ModTime.UnixNano() <= f.idleNewest {
			kept[frame.Name] = true
		}
	}
	if len(frames) != int(f.idleFrames) || len(kept) == len(frames) || len(kept) == 0 {
		return nil
	}
	return kept
}

// missed counts the whole reads that did not find a folder; none yet where an earlier process knew it
// as gone.
type missed struct {
	absent Absence
	last   time.Time // the end of the last read that counted
}

// miss counts a whole read that did not find the folder, unless the last one was just before.
func (f *folder) miss(r *reading) bool {
	if f.missed == nil || f.missed.absent.Reads == 0 {
		f.missed = &missed{absent: Absence{Since: r.start}}
	} else if r.start.Sub(f.missed.last) < absenceGap {
		return false
	}
	f.missed.absent.Reads++
	f.missed.last = r.end
	return true
}

// isUnmounted reports whether a folder cannot be read because its drive is away.
func (f *folder) isUnmounted() bool {
	if f.live == nil {
		return false
	}
	_, is := errors.AsType[*MountError](f.live.err)
	return is
}

// live holds the state of a folder while something may happen in it.
type live struct {
	last        listing   // the last read; zero before the first
	changed     time.Time // see Snapshot.Changed
	err         error     // why the last read failed
	unannounced time.Time // when a read found a change without an event; zero = none
	touched     map[string]time.Time
	kept        map[string]bool // frames from before the first that was written over; nil for none
	hinted      [2]time.Time    // first and last hint since the last read, zero = none
	due         time.Time       // of the next read
	index       int             // in the queue
	resend      bool            // the next snapshot is sent even without news
	underway    bool            // a scheduled read has begun
}

// take merges a new listing and reports whether it holds news. Idle is the fingerprint the folder
// became idle with. Blind means that no read succeeded in between, though one was tried.
func (v *live) take(l listing, idle Fingerprint, by stillRule, blind bool) (news bool) {
	first := v.last.start.IsZero()
	var lost time.Duration // in which nothing could be written, or nobody could see it
	if !first {
		lost = l.overslept - v.last.overslept
		if blind {
			lost = max(lost, l.start.Sub(v.last.end))
		}
		v.changed = postponed(v.changed, lost)
	}
	unchanged := first && !idle.IsZero() && l.print == idle
	news = lost > 0 || !unchanged && (first || l.print != v.last.print)
	if first && !unchanged {
		v.changed = l.end
	}
	for k := range l.files {
		moved := !unchanged && len(l.files[k]) != len(v.last.files[k])
		for i := range l.files[k] {
			f := &l.files[k][i]
			was, known := find(v.last.files[k], f.Name)
			_, touched := v.touched[f.Name]
			switch {
			case touched || !unchanged && !(known && same(*f, was)):
				f.Since, moved = l.end, true
				if names.Kind(k) == names.Frame && known && !sameFile(*f, was) {
					v.writtenOver(was, was.Still || f.ModTime.Sub(was.ModTime) >= by.settle)
				}
				if names.Kind(k) == names.Busy && !known {
					f.Since = by.lastWritten(*f, l)
				}
				if names.Kind(k) == names.Marker && known && sameFile(*f, was) {
					f.Since = postponed(was.Since, lost) // or it would speak for what came meanwhile
				}
			case unchanged:
				f.Still = true
			default:
				f.Since = postponed(was.Since, lost)
				f.Still = was.Still || f.Held == "" && by.proves(l.start.Sub(f.Since), slices.Contains(l.opened, f.Name))
				news = news || f.Still != was.Still || f.Held != was.Held
			}
		}
		news = news || moved
		if moved && names.Kind(k) != names.Sidecar {
			v.changed = l.end
		}
	}
	v.forgetKept(l)
	v.last, v.err = l, nil
	v.answered(l.start)
	return news
}

// writtenOver notes that a frame is another one now. Once one that was finished was written over, all
// others are from before, until they are written over or go. So it is again with one that took the
// place of another before. A frame was finished if it was still, or was not written to for as long
// before it was found. One that is written more slowly than it is read seems finished too, so that quiet
// decides.
func (v *live) writtenOver(was File, finished bool) {
	if finished && !v.kept[was.Name] {
		v.kept = map[string]bool{}
		for _, f := range v.last.files[names.Frame] {
			v.kept[f.Name] = true
		}
	}
	delete(v.kept, was.Name)
}

// forgetKept forgets the kept frames that are not in a listing.
func (v *live) forgetKept(l listing) {
	for name := range v.kept {
		if _, is := find(l.files[names.Frame], name); !is {
			delete(v.kept, name)
		}
	}
	if len(v.kept) == 0 {
		v.kept = nil
	}
}

// postponed takes lost time out of the time that has passed since.
func postponed(since time.Time, lost time.Duration) time.Time {
	if since.IsZero() {
		return since
	}
	return since.Add(lost)
}

// proves reports whether a file that was found the same for so long is still.
func (by stillRule) proves(unchanged time.Duration, opened bool) bool {
	return unchanged >= by.settle && (opened || !by.opened)
}

// drift is the most by which the clock of a network drive is believed to differ from ours: a wrong
// time zone.
const drift = 24 * time.Hour

// frames are the names of the frames as they were listed last.
func (v *live) frames() []string {
	var all []string
	for _, f := range v.last.files[names.Frame] {
		all = append(all, f.Name)
	}
	return all
}

// lastWritten estimates when a newly found file was written, by our clock. Our clock does not apply
// to the time of a file on a network drive. There the folder's own time, which the drive set when a
// name came or went, is a time that the drive has surely passed. Beyond drift our clock serves for
// a drive too.
func (by stillRule) lastWritten(f File, l listing) time.Time {
	age := l.end.Sub(f.ModTime)
	if by.opened {
		age = max(time.Unix(0, l.changed).Sub(f.ModTime), age-drift)
	}
	return l.end.Add(-max(age, 0))
}

// answered forgets the hints that came before a read began.
func (v *live) answered(start time.Time) {
	for name, at := range v.touched {
		if at.Before(start) {
			delete(v.touched, name)
		}
	}
	if v.hinted[1].Before(start) {
		v.hinted = [2]time.Time{}
	}
	v.hinted[0] = v.hinted[1]
}

func find(files []File, name string) (File, bool) {
	i, ok := slices.BinarySearchFunc(files, name, func(f File, name string) int {
		return strings.Compare(f.Name, name)
	})
	if !ok {
		return File{}, false
	}
	return files[i], true
}

// same reports whether a file is as it was. A drive may show one size and time for as long as a
// file is being written, but not one time of the last change.
func same(a, b File) bool {
	changed := a.Changed != b.Changed && a.Changed != 0 && b.Changed != 0
	return sameFile(a, b) && !changed
}

// sameFile reports whether a file is the same one, though it may have been touched.
func sameFile(a, b File) bool { return a.Size == b.Size && a.ModTime.Equal(b.ModTime) && a.ID == b.ID }

// hint notes an event about the folder, or about one name in it.
func (v *live) hint(name string, now time.Time) {
	if v.hinted[0].IsZero() {
		v.hinted[0] = now
	}
	v.hinted[1] = now
	v.unannounced = time.Time{}
	if name == "" {
		return
	}
	if v.touched == nil {
		v.touched = map[string]time.Time{}
	}
	v.touched[name] = now
}

// still reports whether every file is still, temporary ones apart, and no event waits for a read.
func (v *live) still() bool {
	if !v.hinted[0].IsZero() {
		return false
	}
	for range v.changing() {
		return false
	}
	return true
}

// changing are the files that are not still, temporary ones apart.
func (v *live) changing() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for k, files := range v.last.files {
			for i := range files {
				if names.Kind(k) != names.Busy && !files[i].Still && !yield(&files[i]) {
					return
				}
			}
		}
	}
}

// earliest gives the Since of the file that will be still first, if one is not. When a held one is
// let go nobody knows.
func (v *live) earliest() (since time.Time, ok bool) {
	for f := range v.changing() {
		if f.Held == "" && (!ok || f.Since.Before(since)) {
			since, ok = f.Since, true
		}
	}
	return since, ok
}

// ripe names the files that become still if a read at this time finds them unchanged.
func (v *live) ripe(now time.Time, settle time.Duration) []string {
	var ripe []string
	for f := range v.changing() {
		if now.Sub(f.Since) >= settle {
			ripe = append(ripe, f.Name)
		}
	}
	return ripe
}

// A read waits until events pause for a moment, so that a file written in 16 pieces costs one, but
// never long, and leaves room between two.
const (
	hintPause = 50 * time.Millisecond
	hintBound = 200 * time.Millisecond
	readGap   = 100 * time.Millisecond
)

// next gives the time of the next read: poll after the last one, earlier when a file can become
// still then, and soon after a hint.
func (v *live) next(settle, poll time.Duration) time.Time {
	end := v.last.end
	next := end.Add(poll)
	if since, ok := v.earliest(); ok {
		next = sooner(next, since.Add(settle))
	}
	if first, last := v.hinted[0], v.hinted[1]; !first.IsZero() {
		soon := sooner(last.Add(hintPause), first.Add(hintBound))
		if end.IsZero() {
			return soon
		}
		next = sooner(next, soon)
	}
	return later(next, end.Add(max(readGap, share*v.last.end.Sub(v.last.start))))
}

// queue is a heap of the live folders by the time of their next read.
type queue []*folder

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool { return q[i].live.due.Before(q[j].live.due) }

func (q *queue) Push(f any) { *q = append(*q, f.(*folder)); (*q)[len(*q)-1].live.index = len(*q) - 1 }

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].live.index, q[j].live.index = i, j
}

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	(*q)[len(*q)-1] = nil
	*q = (*q)[:len(*q)-1]
	return last
}

// schedule sets when a folder of the queue is due.
func (q *queue) schedule(f *folder, due time.Time) {
	f.live.due = due
	heap.Fix(q, f.live.index)
}
