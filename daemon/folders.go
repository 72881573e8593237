package daemon

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// folders are the product folders in memory, and the one lock over them. Nothing else takes the lock.
//
// A function that is called under the lock reads and changes folders and waits for nothing. It calls
// neither the watcher nor the state file, no method of folders but pauseOf, and takes no lock but those
// of the queue, the slots and the priorities, which take no other: a folder and its place in the queue
// change together.
type folders struct {
	mu         sync.Mutex
	all        map[syncstate.Folder]*folder
	ordered    []*folder     // by root, then path; nil since one came or went
	paused     time.Time     // since when all are paused; zero: they are not
	generation int           // how often the status had changed, or a worker had taken a folder
	next       chan struct{} // closed and replaced at each change of the status
}

func newFolders() *folders {
	return &folders{all: map[syncstate.Folder]*folder{}, next: make(chan struct{})}
}

// with calls do for a folder that is known, and reports whether it is.
func (a *folders) with(key syncstate.Folder, do func(*folder)) (known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, known := a.all[key]
	if known {
		do(f)
	}
	return known
}

// change is with where do changes the status, if it reports so.
func (a *folders) change(key syncstate.Folder, do func(*folder) (changed bool)) (known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, known := a.all[key]
	if known && do(f) {
		a.announce()
	}
	return known
}

// withNew is with where a folder that is not known is made first.
func (a *folders) withNew(key syncstate.Folder, made func() *folder, do func(*folder)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, known := a.all[key]
	if !known {
		f = made()
		a.all[key], a.ordered = f, nil
		a.announce()
	}
	do(f)
}

// take hands the folder that next chooses to a worker. It calls do for it, and returns nil when next
// chooses none.
func (a *folders) take(next func() (syncstate.Folder, bool), do func(*folder)) *folder {
	a.mu.Lock()
	defer a.mu.Unlock()
	key, ok := next()
	if !ok {
		return nil
	}
	f := a.all[key]
	f.busy, f.dirty = true, false
	a.generation++
	do(f)
	return f
}

// hold takes a folder that no worker has, and calls do for it. It reports whether there was one. The
// folder is planned again once it is free.
func (a *folders) hold(key syncstate.Folder, do func(*folder)) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, known := a.all[key]
	if !known || f.busy {
		return false
	}
	f.busy, f.dirty = true, true
	a.generation++
	do(f)
	return true
}

// each yields every folder, in no order.
func (a *folders) each(yield func(*folder) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.all {
		if !yield(f) {
			return
		}
	}
}

// inOrder yields every folder, by root, then path.
func (a *folders) inOrder(yield func(*folder) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ordered == nil {
		a.ordered = slices.SortedFunc(maps.Values(a.all), func(a, b *folder) int { return byPlace(a.key, b.key) })
	}
	for _, f := range a.ordered {
		if !yield(f) {
			return
		}
	}
}

func byPlace(a, b syncstate.Folder) int {
	return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Path, b.Path))
}

// keys are those of all folders, in no order.
func (a *folders) keys() []syncstate.Folder {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(a.all))
}

// knows reports whether a folder is known.
func (a *folders) knows(key syncstate.Folder) bool { return a.with(key, func(*folder) {}) }

// add takes in a folder that the state file knows.
func (a *folders) add(f *folder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all[f.key], a.ordered = f, nil
}

// drop forgets a folder. It calls do first.
func (a *folders) drop(key syncstate.Folder, do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
	delete(a.all, key)
	a.ordered = nil
	a.announce()
}

// pauseAll sets since when all folders are paused; zero: they are not.
func (a *folders) pauseAll(since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.paused = since
	a.announce()
}

// allPaused is since when all folders are paused; zero: they are not.
func (a *folders) allPaused() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.paused
}

// pauseOf is the pause that a folder is in. It is called under the lock.
func (a *folders) pauseOf(f *folder) status.Pause {
	return status.Pause{Folder: f.paused, All: a.paused}
}

// changed announces a change to those who follow the status.
func (a *folders) changed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.announce()
}

// announce is changed for a caller that holds the lock.
func (a *folders) announce() {
	a.generation++
	close(a.next)
	a.next = make(chan struct{})
}

// nextChange returns a channel that is closed at the next change of the status.
func (a *folders) nextChange() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}

// changes counts the changes of the status, and the folders that workers took.
func (a *folders) changes() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.generation
}
