package daemon

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// A board holds the product folders of all roots in memory, with what people are told of each.
type board struct {
	*publisher
	roots      map[string]*root
	queue      *schedule.Queue
	priorities *schedule.Priorities
	following  sync.Mutex // makes calls of followPriority see each other's records
	paused     atomic.Bool
	wake       chan struct{} // the queue, or the condition that ends a pass, may have changed

	mu      sync.Mutex
	folders map[syncstate.Folder]*folder
	ordered []*folder     // see inOrder; nil since one came or went
	news    chan struct{} // closed and replaced at each change of the status
	stirs   int           // generation of the status; see lull
}

func newBoard(p *publisher, priorities *schedule.Priorities) *board {
	return &board{
		publisher: p, roots: map[string]*root{}, folders: map[syncstate.Folder]*folder{},
		priorities: priorities, queue: schedule.NewQueue(priorities),
		wake: make(chan struct{}, 1), news: make(chan struct{}),
	}
}

// A folder is the state of a product folder in memory. Only the worker that holds the folder
// touches its job. The daemon's mutex guards everything else.
type folder struct {
	key      syncstate.Folder
	root     *root
	job      *job // nil while the folder is idle, as most are: a job is large; see jobOf
	status   ProductStatus
	newest   *watcher.Snapshot // not seen by the job yet
	stands   *stillstand       // idle snapshot, in place of newest while nothing has changed
	busy     bool              // a worker holds it
	dirty    bool              // something happened since the worker took it
	gone     bool              // the last whole reads did not find it
	paused   time.Time         // when a person paused it or all, in this process; zero: not paused
	last     step              // the step with which it is idle or waits
	sent     atomic.Int64      // bytes of the run under way
	amended  atomic.Int32      // how often a person gave up the run or the product
	asked    time.Time         // the newest status request of the last job; zero for none
	recorded *status.Cause     // the cause that the state file gives for the state
	before   stand             // saved status, while it is only looked at, or paused
	logged   logged            // its newest entry in the log
	broken   map[string]string // why frames are not whole, by name
	recalled bool              // an earlier process knew it
	resumed  bool              // an earlier process began a run that has not ended
	begun    bool              // the last worker left it with an unfinished run
}

func (b *board) allPaused() bool { return b.paused.Load() }

// sentBytes counts the bytes of a folder's run under way.
func (b *board) sentBytes(key syncstate.Folder) *atomic.Int64 {
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
		status: ProductStatus{Root: key.Root, Folder: key.Path, Since: time.Now()},
	}
}

// jobOf is the folder's job, made anew for an idle folder. The mutex is held.
func (b *board) jobOf(f *folder) *job {
	if f.job == nil {
		f.job = &job{
			publisher: b.publisher, key: f.key, root: f.root, asked: f.asked,
			news: make(chan struct{}, 1), amended: &f.amended, resumed: f.resumed, recalled: f.recalled,
		}
		if f.asked.IsZero() { // an earlier process may have asked a moment ago
			f.job.asked = b.started
		}
	}
	return f.job
}

// layDown releases the job of an idle folder.
func (f *folder) layDown() {
	f.stands = stillstandOf(f.job.snapshot)
	f.asked, f.job, f.recalled, f.resumed = f.job.asked, nil, false, false
}

// snapshot is the snapshot of the folder's job, or its idle snapshot. The mutex is held.
func (f *folder) snapshot() watcher.Snapshot {
	switch {
	case f.job != nil:
		return f.job.snapshot
	case f.stands != nil:
		return f.stands.of(f.key)
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

// A stillstand is an idle snapshot. It is small, because most folders are idle.
type stillstand struct {
	fingerprint watcher.Fingerprint
	id          volume.FileID
	notTaken    *watcher.NotTaken
}

func stillstandOf(s watcher.Snapshot) *stillstand {
	return &stillstand{s.Fingerprint, s.ID, s.NotTaken}
}

func (s stillstand) of(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Idle: true,
		Fingerprint: s.fingerprint, ID: s.id, NotTaken: s.notTaken}
}

// arriveAtRest takes in a folder that has not changed since it became idle. It reads no file and
// sends no request.
func (b *board) arriveAtRest(f *folder, s watcher.Snapshot) {
	f.newest, f.stands = nil, stillstandOf(s)
	f.last = step{action: rest, state: f.status.State}
	b.queue.Drop(f.key)
	if f.status.State != Published { // it differs from the record, as after a kill in a pass
		b.files.Refresh(s.Root, s.Folder)
	}
}

// requeue queues a folder, or marks it while a worker holds it. The mutex is held.
func (b *board) requeue(f *folder) {
	if f.busy {
		f.dirty = true
		select {
		case f.job.news <- struct{}{}:
		default:
		}
		return
	}
	b.queue.Add(f.key, classOf(f.status.State, f.begun))
}

// latest is the newest snapshot of a folder; have, when no snapshot came since.
func (b *board) latest(key syncstate.Folder, have watcher.Snapshot) watcher.Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	switch {
	case !ok:
		return have
	case f.newest != nil:
		have = *f.newest
	case f.stands != nil:
		have = f.stands.of(key)
	default:
		return have
	}
	f.newest, f.stands = nil, nil
	select {
	case <-b.jobOf(f).news:
	default:
	}
	return have
}

// finished takes a folder back from a worker.
func (b *board) finished(f *folder, last step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.busy, f.last, f.begun = false, last, f.job.begun
	next := classOf(last.state, f.begun)
	switch {
	case b.folders[f.key] != f: // it was forgotten
	case f.dirty || f.newest != nil || f.stands != nil:
		f.dirty = false
		b.queue.Add(f.key, next)
	case !last.due().IsZero():
		b.queue.AddAt(f.key, last.due(), next)
	case last.action == rest && last.state == Published && len(f.job.problems) == 0:
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

// forget drops a folder that is gone together with its product.
func (b *board) forget(key syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(key)
	b.owners.forget(key)
	b.leave(key)
	b.announce()
}

// leave has the watcher forget a folder that is gone. If the folder is back, the watcher reports it
// once more, since its last snapshot went with the record.
func (b *board) leave(key syncstate.Folder) {
	b.files.Forget(key.Root, key.Path)
	b.files.Refresh(key.Root, key.Path)
}

// drop removes a folder from memory. The mutex is held.
func (b *board) drop(key syncstate.Folder) {
	if f, ok := b.folders[key]; ok {
		b.queue.Remove(f.key)
		b.contents.set(f.key, extent{})
		delete(b.folders, key)
		b.ordered = nil
	}
}

var errUnknownFolder = errors.New("no such product folder; `spinsync status` lists them")
