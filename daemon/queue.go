package daemon

import (
	"container/heap"
	"slices"
	"sync"
	"time"
)

// A queue holds the folders that have something to do: now, those that go first ahead of what is begun, that ahead of new work, and
// that ahead of retries, or at a given time. A folder is in it at most once.
type queue struct {
	mu      sync.Mutex
	roots   []*root
	lines   map[*root]*lines
	waiting dueHeap
	place   map[*folder]*dueEntry // nil entry: in one of the lines
	rush    *rush
	entered int // how often a folder got into a line
}

// lines are the folders of one root that can be taken now. Each root has its own, so that one that may have no more taken
// hides no other.
type lines struct{ rush, begun, fresh, retries []*folder }

// of is where a folder in that state stands. What is begun is brought to its end before more is begun: else the first of a large batch
// would go live on the service, and nobody here would look, before the last was sent.
func (l *lines) of(state State) *[]*folder {
	switch state {
	case Uploading, Processing:
		return &l.begun
	case Retrying:
		return &l.retries
	}
	return &l.fresh
}

// add puts a folder at the end of the line for its state.
func (q *queue) add(f *folder, state State) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.enqueue(f, state)
}

func (q *queue) enqueue(f *folder, state State) {
	if q.stands(f) {
		return
	}
	q.leave(f)
	q.place[f] = nil
	q.entered++
	l := q.linesOf(f.root)
	line := l.of(state)
	if q.rush.has(f.key) {
		line = &l.rush
	}
	*line = append(*line, f)
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
func (q *queue) addAt(f *folder, due time.Time, state State) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leave(f)
	now := time.Now()
	entry := &dueEntry{folder: f, due: now.Add(due.Sub(now)), state: state}
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
		q.enqueue(q.waiting[0].folder, q.waiting[0].state)
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
		q.enqueue(q.waiting[0].folder, q.waiting[0].state)
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
	if free > handsForRush+handsForShot && len(l.begun) > 0 {
		return takeFirst(&l.begun)
	}
	switch {
	case free <= handsBesideNew:
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
	for _, line := range []*[]*folder{&l.rush, &l.begun, &l.fresh, &l.retries} {
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

// lined is how often a folder got into a line, and whether one stands there.
func (q *queue) lined() (entered int, standing bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		standing = standing || len(l.rush)+len(l.begun)+len(l.fresh)+len(l.retries) > 0
	}
	return q.entered, standing
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
	state  State
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
