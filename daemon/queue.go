package daemon

import (
	"container/heap"
	"context"
	"slices"
	"sync"
	"time"

	"spinsync/syncstate"
)

// foldersInHand bounds how many product folders are worked on at a time. Waiting for the service takes no hand. A folder
// of few small frames spends its time in requests and commits, so that many folders are needed to fill a line with them.
// Beyond those there are hands for what a camera writes, and others for what a person is in a hurry for, which would else wait until
// another folder is done.
const (
	foldersInHand = 64
	handsForShot  = 4
	handsForRush  = 4
	handsAtMost   = foldersInHand + handsForShot + handsForRush
)

// A queue holds the folders that have something to do: now, those that go first ahead of new work, and that ahead of retries, or at
// a given time. A folder is in it at most once.
type queue struct {
	mu      sync.Mutex
	roots   []*root
	lines   map[*root]*lines
	waiting dueHeap
	place   map[*folder]*dueEntry // nil entry: in one of the lines
	rush    *rush
}

// lines are the folders of one root that can be taken now. Each root has its own, so that one that may have no more taken
// hides no other.
type lines struct{ rush, fresh, retries []*folder }

// add puts a folder at the end of its line.
func (q *queue) add(f *folder, retry bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.enqueue(f, retry)
}

func (q *queue) enqueue(f *folder, retry bool) {
	if q.stands(f) {
		return
	}
	q.leave(f)
	q.place[f] = nil
	l := q.linesOf(f.root)
	switch {
	case q.rush.has(f.key):
		l.rush = append(l.rush, f)
	case retry:
		l.retries = append(l.retries, f)
	default:
		l.fresh = append(l.fresh, f)
	}
}

func (q *queue) linesOf(r *root) *lines {
	if q.lines[r] == nil {
		if q.lines == nil {
			q.lines = map[*root]*lines{}
		}
		q.lines[r] = new(lines)
		q.roots = append(q.roots, r)
	}
	return q.lines[r]
}

// addAt puts a folder in line at a later time. A time that was recorded is one of the wall's clock, which may be set while the
// folder waits: only how far away it is at present counts.
func (q *queue) addAt(f *folder, due time.Time, retry bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leave(f)
	now := time.Now()
	entry := &dueEntry{folder: f, due: now.Add(due.Sub(now)), retry: retry}
	q.place[f] = entry
	heap.Push(&q.waiting, entry)
}

// remove takes a folder out, wherever it stands.
func (q *queue) remove(f *folder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stands(f) {
		q.linesOf(f.root).remove(f)
	}
	q.leave(f)
}

// hurry ends all waits.
func (q *queue) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 {
		q.enqueue(q.waiting[0].folder, q.waiting[0].retry)
	}
}

// drop takes a folder out of the waiting; one that stands in line stays.
func (q *queue) drop(f *folder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.place[f] != nil {
		q.leave(f)
	}
}

func (q *queue) leave(f *folder) {
	if q.place == nil {
		q.place = map[*folder]*dueEntry{}
	}
	if entry := q.place[f]; entry != nil {
		heap.Remove(&q.waiting, entry.index)
	}
	delete(q.place, f)
}

// take hands out the next folder of a root that has a hand free, or nil. The folders that a camera writes, which are shot, go ahead of
// all others but those that go first, and the last of the hands take nothing else.
func (q *queue) take(now time.Time, free func(*root) int, shot []*folder) *folder {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 && !q.waiting[0].due.After(now) {
		q.enqueue(q.waiting[0].folder, q.waiting[0].retry)
	}
	for _, r := range q.roots {
		if f := q.next(r, free(r), shot); f != nil {
			delete(q.place, f)
			return f
		}
	}
	return nil
}

func (q *queue) next(r *root, free int, shot []*folder) *folder {
	l := q.lines[r]
	if free > 0 && len(l.rush) > 0 {
		return takeFirst(&l.rush)
	}
	if free > handsForRush {
		for _, f := range shot {
			if f.root == r && q.stands(f) {
				l.remove(f)
				return f
			}
		}
	}
	switch {
	case free <= handsForRush+handsForShot:
		return nil
	case len(l.fresh) > 0:
		return takeFirst(&l.fresh)
	case len(l.retries) > 0:
		return takeFirst(&l.retries)
	}
	return nil
}

func (l *lines) remove(f *folder) {
	isIt := func(other *folder) bool { return other == f }
	for _, line := range []*[]*folder{&l.rush, &l.fresh, &l.retries} {
		*line = slices.DeleteFunc(*line, isIt)
	}
}

func takeFirst(line *[]*folder) *folder {
	f := (*line)[0]
	(*line)[0] = nil
	*line = (*line)[1:]
	return f
}

// inLine reports whether a folder stands in line to be taken now.
func (q *queue) inLine(f *folder) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stands(f)
}

func (q *queue) stands(f *folder) bool {
	entry, in := q.place[f]
	return in && entry == nil
}

// untilDue is the time until the next waiting folder is due, an hour when there is none.
func (q *queue) untilDue(now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return time.Hour
	}
	return max(0, q.waiting[0].due.Sub(now))
}

type dueEntry struct {
	folder *folder
	due    time.Time
	retry  bool
	index  int
}

// dueHeap implements heap.Interface, the earliest first.
type dueHeap []*dueEntry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *dueHeap) Push(x any) {
	entry := x.(*dueEntry)
	entry.index = len(*h)
	*h = append(*h, entry)
}

func (h *dueHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}

// hands work on folders, a bounded number of each root at a time: those that a dead drive keeps are not missed elsewhere.
type hands struct {
	d       *Daemon
	taken   map[*root]int // guarded by the daemon's mutex
	full    int           // all of these
	put     bool          // a folder was put down since emptied was asked
	working sync.WaitGroup
}

func newHands(d *Daemon) *hands { return &hands{d: d, taken: map[*root]int{}} }

// wait returns when every hand is empty. It gives up on those whose reading of a file the system does not answer, which
// nothing can interrupt: their folders stay busy until it does.
func (h *hands) wait() {
	empty := make(chan struct{})
	go func() {
		h.working.Wait()
		close(empty)
	}()
	patience := time.NewTimer(stopPatience)
	defer patience.Stop()
	select {
	case <-empty:
	case <-patience.C:
		h.d.log.Warn("some work on folders does not end; going on without it")
	}
}

// deal gives out what is due to the free hands. Shooting lists the folders that a camera writes, by root.
func (h *hands) deal(ctx context.Context, shooting map[string][]string) {
	shot := h.d.foldersOf(shooting)
	for ctx.Err() == nil {
		f := h.next(shot)
		if f == nil {
			return
		}
		h.working.Go(func() {
			defer h.putDown(f)
			h.d.awaitTurn(ctx, f.key, "")
			h.d.finished(f, f.job.work(ctx))
		})
	}
}

// awaitTurn lets pass what Options.Stagger wants.
func (d *Daemon) awaitTurn(ctx context.Context, folder syncstate.Folder, frame string) {
	if d.stagger == nil {
		return
	}
	select {
	case <-time.After(d.stagger(folder, frame)):
	case <-ctx.Done():
	}
}

// foldersOf are the folders of these paths, by root, as far as they are known.
func (d *Daemon) foldersOf(paths map[string][]string) []*folder {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*folder
	for root, below := range paths {
		for _, path := range below {
			if f, ok := d.folders[syncstate.Folder{Root: root, Path: path}]; ok {
				all = append(all, f)
			}
		}
	}
	return all
}

func (h *hands) next(shot []*folder) *folder {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	f := h.d.queue.take(time.Now(), func(r *root) int { return handsAtMost - h.taken[r] }, shot)
	if f != nil {
		f.busy, f.dirty = true, false
		h.d.jobOf(f)
		h.taken[f.root]++
		h.full++
	}
	return f
}

// emptied reports whether all hands have become empty since it was asked last.
func (h *hands) emptied() bool {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	emptied := h.put && h.full == 0
	h.put = false
	return emptied
}

func (h *hands) putDown(f *folder) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	h.taken[f.root]--
	h.full--
	h.put = true
	h.d.poke()
}

// keyedLock is a lock per key that can be waited for with a context.
type keyedLock struct {
	mu    sync.Mutex
	locks map[string]*sharedLock
}

// A sharedLock is dropped when nobody has it or waits for it.
type sharedLock struct {
	held  chan struct{}
	users int
}

// lock locks a key and returns what unlocks it.
func (k *keyedLock) lock(ctx context.Context, key string) (func(), error) {
	l := k.use(key)
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; k.leave(key, l) }, nil
	case <-ctx.Done():
		k.leave(key, l)
		return nil, ctx.Err()
	}
}

func (k *keyedLock) use(key string) *sharedLock {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.locks == nil {
		k.locks = map[string]*sharedLock{}
	}
	if k.locks[key] == nil {
		k.locks[key] = &sharedLock{held: make(chan struct{}, 1)}
	}
	k.locks[key].users++
	return k.locks[key]
}

func (k *keyedLock) leave(key string, l *sharedLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(k.locks, key)
	}
}
