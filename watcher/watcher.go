// Package watcher turns directory trees into Snapshots of product folders: call New with the roots,
// then Run, and receive from Snapshots. A Snapshot has the frames, busy files and sidecars of one
// folder, and which of them have stopped changing.
//
// An event is a hint; only the disk is the truth. Each root is read whole every few minutes. A
// folder is read when an event names it, when one of its files can have become still, and every few
// seconds while it changes. Lost events, a full watch list, a network drive that sends none, a
// drive that comes back: the answer to each is to read the directory again.
//
// The package knows neither the hosting service nor projects nor the content of files. It lists and
// stats, and opens files only for others (Open) and, on network drives, to ask for their size
// through the handle. It refuses to follow links, to open anything but regular files, to conclude
// anything from a root that is missing, replaced or emptied, and to change, lock or create
// anything.
package watcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"spinsync/watcher/volume"
)

// Watcher watches roots. Its methods may be called from any goroutine.
type Watcher struct {
	log   *slog.Logger
	roots map[string]*tree
	order []string
	out   outbox
	news  chan struct{} // holds one

	unread    atomic.Int32 // roots not read yet
	firstRead chan struct{}
	ended     chan struct{}
	readers   sync.WaitGroup // of reads that may hang in the kernel
}

// New checks the roots and makes a Watcher, which does nothing until Run. A nil log is silent.
func New(roots []Root, log *slog.Logger) (*Watcher, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	w := &Watcher{
		log:       log,
		roots:     map[string]*tree{},
		out:       outbox{in: make(chan Snapshot), out: make(chan Snapshot)},
		news:      make(chan struct{}, 1),
		firstRead: make(chan struct{}),
		ended:     make(chan struct{}),
	}
	var errs []error
	for _, cfg := range roots {
		if err := w.add(cfg); err != nil {
			errs = append(errs, fmt.Errorf("watch %s: %w", cfg.Path, err))
		}
	}
	w.unread.Store(int32(len(w.roots)))
	if len(w.roots) == 0 {
		close(w.firstRead)
	}
	return w, errors.Join(errs...)
}

func (w *Watcher) add(cfg Root) error {
	switch {
	case !filepath.IsAbs(cfg.Path):
		return errors.New("the path must be absolute")
	case cfg.Depth < 1:
		return errors.New("product folders must lie below the root")
	case cfg.Settle <= 0:
		return errors.New("settle must be longer than 0")
	case w.roots[cfg.Path] != nil:
		return errors.New("it is named twice")
	}
	rules, err := cfg.rules()
	if err != nil {
		return err
	}
	r := newTree(cfg, rules, w.log.With("root", cfg.Path))
	r.loop.readers, r.watches.ending = &w.readers, &w.readers
	r.settler.out, r.troubled.out, r.status.news = &w.out, &w.out, w.news
	r.firstDone = sync.OnceFunc(w.rootDone)
	w.roots[cfg.Path] = r
	w.order = append(w.order, cfg.Path)
	return nil
}

func (w *Watcher) rootDone() {
	if w.unread.Add(-1) == 0 {
		close(w.firstRead)
	}
}

// hangGrace is how long Run waits for readings when it ends. A reading that hangs in the kernel is
// left behind.
const hangGrace = 2 * time.Second

// Run does the work until ctx ends, which is no error, or until a root may not be read. It may be
// called once.
func (w *Watcher) Run(ctx context.Context) error {
	owners, ctx := errgroup.WithContext(ctx)
	owners.Go(func() error {
		w.out.run(ctx)
		return nil
	})
	for _, path := range w.order {
		owners.Go(func() error { return w.roots[path].run(ctx) })
	}
	err := owners.Wait()
	close(w.ended)
	done := make(chan struct{})
	go func() {
		w.readers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(hangGrace):
		w.log.Warn("abandoning a read that the system does not answer")
	}
	return err
}

// WatchLazily makes a product folder send events only once something happened in it, which is
// found by reading, and the directories above none at first. Who reads the roots once and ends has
// little of the events of idle folders, and thousands of watches take a while to make and to
// end. Call it before Run.
func (w *Watcher) WatchLazily() {
	for _, r := range w.roots {
		r.watches.lazy = true
	}
}

// Snapshots delivers what changed. Of each folder only the newest Snapshot waits, and it is
// delivered once. The channel stays open after Run ends.
func (w *Watcher) Snapshots() <-chan Snapshot { return w.out.out }

// News receives when Roots has another answer than before, the counts of folders and watches apart,
// once for all changes since the last receive.
func (w *Watcher) News() <-chan struct{} { return w.news }

// Took notes that the receiver has handled a snapshot from Snapshots, with all its calls to the
// watcher. Only Delivered needs it.
func (w *Watcher) Took() { w.out.held.Add(-1) }

// Delivered reports whether every snapshot so far was taken in, and nothing is asked for or under
// way of which one may come.
func (w *Watcher) Delivered() bool {
	for _, r := range w.roots {
		if !r.loop.inbox.idle() || r.busy.Load() {
			return false
		}
	}
	return w.out.held.Load() == 0
}

// FirstRead is closed when every root was read once or is offline.
func (w *Watcher) FirstRead() <-chan struct{} { return w.firstRead }

// ReadFolder reads one folder now and returns its Snapshot. A frame is Still if the watcher knows
// an equal frame to be still. The error of a folder that is not there IsGone; an offline root is an
// error with the reason.
func (w *Watcher) ReadFolder(ctx context.Context, root, folder string) (Snapshot, error) {
	r, err := w.root(root)
	if err != nil {
		return Snapshot{}, err
	}
	answers := make(chan answer, 1)
	r.loop.inbox.put(func(ctx context.Context) { r.settler.readFor(ctx, folder, answers) })
	select {
	case a := <-answers:
		return a.found, a.err
	case <-ctx.Done():
		return Snapshot{}, context.Cause(ctx)
	case <-w.ended:
		return Snapshot{}, errors.New("the watcher has ended")
	}
}

// Exists reports whether a directory is at the folder's place now, or may be on a drive that was
// mounted there and is away, which costs less than ReadFolder. False may also mean that the watcher
// does not know.
func (w *Watcher) Exists(root, folder string) bool {
	r, err := w.root(root)
	if err != nil {
		return false
	}
	return r.disk.mayExist(folder, r.status.getMounts())
}

// Refresh sends the folder's whole Snapshot again, once it can be read.
func (w *Watcher) Refresh(root, folder string) {
	w.do(root, func(ctx context.Context, r *tree) { r.refresh(ctx, folder) })
}

// SetIdle notes that the listing with this fingerprint is done with. While the folder has that
// listing, only the fingerprint is kept in memory and no Snapshot is sent.
func (w *Watcher) SetIdle(root, folder string, fp Fingerprint) {
	w.do(root, func(_ context.Context, r *tree) { r.settler.setIdle(folder, fp) })
}

// Forget ends the reports about a folder that is gone. A folder that is there stays.
func (w *Watcher) Forget(root, folder string) {
	w.do(root, func(_ context.Context, r *tree) { r.settler.forget(folder) })
}

// Accept trusts an Untrusted root as it is now, although it is another volume or emptied, or drives
// below it are away: a person has replaced the drive. It accepts nothing that comes there later,
// and does nothing to other roots.
func (w *Watcher) Accept(root string) {
	w.do(root, func(_ context.Context, r *tree) { r.accept() })
}

// Continue goes on with what a person accepted at another Watcher, whose Run has returned. Call it
// before Run.
func (w *Watcher) Continue(before *Watcher) {
	for path, r := range w.roots {
		if was := before.roots[path]; was != nil {
			r.trust.accepted = was.trust.accepted
		}
	}
}

// Rescan reads all roots whole now, as is due when the machine wakes up.
func (w *Watcher) Rescan() {
	for _, path := range w.order {
		w.do(path, func(_ context.Context, r *tree) { r.rescan() })
	}
}

// do lets the goroutine that owns a root do something soon.
func (w *Watcher) do(path string, what func(context.Context, *tree)) {
	if r, err := w.root(path); err == nil {
		r.loop.inbox.put(func(ctx context.Context) { what(ctx, r) })
	}
}

func (w *Watcher) root(path string) (*tree, error) {
	r := w.roots[path]
	if r == nil {
		return nil, fmt.Errorf("%s is no watched root", path)
	}
	return r, nil
}

// Roots returns the status of the roots, in the order of New.
func (w *Watcher) Roots() []RootStatus {
	var all []RootStatus
	for _, path := range w.order {
		all = append(all, w.roots[path].status.get())
	}
	return all
}

// Mounts returns the drives below a root, by the slash-separated path of the directory. Keep it for
// the next start, or the folders of a drive that is away by then count as gone. A drive is reported
// before any folder on it.
func (w *Watcher) Mounts(root string) map[string]volume.Identity {
	r, err := w.root(root)
	if err != nil {
		return nil
	}
	return r.status.getMounts()
}

// Aside returns the product folders of a root that all went at once, while nothing proves that it is
// still the same drive. They are not gone, and wait for their drive. Keep them for the next start.
func (w *Watcher) Aside(root string) []string {
	r, err := w.root(root)
	if err != nil {
		return nil
	}
	return r.status.getAside()
}

// Shooting lists, by root, the product folders whose frames are being written, or were a second
// ago. A root without such folders is left out.
func (w *Watcher) Shooting() map[string][]string {
	all := map[string][]string{}
	for _, path := range w.order {
		if folders := w.roots[path].settler.shots.folders(time.Now()); len(folders) > 0 {
			all[path] = folders
		}
	}
	return all
}
