package watcher

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
// files there.
const (
	fileBudget   = 4096
	windowBuffer = 4096 // bytes per watch on Windows, where the default of 64 KiB is kept for each
)

// notifier is the one user of fsnotify. One goroutine drains the events and does nothing else: on
// Windows an Add from it would wait for itself.
type notifier struct {
	root string
	log  *slog.Logger
	fs   *fsnotify.Watcher

	lazy bool // see Watcher.WatchLazily

	mu   sync.Mutex // never held during a call of fs
	dirs map[string]watched
	cost int
	full bool
}

// watched is what a watch costs, and whether it may make room for another.
type watched struct {
	cost int
	rank rank
}

func newNotifier(root string, log *slog.Logger) (*notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &notifier{root: root, log: log, fs: w, dirs: map[string]watched{}}, nil
}

// drain gathers events and hands them over whenever out is ready, until the notifier is closed.
func (n *notifier) drain(ctx context.Context, out chan<- hints) {
	pending := hints{from: n}
	for {
		var ready chan<- hints
		if len(pending.paths) > 0 || pending.lost != "" {
			ready = out
		}
		select {
		case ev, ok := <-n.fs.Events:
			if !ok {
				return
			}
			n.gather(&pending, ev)
		case err, ok := <-n.fs.Errors:
			if !ok {
				return
			}
			if err != nil {
				pending.lost = err.Error()
			}
		case ready <- pending:
			pending = hints{from: n}
		case <-ctx.Done():
			return
		}
	}
}

func (n *notifier) gather(h *hints, ev fsnotify.Event) {
	c := changeOf(ev)
	below, err := filepath.Rel(n.root, ev.Name)
	if c == 0 || ev.Name == "" || err != nil {
		return
	}
	below = filepath.ToSlash(below)
	if below == "." {
		below = ""
	}
	if c&(appeared|gone) != 0 && n.forget(below) {
		c |= unwatched
	}
	if h.paths == nil {
		h.paths = map[string]change{}
	}
	h.paths[below] |= c
}

func changeOf(ev fsnotify.Event) (c change) {
	if ev.Has(fsnotify.Create) {
		c |= appeared
	}
	if ev.Has(fsnotify.Write) {
		c |= altered
	}
	if ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
		c |= gone
	}
	if ev.Has(fsnotify.Chmod) {
		c |= touched
	}
	return c
}

// add implements watchSet. On Windows a watch would keep people from renaming every directory above
// it, so there only the root and the directories between it and product folders have one.
func (n *notifier) add(dir string, r rank) {
	if r != above && runtime.GOOS == "windows" || r == idleFolder && n.lazy || n.has(dir) {
		return
	}
	if !n.claim(dir, watched{n.costOf(dir), r}) {
		return
	}
	for n.tooMany() && n.makeRoom(dir, r) {
	}
	err := n.request(dir)
	if outOfWatches(err) {
		n.limit(err)
		if n.makeRoom(dir, r) {
			err = n.request(dir)
		}
	}
	if err != nil {
		n.forget(dir)
	}
}

// claim notes the watch before it is made, so that two goroutines do not make it twice.
func (n *notifier) claim(dir string, w watched) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.dirs[dir]; ok {
		return false
	}
	n.full = n.full || overBudget(n.cost+w.cost)
	if n.full && w.rank == idleFolder {
		return false
	}
	n.dirs[dir] = w
	n.cost += w.cost
	return true
}

func (n *notifier) request(dir string) error {
	return n.fs.AddWith(n.path(dir), fsnotify.WithBufferSize(windowBuffer))
}

func outOfWatches(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// limit notes once that the system allows no more watches. From then on the rest is found by
// reading.
func (n *notifier) limit(err error) {
	n.mu.Lock()
	first := !n.full
	n.full = true
	count := len(n.dirs)
	n.mu.Unlock()
	if first {
		n.log.Warn("no more directories can be watched, the others are found by reading; "+
			"on Linux raise fs.inotify.max_user_watches", "watched", count, "error", err)
	}
}

// makeRoom ends the watch of some product folder for the sake of dir, where something happens.
// Which one is chance: a folder that is active gets its watch back with its next look.
func (n *notifier) makeRoom(dir string, r rank) bool {
	if r == idleFolder {
		return false
	}
	other, ok := n.anyFolderBut(dir)
	if !ok {
		return false
	}
	n.forget(other)
	return n.fs.Remove(n.path(other)) == nil
}

func (n *notifier) anyFolderBut(dir string) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for other, w := range n.dirs {
		if w.rank != above && other != dir {
			return other, true
		}
	}
	return "", false
}

// forget reports whether dir was watched.
func (n *notifier) forget(dir string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	w, ok := n.dirs[dir]
	if ok {
		delete(n.dirs, dir)
		n.cost -= w.cost
	}
	return ok
}

func (n *notifier) path(dir string) string { return filepath.Join(n.root, filepath.FromSlash(dir)) }

// costOf counts what a watch takes from the budget.
func (n *notifier) costOf(dir string) int {
	if !countsFiles {
		return 1
	}
	entries, _ := os.ReadDir(n.path(dir))
	return 1 + len(entries)
}

const countsFiles = runtime.GOOS == "darwin"

func overBudget(cost int) bool { return countsFiles && cost > fileBudget }

func (n *notifier) tooMany() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return overBudget(n.cost)
}

func (n *notifier) has(dir string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.dirs[dir]
	return ok
}

func (n *notifier) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.dirs)
}

func (n *notifier) complete() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.full && !n.lazy && runtime.GOOS != "windows"
}

func (n *notifier) close() {
	if err := n.fs.Close(); err != nil {
		n.log.Warn("end the watches", "error", err)
	}
}
