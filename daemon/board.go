package daemon

import (
	"errors"
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

// A board holds the product folders of all roots in memory, with the status of each.
type board struct {
	publisher  *publish.Publisher // what the jobs have in common
	roots      roots
	queue      *schedule.Queue
	priorities *schedule.Priorities
	following  sync.Mutex // the newest record is followed last
	wake       signal     // the queue, or the condition that ends a pass, may have changed
	folders    *folders
	display    *display
}

// newBoard makes a board on which the jobs see each other, and show their steps.
func newBoard(p *publish.Publisher, priorities *schedule.Priorities) *board {
	b := &board{
		publisher: p, roots: roots{}, folders: newFolders(),
		priorities: priorities, queue: schedule.NewQueue(priorities), wake: make(signal, 1),
	}
	b.display = &display{folders: b.folders, queue: b.queue, priorities: priorities, publisher: p, roots: b.roots}
	p.Neighbours, p.Keeper, p.Display = b, b, b.display
	return b
}

// A folder is the state of a product folder in memory. Only the worker that holds the folder
// touches its job. The lock of folders guards everything else.
type folder struct {
	key       syncstate.Folder
	root      *reading.Root
	job       *publish.Job // nil while the folder is idle, as most are: a job is large; see jobOf
	status    status.ProductStatus
	newest    *watcher.Snapshot     // not seen by the job yet
	idle      *reading.IdleSnapshot // in place of newest while nothing has changed
	busy      bool                  // a worker holds it
	dirty     bool                  // something happened since the worker took it
	gone      bool                  // the last whole reads did not find it
	went      time.Time             // the start of the first of them
	met       bool                  // this process found it before it went
	frames    []watcher.File        // of the newest snapshot; nil for a published folder that is idle
	unread    bool                  // it could not be read then
	paused    time.Time             // since when it is paused by itself; zero: it is not
	last      plan.Step             // the step with which it is idle or waits
	sent      atomic.Int64          // bytes of the run under way
	abandoned atomic.Int32          // how often a person gave up the run or the product
	broken    map[string]string     // why frames are not whole, by name
	recalled  bool                  // an earlier process knew it
	begun     bool                  // the last worker left it with an unfinished run
	unchecked bool                  // an earlier process began its run, and no job compared it with the service yet
}

// newFolder makes a folder without a snapshot or a record.
func (b *board) newFolder(key syncstate.Folder) *folder {
	return &folder{
		key: key, root: b.roots[key.Root],
		status: status.ProductStatus{Root: key.Root, Folder: key.Path, Since: time.Now()},
	}
}

// hasChecked reports whether a folder's run was begun in this process, or compared with the service
// in it. Of a folder that a worker still has it is not known.
func (b *board) hasChecked(key syncstate.Folder) (checked bool) {
	if b == nil {
		return false
	}
	b.folders.with(key, func(f *folder) { checked = !f.busy && !b.jobOf(f).Unchecked() })
	return checked
}

// retire keeps workers that a drive did not let go at the end from recording anything later on.
func (b *board) retire() {
	for f := range b.folders.each {
		if f.busy {
			f.abandoned.Add(1)
		}
	}
}

// jobOf is the folder's job, made for a folder that was idle. It is called under the lock of folders.
func (b *board) jobOf(f *folder) *publish.Job {
	if f.job == nil {
		f.job = b.newJob(f.key, f.root)
		f.job.Resume(f.recalled, f.unchecked, &f.abandoned)
	}
	return f.job
}

// newJob makes a job for a folder, whether or not the board has it.
func (b *board) newJob(key syncstate.Folder, root *reading.Root) *publish.Job {
	return publish.NewJob(b.publisher, key, root)
}

// release drops the job of an idle folder.
func (f *folder) release() {
	f.idle = reading.IdleSnapshotOf(f.job.Folder.Snapshot)
	f.unchecked, f.job, f.recalled, f.frames = false, nil, false, nil
}

// bytes is the size of all frames.
func (f *folder) bytes() (all int64) {
	for _, frame := range f.frames {
		all += frame.Size
	}
	return all
}

// snapshot is the snapshot of the folder's job, or its idle snapshot. It is called under the lock of
// folders.
func (f *folder) snapshot() watcher.Snapshot {
	switch {
	case f.job != nil:
		return f.job.Folder.Snapshot
	case f.idle != nil:
		return f.idle.Of(f.key)
	}
	return watcher.Snapshot{}
}

// onSnapshot takes in a snapshot and queues its folder.
func (b *board) onSnapshot(s watcher.Snapshot) {
	key, rests, differs := syncstate.Folder{Root: s.Root, Path: s.Folder}, false, false
	b.folders.withNew(key, func() *folder { return b.newFolder(key) }, func(f *folder) {
		f.gone, f.went, f.met = !s.Present, s.Absent.Since, f.met || s.Present
		if s.Idle && !f.busy && f.status.NotTaken.Same(s.NotTaken) {
			b.onIdle(f, s)
			rests, differs = true, f.status.State != status.Published
			return
		}
		newest := s // only this one is to lie in the heap
		f.newest, f.idle = &newest, nil
		f.frames, f.unread = s.Frames, s.Err != nil
		b.requeue(f)
	})
	if rests {
		b.believe(key)
	}
	if differs { // from the record, as after a kill in a pass
		b.publisher.Files.Watcher.Refresh(s.Root, s.Folder)
	}
}

// onIdle takes in a folder that has not changed since it became idle. It reads no file and sends no
// request. It is called under the lock of folders.
func (b *board) onIdle(f *folder, s watcher.Snapshot) {
	f.newest, f.idle = nil, reading.IdleSnapshotOf(s)
	f.last = plan.Step{Action: plan.Idle, State: f.status.State}
	b.queue.Drop(f.key)
}

// believe notes at a station of a fleet that it sees a folder at rest as it is recorded. Where the products
// file was not read yet, judgeAgain does so.
func (b *board) believe(key syncstate.Folder) {
	if b.publisher.Views == nil {
		return
	}
	head, err := b.publisher.Records.Store.Head(key)
	if err != nil {
		return
	}
	r := b.roots[key.Root]
	if row := r.Products.Row(key.Path, head.Product.SKU); row.Err == nil && head.Idle.Settings == r.SettingsOf(row) {
		b.publisher.Views.Believe(key)
	}
}

// requeue queues a folder, or marks it while a worker holds it. It is called under the lock of folders.
func (b *board) requeue(f *folder) {
	if f.busy {
		f.dirty = true
		select {
		case f.job.News <- struct{}{}:
		default:
		}
		return
	}
	if !b.display.standby { // which works on none
		b.queue.Add(f.key, classOf(f.status.State, f.begun))
	}
}

// TakeLatest takes the newest snapshot of a folder; have, when no snapshot came since.
func (b *board) TakeLatest(key syncstate.Folder, have watcher.Snapshot) watcher.Snapshot {
	b.folders.with(key, func(f *folder) {
		switch {
		case f.newest != nil:
			have = *f.newest
		case f.idle != nil:
			have = f.idle.Of(key)
		default:
			return
		}
		f.newest, f.idle = nil, nil
		select {
		case <-b.jobOf(f).News:
		default:
		}
	})
	return have
}

// take hands out the next folder of a root that has a free worker for its class; nil for none.
func (b *board) take(free func(root string, class schedule.Class) bool) *folder {
	return b.folders.take(
		func() (syncstate.Folder, bool) { return b.queue.Take(time.Now(), free) },
		func(f *folder) { b.jobOf(f) },
	)
}

// finished takes a folder back from a worker. It drops one that was forgotten.
func (b *board) finished(f *folder, last plan.Step) {
	b.publisher.Slots.PutDown(f.key) // before another worker can take the folder
	b.folders.with(f.key, func(known *folder) {
		if known == f {
			b.putBack(f, last)
		}
	})
	if last.Cause.Is(status.RootOffline) && b.publisher.Files.Readable(f.key.Root) { // the root is back
		b.folders.with(f.key, b.requeue)
	}
	b.wake.send()
}

// putBack has a folder wait for its next turn. It is called under the lock of folders.
func (b *board) putBack(f *folder, last plan.Step) {
	f.busy, f.last, f.begun = false, last, f.job.Begun
	next := classOf(last.State, f.begun)
	switch {
	case f.dirty || f.newest != nil || f.idle != nil:
		f.dirty = false
		b.queue.Add(f.key, next)
	case !last.Due().IsZero():
		b.queue.AddAt(f.key, last.Due(), next)
	case last.Action == plan.Idle && last.State == status.Published:
		f.release()
	}
}

// Forget drops a folder whose record is gone. If the folder is back, the watcher reports it once more,
// since its last snapshot went with the record.
func (b *board) Forget(key syncstate.Folder) {
	b.folders.drop(key, func() { b.queue.Remove(key) })
	b.publisher.Files.Watcher.Forget(key.Root, key.Path)
	b.publisher.Files.Watcher.Refresh(key.Root, key.Path)
}

// classOf is why a folder in that state goes before others. A begun upload ends before another
// begins. Else the service would hold the first folder of a large batch long before its finish is
// sent, and an upload that failed would lose its place.
func classOf(state status.State, begun bool) schedule.Class {
	switch {
	case begun, state == status.Uploading, state == status.Processing:
		return schedule.Begun
	case state == status.Retrying:
		return schedule.Retry
	}
	return schedule.New
}

var errUnknownFolder = errors.New("no such product folder; `spinsync status` lists them")

func (b *board) named(key syncstate.Folder) ([]syncstate.Folder, error) {
	switch {
	case key == syncstate.Folder{}:
		return b.folders.keys(), nil
	case !b.folders.knows(key):
		return nil, errUnknownFolder
	}
	return []syncstate.Folder{key}, nil
}

// revisit plans a folder again although nothing on the disk changed. An upload under way hears at
// once that it is paused, and so do those who watch.
func (b *board) revisit(key syncstate.Folder) {
	b.FollowWishes(key)
	b.folders.change(key, func(f *folder) bool {
		b.requeue(f)
		return true
	})
}

// readPause reads since when all folders are paused.
func (b *board) readPause() error {
	b.following.Lock()
	defer b.following.Unlock()
	all, err := syncstate.AllPaused.Read(b.publisher.Records.Store)
	if err == nil {
		b.folders.pauseAll(all)
	}
	return err
}

// revisitAll plans every folder again.
func (b *board) revisitAll() {
	for f := range b.folders.each {
		b.requeue(f)
	}
}

// onRootsBack plans every folder again that waits for its root, which is online.
func (b *board) onRootsBack() {
	back := map[string]bool{}
	for path := range b.roots {
		back[path] = b.publisher.Files.Readable(path)
	}
	for f := range b.folders.each {
		if f.last.Cause.Is(status.RootOffline) && back[f.key.Root] {
			b.requeue(f)
		}
	}
}

// IsPaused reports whether a person paused a folder, or all.
func (b *board) IsPaused(key syncstate.Folder) (paused bool) {
	b.folders.with(key, func(f *folder) { paused = b.folders.pauseOf(f).Holds() })
	return paused
}

// amending wraps a change. If the change is about the run or the product, a step under way for the
// folder does not record its outcome.
func (b *board) amending(key syncstate.Folder, change func(*syncstate.Record)) func(*syncstate.Record) {
	abandoned := new(atomic.Int32)
	b.folders.with(key, func(f *folder) { abandoned = &f.abandoned })
	return func(r *syncstate.Record) {
		run, product := r.Run, r.Product.UUID
		change(r)
		// The answer to a create is recorded in any case, or its product would be lost.
		if r.Run != run && !run.In(syncstate.Making) || r.Product.UUID != product {
			abandoned.Add(1)
		}
	}
}

// A signal wakes a loop. It holds one.
type signal chan struct{}

func (s signal) send() {
	select {
	case s <- struct{}{}:
	default:
	}
}
