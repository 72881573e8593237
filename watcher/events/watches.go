//go:build !windows

package events

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// On kqueue every file of a watched directory costs a descriptor, so the watches are counted in
// files there, and an idle folder has none.
const fileBudget = 4096

// Watches are the watches on directories below one root. One goroutine drains the events and does
// nothing else.
type Watches struct {
	root string
	log  *slog.Logger
	fs   *fsnotify.Watcher

	lazy   bool // idle product folders get no watch
	budget int  // of files in watched directories; 0 = they do not count

	mu   sync.Mutex // never held during a call of fs
	dirs map[string]watched
	cost int
	full bool
}

// watched is what a watch costs, and whether it may make room for another.
type watched struct {
	cost int
	rank Rank
}

// Open makes an empty set of watches. Where they are lazy, idle product folders get none.
func Open(root string, lazy bool, log *slog.Logger) (*Watches, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &Watches{root: root, lazy: lazy, log: log, fs: w, dirs: map[string]watched{}}
	if runtime.GOOS == "darwin" {
		n.budget = fileBudget
	}
	return n, nil
}

// Drain gathers events and hands them over whenever out is ready, until the watches are closed.
func (n *Watches) Drain(ctx context.Context, out chan<- Hints) {
	pending := Hints{From: n}
	for {
		var ready chan<- Hints
		if len(pending.Paths) > 0 || pending.Lost != "" {
			ready = out
		}
		select {
		case ev, ok := <-n.fs.Events:
			if !ok {
				return
			}
			n.gather(&pending, ev)
		case err := <-n.fs.Errors:
			if err != nil { // nil: the watches are closed
				pending.Lost = err.Error()
			}
		case ready <- pending:
			pending = Hints{From: n}
		case <-ctx.Done():
			return
		}
	}
}

// gather forgets the watch of a directory that appeared, so that the next read of it makes one
// certainly. No watch need have ended: a read of the directory above may have met the new one, and
// watched it, before the event of its making was gathered.
func (n *Watches) gather(h *Hints, ev fsnotify.Event) {
	c := changeOf(ev)
	below, err := filepath.Rel(n.root, ev.Name)
	if c == 0 || ev.Name == "" || err != nil {
		return
	}
	below = filepath.ToSlash(below)
	if c&(Appeared|Gone) != 0 && n.forget(below) && c&Gone != 0 {
		c |= Unwatched
	}
	if h.Paths == nil {
		h.Paths = map[string]Change{}
	}
	h.Paths[below] |= c
}

func changeOf(ev fsnotify.Event) (c Change) {
	if ev.Has(fsnotify.Create) {
		c |= Appeared
	}
	if ev.Has(fsnotify.Write) {
		c |= Altered
	}
	if ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
		c |= Gone
	}
	if ev.Has(fsnotify.Chmod) {
		c |= Touched
	}
	return c
}

// Add makes sure that dir is watched, if the number of watches allows it. It may block, so the
// goroutine that receives the hints must not call it. Where files count, it counts them again.
func (n *Watches) Add(dir string, r Rank) {
	if r == IdleFolder && n.spares() || n.Has(dir) && n.budget == 0 {
		return
	}
	w := watched{n.costOf(dir), r}
	isNew, ok := n.claim(dir, w)
	if !ok {
		return
	}
	for w.cost <= n.budget && n.tooMany() && n.makeRoom(dir, r) {
	}
	if n.tooMany() {
		n.limit(errTooManyFiles)
		n.end(dir)
		return
	}
	if isNew {
		n.begin(dir, r)
	}
}

// Rest ends the watch of a product folder that has become idle, where its files count.
func (n *Watches) Rest(dir string) {
	if n.budget > 0 && n.Has(dir) {
		n.end(dir)
	}
}

// spares reports whether idle product folders get no watch.
func (n *Watches) spares() bool { return n.lazy || n.budget > 0 }

// begin makes the watch that was claimed.
func (n *Watches) begin(dir string, r Rank) {
	err := n.request(dir)
	if outOfWatches(err) {
		n.limit(err)
		if n.makeRoom(dir, r) {
			err = n.request(dir)
		}
	}
	if err != nil {
		n.end(dir) // on kqueue a part of it may have been made
	}
}

// claim notes the watch before it is made, so that two goroutines do not make it twice. It counts
// an existing watch again, and refuses an idle folder beyond the limit.
func (n *Watches) claim(dir string, w watched) (isNew, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	was, known := n.dirs[dir]
	if known {
		w.rank = max(w.rank, was.rank)
	}
	if n.full && w.rank == IdleFolder {
		return false, false
	}
	n.dirs[dir] = w
	n.cost += w.cost - was.cost
	return !known, true
}

func (n *Watches) request(dir string) error {
	return n.fs.Add(n.path(dir))
}

var errTooManyFiles = errors.New("too many files in watched directories")

func outOfWatches(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// limit notes once that the system allows no more watches. From then on the rest is found by
// reading.
func (n *Watches) limit(err error) {
	n.mu.Lock()
	first := !n.full
	n.full = true
	count := len(n.dirs)
	n.mu.Unlock()
	if first {
		n.log.Warn("no more directories can be watched; polling the others; "+
			"on Linux raise fs.inotify.max_user_watches", "watched", count, "error", err)
	}
}

// makeRoom ends the watch of some product folder for the sake of dir, where something happens.
// Which one is chance: an active folder gets its watch back when it is read next.
func (n *Watches) makeRoom(dir string, r Rank) bool {
	if r == IdleFolder {
		return false
	}
	other, ok := n.anyFolderBut(dir)
	if !ok {
		return false
	}
	return n.end(other)
}

// end ends the watch of a directory, and reports whether there was one.
func (n *Watches) end(dir string) bool {
	n.forget(dir)
	return n.fs.Remove(n.path(dir)) == nil
}

func (n *Watches) anyFolderBut(dir string) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for other, w := range n.dirs {
		if w.rank != Above && other != dir {
			return other, true
		}
	}
	return "", false
}

// forget reports whether dir was watched.
func (n *Watches) forget(dir string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	w, ok := n.dirs[dir]
	if ok {
		delete(n.dirs, dir)
		n.cost -= w.cost
	}
	return ok
}

func (n *Watches) path(dir string) string { return filepath.Join(n.root, filepath.FromSlash(dir)) }

// costOf counts what a watch takes from the budget.
func (n *Watches) costOf(dir string) int {
	if n.budget == 0 {
		return 1
	}
	entries, _ := os.ReadDir(n.path(dir))
	return 1 + len(entries)
}

func (n *Watches) tooMany() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.budget > 0 && n.cost > n.budget
}

// Has reports whether a directory is watched.
func (n *Watches) Has(dir string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.dirs[dir]
	return ok
}

// Count is the number of watched directories.
func (n *Watches) Count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.dirs)
}

// Complete reports whether every product folder can be watched, and none was refused.
func (n *Watches) Complete() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.full && !n.spares()
}

// Close ends the watches, which may take the system a while.
func (n *Watches) Close() {
	if err := n.fs.Close(); err != nil {
		n.log.Warn("cannot end the watches", "error", err)
	}
}
