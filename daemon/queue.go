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
type lines struct {
	rush, begun, fresh, retries []*folder
	inARow                      int // so many were taken that are begun, while new ones stood there
}

// begunInARow is how many folders that are begun are taken before a new one is, so that thousands that the service processes for hours
// do not keep all hands busy with asking.
const begunInARow = 3

// A turn is which line a folder waits in.
type turn int

const (
	newTurn turn = iota
	retryTurn
	begunTurn
)

// turnOf is the turn of a folder in that state. What is begun is brought to its end before more is begun: else the first of a large
// batch would go live on the service, and nobody here would look, before the last was sent, and what was sent of one that met with a
// failure would be forgotten there.
func turnOf(state State, begun bool) turn {
	switch {
	case begun, state == Uploading, state == Processing:
		return begunTurn
	case state == Retrying:
		return retryTurn
	}
	return newTurn
}

func (l *lines) of(t turn) *[]*folder {
	switch t {
	case begunTurn:
		return &l.begun
	case retryTurn:
		return &l.retries
	}
	return &l.fresh
}

// add puts a folder at the end of a line.
func (q *queue) add(f *folder, t turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.enqueue(f, t)
}

func (q *queue) enqueue(f *folder, t turn) {
	if q.stands(f) {
		return
	}
	q.leave(f)
	q.place[f] = nil
	q.entered++
	l := q.linesOf(f.root)
	line := l.of(t)
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
func (q *queue) addAt(f *folder, due time.Time, t turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leave(f)
	now := time.Now()
	entry := &dueEntry{folder: f, due: now.Add(due.Sub(now)), turn: t}
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
		q.enqueue(q.waiting[0].folder, q.waiting[0].turn)
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
		q.enqueue(q.waiting[0].folder, q.waiting[0].turn)
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
	newToo := free > handsBesideNew && len(l.fresh) > 0
	if free > handsForRush+handsForShot && len(l.begun) > 0 && !(newToo && l.inARow == begunInARow) {
		if newToo {
			l.inARow++
		}
		return takeFirst(&l.begun)
	}
	switch {
	case free <= handsBesideNew:
		return nil
	case newToo:
		l.inARow = 0
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
	turn   turn
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
