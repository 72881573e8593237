package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"spinsync/daemon/schedule"
	"spinsync/syncstate"
)

// This many product folders are worked on at a time, or foldersBeside more than there may be
// uploads, if that is more. Waiting for the service takes no worker. A folder of few small frames
// spends its time in requests and commits, so that many folders are needed to fill the upload
// slots. Folders that go before all others have foldersAhead more, so that none of them waits until
// another one lets its worker go.
const (
	foldersAtOnce = 24
	foldersBeside = 8
	foldersAhead  = 2
)

// workers work on folders, a bounded number for each root: workers that a dead drive keeps are not
// missed at other roots.
type workers struct {
	board   *board // hands out folders, and takes them back
	slots   *schedule.Slots
	log     *slog.Logger
	pulse   pulse // of the loop
	stagger func(ctx context.Context, folder syncstate.Folder, frame string)
	running sync.WaitGroup

	mu    sync.Mutex
	busy  map[string]int // by root
	all   int            // of all roots
	ended bool           // a worker became free since idled was asked
}

func newWorkers(b *board) *workers {
	p := b.publisher
	return &workers{board: b, slots: p.Slots, log: p.Log, stagger: p.Stagger, busy: map[string]int{}}
}

// wait returns when every worker is free, which it reports. It gives up on workers whose read of a file the system
// does not answer, because nothing interrupts that: their folders stay busy until it answers.
func (w *workers) wait() (all bool) {
	if all = w.drain(); !all {
		w.log.Warn("some workers wait for a drive that does not answer; stopping without them")
	}
	return all
}

// drain waits for all workers, at most stopPatience, and reports whether all became free. The pulse of
// the loop goes on.
func (w *workers) drain() bool {
	empty := make(chan struct{})
	go func() {
		w.running.Wait()
		close(empty)
	}()
	patience := time.NewTimer(stopPatience)
	defer patience.Stop()
	for {
		select {
		case <-empty:
			return true
		case <-patience.C:
			return false
		case <-w.pulse:
		}
	}
}

// dispatch gives due folders to the free workers.
func (w *workers) dispatch(ctx context.Context) {
	for ctx.Err() == nil {
		f := w.next()
		if f == nil {
			return
		}
		w.running.Go(func() {
			defer w.release(f.key.Root)
			w.stagger(ctx, f.key, "")
			w.board.finished(f, f.job.Work(ctx))
		})
	}
}

// next takes a folder from the queue, nil when none is due or no worker is free for it.
func (w *workers) next() *folder {
	all := max(foldersAtOnce, w.slots.Width()+foldersBeside)
	w.mu.Lock()
	defer w.mu.Unlock()
	free := func(root string, class schedule.Class) bool {
		if class <= schedule.Shooting {
			return w.busy[root] < all+foldersAhead
		}
		return w.busy[root] < all
	}
	f := w.board.take(free)
	if f != nil {
		w.busy[f.key.Root]++
		w.all++
	}
	return f
}

// idled reports whether all workers have become free since it was asked last.
func (w *workers) idled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	idled := w.ended && w.all == 0
	w.ended = false
	return idled
}

// release frees a worker of a root.
func (w *workers) release(root string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[root]--
	w.all--
	w.ended = true
	w.board.wake.send()
}
