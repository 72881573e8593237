package schedule

import (
	"cmp"
	"container/heap"
	"slices"
	"sync"
	"time"

	"spinsync/syncstate"
)

// begunInARow is how many folders of the class Begun go before a new one gets a worker. Thousands
// of folders that the service processes for hours must not stop new work.
const begunInARow = 3

// A Queue holds the folders that have work to do, now or at a given time. A folder is in it at most
// once. Each root has a line of its own, so that a root without a free worker hides no other.
type Queue struct {
	mu         sync.Mutex
	roots      []string
	lines      map[string]*line
	waiting    itemHeap
	places     map[syncstate.Folder]*item
	priorities *Priorities
	shooting   map[string][]string // by root, the folders that a camera writes
	entered    int
}

// NewQueue makes an empty queue.
func NewQueue(p *Priorities) *Queue {
	return &Queue{lines: map[string]*line{}, places: map[syncstate.Folder]*item{}, priorities: p}
}

// An item is a folder in the queue.
type item struct {
	key   syncstate.Folder
	asked Class     // as it was added
	class Class     // as it is served: a person or a camera may raise it
	came  int       // its number among all that stood in a line
	due   time.Time // zero when it stands in a line
	index int       // in its heap
}

// Add puts a folder at the end of its class. A folder that stands in a line keeps its place.
func (q *Queue) Add(key syncstate.Folder, c Class) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.enqueue(key, c)
}

// AddAt puts a folder in line at a later time. That time may come from a record, and the clock may
// be set while the folder waits: only its distance from now counts.
func (q *Queue) AddAt(key syncstate.Folder, due time.Time, c Class) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remove(key)
	now := time.Now()
	i := &item{key: key, asked: c, due: now.Add(due.Sub(now))}
	q.places[key] = i
	heap.Push(&q.waiting, i)
}

// Remove takes a folder out, whether it waits or stands in a line.
func (q *Queue) Remove(key syncstate.Folder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remove(key)
}

// Drop ends a folder's wait. A folder that stands in a line stays there.
func (q *Queue) Drop(key syncstate.Folder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.stands(key) {
		q.remove(key)
	}
}

// EndWaits ends all waits: every folder stands in line at once.
func (q *Queue) EndWaits() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 {
		q.enqueue(q.waiting[0].key, q.waiting[0].asked)
	}
}

// Reconsider gives a folder its new class after a verb of a person.
func (q *Queue) Reconsider(key syncstate.Folder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reclassify(key)
}

// SetShooting sets which folders a camera writes now, by root.
func (q *Queue) SetShooting(shooting map[string][]string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := q.shooting
	q.shooting = shooting
	for _, changed := range []map[string][]string{before, shooting} {
		for root, folders := range changed {
			for _, folder := range folders {
				q.reclassify(syncstate.Folder{Root: root, Path: folder})
			}
		}
	}
}

// Take hands out the next folder of a root that has a free worker for its class, if there is one.
func (q *Queue) Take(now time.Time, free func(root string, class Class) bool) (key syncstate.Folder, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 && !q.waiting[0].due.After(now) {
		q.enqueue(q.waiting[0].key, q.waiting[0].asked)
	}
	for _, root := range q.roots {
		line := q.lines[root]
		if i := line.first(); i != nil && free(root, i.class) {
			line.took(i.class)
			q.remove(i.key)
			return i.key, true
		}
	}
	return syncstate.Folder{}, false
}

// Standing reports whether a folder stands in line to be taken now.
func (q *Queue) Standing(key syncstate.Folder) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stands(key)
}

// Entered returns how many times folders got into a line so far, and whether any folder stands in
// line.
func (q *Queue) Entered() (times int, standing bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.entered, len(q.places) > len(q.waiting)
}

// UntilDue is the time until the next waiting folder is due, an hour when there is none.
func (q *Queue) UntilDue(now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return time.Hour
	}
	return max(0, q.waiting[0].due.Sub(now))
}

func (q *Queue) stands(key syncstate.Folder) bool {
	i := q.places[key]
	return i != nil && i.due.IsZero()
}

func (q *Queue) enqueue(key syncstate.Folder, asked Class) {
	if q.stands(key) {
		return
	}
	q.remove(key)
	q.entered++
	i := &item{key: key, asked: asked, class: q.classOf(key, asked), came: q.entered}
	q.places[key] = i
	heap.Push(q.lineOf(key.Root).of(i.class), i)
}

func (q *Queue) remove(key syncstate.Folder) {
	switch i := q.places[key]; {
	case i == nil:
		return
	case i.due.IsZero():
		heap.Remove(q.lineOf(key.Root).of(i.class), i.index)
	default:
		heap.Remove(&q.waiting, i.index)
	}
	delete(q.places, key)
}

// reclassify moves a folder that stands in line to its present class. It keeps its number.
func (q *Queue) reclassify(key syncstate.Folder) {
	i := q.places[key]
	if i == nil || !i.due.IsZero() {
		return
	}
	if class := q.classOf(key, i.asked); class != i.class {
		l := q.lineOf(key.Root)
		heap.Remove(l.of(i.class), i.index)
		i.class = class
		heap.Push(l.of(class), i)
	}
}

func (q *Queue) classOf(key syncstate.Folder, asked Class) Class {
	switch {
	case q.priorities.Has(key):
		return Priority
	case slices.Contains(q.shooting[key.Root], key.Path):
		return Shooting
	}
	return asked
}

func (q *Queue) lineOf(root string) *line {
	if q.lines[root] == nil {
		q.lines[root] = new(line)
		q.roots = append(q.roots, root)
	}
	return q.lines[root]
}

// A line is the folders of one root that can be taken now.
type line struct {
	ahead  itemHeap // classes Priority, Shooting and Begun
	behind itemHeap // classes New and Retry
	inARow int      // Begun folders taken while a new one stood there
}

func (l *line) of(c Class) *itemHeap {
	if c <= Begun {
		return &l.ahead
	}
	return &l.behind
}

// first returns the folder that goes first, or nil when none stands in line.
func (l *line) first() *item {
	first := l.ahead.first()
	if first == nil || first.class == Begun && l.holdsNew() && l.inARow == begunInARow {
		return l.behind.first()
	}
	return first
}

// took counts a folder that is about to be taken.
func (l *line) took(c Class) {
	switch {
	case c == New:
		l.inARow = 0
	case c == Begun && l.holdsNew():
		l.inARow++
	}
}

// holdsNew reports whether a folder of the class New stands in line.
func (l *line) holdsNew() bool {
	first := l.behind.first()
	return first != nil && first.class == New
}

// itemHeap implements heap.Interface: the earliest first, and in a line by class and number.
type itemHeap []*item

func (h itemHeap) first() *item {
	if len(h) == 0 {
		return nil
	}
	return h[0]
}

func (h itemHeap) Len() int { return len(h) }

func (h itemHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(a.due.Compare(b.due), order(a.class, a.came, b.class, b.came)) < 0
}

func (h itemHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *itemHeap) Push(x any) {
	i := x.(*item)
	i.index = len(*h)
	*h = append(*h, i)
}

// Pop implements heap.Interface.
func (h *itemHeap) Pop() any {
	last := len(*h) - 1
	i := (*h)[last]
	*h = slices.Delete(*h, last, last+1)
	return i
}

// order compares two folders by class, then by their number.
func order(class Class, came int, other Class, otherCame int) int {
	return cmp.Or(cmp.Compare(class, other), cmp.Compare(came, otherCame))
}
