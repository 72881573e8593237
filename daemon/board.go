package daemon

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A board holds the product folders of all roots in memory, with what people are told of each.
type board struct {
	*publish.Publisher
	roots      map[string]*reading.Root
	queue      *schedule.Queue
	priorities *schedule.Priorities
	following  sync.Mutex // makes calls of FollowPriority see each other's records
	paused     atomic.Bool
	wake       chan struct{} // the queue, or the condition that ends a pass, may have changed

	mu      sync.Mutex
	folders map[syncstate.Folder]*folder
	ordered []*folder     // see inOrder; nil since one came or went
	news    chan struct{} // closed and replaced at each change of the status
	stirs   int           // generation of the status; see lull
}

func newBoard(p *publish.Publisher, priorities *schedule.Priorities) *board {
	return &board{
		Publisher: p, roots: map[string]*reading.Root{}, folders: map[syncstate.Folder]*folder{},
		priorities: priorities, queue: schedule.NewQueue(priorities),
		wake: make(chan struct{}, 1), news: make(chan struct{}),
	}
}

// A folder is the state of a product folder in memory. Only the worker that holds the folder
// touches its job. The daemon's mutex guards everything else.
type folder struct {
	key      syncstate.Folder
	root     *reading.Root
	job      *publish.Job // nil while the folder is idle, as most are: a job is large; see jobOf
	status   status.ProductStatus
	newest   *watcher.Snapshot     // not seen by the job yet
	stands   *reading.IdleSnapshot // idle snapshot, in place of newest while nothing has changed
	busy     bool                  // a worker holds it
	dirty    bool                  // something happened since the worker took it
	gone     bool                  // the last whole reads did not find it
	paused   time.Time             // when a person paused it or all, in this process; zero: not paused
	last     plan.Step             // the step with which it is idle or waits
	sent     atomic.Int64          // bytes of the run under way
	amended  atomic.Int32          // how often a person gave up the run or the product
	asked    time.Time             // the newest status request of the last job; zero for none
	recorded *status.Cause         // the cause that the state file gives for the state
	before   stand                 // saved status, while it is only looked at, or paused
	logged   logged                // its newest entry in the log
	broken   map[string]string     // why frames are not whole, by name
	recalled bool                  // an earlier process knew it
	resumed  bool                  // an earlier process began a run that has not ended
	begun    bool                  // the last worker left it with an unfinished run
}

func (b *board) AllPaused() bool { return b.paused.Load() }

// SentBytes counts the bytes of a folder's run under way.
func (b *board) SentBytes(key syncstate.Folder) *atomic.Int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.folders[key]; ok {
		return &f.sent
	}
	return new(atomic.Int64)
}

// newFolder makes a folder without a snapshot or a record.
func (b *board) newFolder(key syncstate.Folder) *folder {
	return &folder{
		key: key, root: b.roots[key.Root],
		status: status.ProductStatus{Root: key.Root, Folder: key.Path, Since: time.Now()},
	}
}

// jobOf is the folder's job, made anew for an idle folder. The mutex is held.
func (b *board) jobOf(f *folder) *publish.Job {
	if f.job == nil {
		f.job = publish.NewJob(b.Publisher, f.key, f.root)
		f.job.Asked, f.job.Amended, f.job.Resumed, f.job.Recalled = f.asked, &f.amended, f.resumed, f.recalled
		if f.asked.IsZero() { // an earlier process may have asked a moment ago
			f.job.Asked = b.Started
		}
	}
	return f.job
}

// layDown releases the job of an idle folder.
func (f *folder) layDown() {
	f.stands = reading.IdleSnapshotOf(f.job.Snapshot)
	f.asked, f.job, f.recalled, f.resumed = f.job.Asked, nil, false, false
}

// snapshot is the snapshot of the folder's job, or its idle snapshot. The mutex is held.
func (f *folder) snapshot() watcher.Snapshot {
	switch {
	case f.job != nil:
		return f.job.Snapshot
	case f.stands != nil:
		return f.stands.Of(f.key)
	}
	return watcher.Snapshot{}
}

// see takes in a snapshot and queues its folder.
func (b *board) see(s watcher.Snapshot) {
	key := syncstate.Folder{Root: s.Root, Path: s.Folder}
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok {
		f = b.newFolder(key)
		b.folders[key], b.ordered = f, nil
		b.announce()
	}
	f.gone = !s.Present
	if s.Idle && !f.busy && f.status.NotTaken.Same(s.NotTaken) {
		b.arriveAtRest(f, s)
		return
	}
	newest := s // only this one is to lie in the heap
	f.newest, f.stands = &newest, nil
	b.requeue(f)
}

// arriveAtRest takes in a folder that has not changed since it became idle. It reads no file and
// sends no request.
func (b *board) arriveAtRest(f *folder, s watcher.Snapshot) {
	f.newest, f.stands = nil, reading.IdleSnapshotOf(s)
	f.last = plan.Step{Action: plan.Rest, State: f.status.State}
	b.queue.Drop(f.key)
	if f.status.State != status.Published { // it differs from the record, as after a kill in a pass
		b.Files.Refresh(s.Root, s.Folder)
	}
}

// requeue queues a folder, or marks it while a worker holds it. The mutex is held.
func (b *board) requeue(f *folder) {
	if f.busy {
		f.dirty = true
		select {
		case f.job.News <- struct{}{}:
		default:
		}
		return
	}
	b.queue.Add(f.key, classOf(f.status.State, f.begun))
}

// Latest is the newest snapshot of a folder; have, when no snapshot came since.
func (b *board) Latest(key syncstate.Folder, have watcher.Snapshot) watcher.Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	switch {
	case !ok:
		return have
	case f.newest != nil:
		have = *f.newest
	case f.stands != nil:
		have = f.stands.Of(key)
	default:
		return have
	}
	f.newest, f.stands = nil, nil
	select {
	case <-b.jobOf(f).News:
	default:
	}
	return have
}

// finished takes a folder back from a worker.
func (b *board) finished(f *folder, last plan.Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.busy, f.last, f.begun = false, last, f.job.Begun
	next := classOf(last.State, f.begun)
	switch {
	case b.folders[f.key] != f: // it was forgotten
	case f.dirty || f.newest != nil || f.stands != nil:
		f.dirty = false
		b.queue.Add(f.key, next)
	case !last.Due().IsZero():
		b.queue.AddAt(f.key, last.Due(), next)
	case last.Action == plan.Rest && last.State == status.Published && len(f.job.Problems) == 0:
		f.layDown()
	}
	b.poke()
}

// poke wakes the loop.
func (b *board) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Forget drops a folder that is gone together with its product.
func (b *board) Forget(key syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(key)
	b.Owners.Forget(key)
	b.leave(key)
	b.announce()
}

// leave has the watcher forget a folder that is gone. If the folder is back, the watcher reports it
// once more, since its last snapshot went with the record.
func (b *board) leave(key syncstate.Folder) {
	b.Files.Forget(key.Root, key.Path)
	b.Files.Refresh(key.Root, key.Path)
}

// drop removes a folder from memory. The mutex is held.
func (b *board) drop(key syncstate.Folder) {
	if f, ok := b.folders[key]; ok {
		b.queue.Remove(f.key)
		b.Contents.Set(f.key, plan.SizeKey{})
		delete(b.folders, key)
		b.ordered = nil
	}
}

var errUnknownFolder = errors.New("no such product folder; `spinsync status` lists them")

// IsMissed reports whether the last whole reads did not find a folder.
func (b *board) IsMissed(key syncstate.Folder) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	return ok && f.gone
}

// Hold takes a folder that no worker has, and keeps it from all workers until release.
func (b *board) Hold(key syncstate.Folder) (held *publish.Job, release func(), free bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok || f.busy {
		return nil, nil, false
	}
	f.busy, f.dirty = true, true
	b.stirs++
	b.queue.Remove(f.key)
	return b.jobOf(f), func() { b.finished(f, f.last) }, true
}

// MaybeMoved reports whether a folder without a product holds as many bytes as a published folder
// that is gone. It may be that folder under another name, which is certain only once it is
// complete.
func (b *board) MaybeMoved(gone syncstate.Folder) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.Contents.Of(gone)
	if was.Images == 0 {
		return false
	}
	for key, f := range b.folders {
		if key.Root == gone.Root && !f.gone && f.status.Product == "" && f.status.TotalBytes == was.Bytes {
			return true
		}
	}
	return false
}

// Renamed follows a record that moved.
func (b *board) Renamed(from, to syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Owners.Rename(from, to)
	if was, is := b.folders[from], b.folders[to]; was != nil && is != nil {
		b.Contents.Rename(from, to)
		is.logged = was.logged
	}
	b.drop(from)
	b.leave(from)
	b.announce()
}

func (b *board) Notice(key syncstate.Folder, c publish.Condition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok {
		return
	}
	if c.Settled < 0 {
		c.Settled = f.status.Frames.Settled
	}
	if f.status.Frames.Settled == c.Settled && f.status.Complete == c.Complete &&
		f.status.Torn == c.Torn && maps.Equal(f.broken, c.Broken) && !c.Arrival.After(f.status.Arrived) {
		return
	}
	f.status.Frames.Settled, f.status.Complete, f.status.Torn, f.broken = c.Settled, c.Complete, c.Torn, c.Broken
	if c.Arrival.After(f.status.Arrived) {
		f.status.Arrived = c.Arrival.Round(0).UTC()
	}
	b.announce()
}
