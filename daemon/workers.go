package daemon

import (
	"context"
	"sync"
	"time"

	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
)

// This many product folders are worked on at a time, or foldersBeside more than there may be
// uploads, if that is more. Waiting for the service takes no worker. A folder of few small frames
// spends its time in requests and commits, so that many folders are needed to fill the upload
// slots. The workers that schedule reserves come on top.
const (
	foldersAtOnce = 24
	foldersBeside = 8
)

// workers work on folders, a bounded number for each root: workers that a dead drive keeps are not
// missed at other roots.
type workers struct {
	d       *Daemon
	busy    map[string]int // by root; guarded by the daemon's mutex
	all     int            // of all roots
	ended   bool           // a worker became free since idled was asked
	running sync.WaitGroup
}

func newWorkers(d *Daemon) *workers { return &workers{d: d, busy: map[string]int{}} }

// wait returns when every worker is free. It gives up on workers whose read of a file the system
// does not answer, because nothing interrupts that: their folders stay busy until it answers.
func (w *workers) wait() {
	if !w.free() {
		w.d.Log.Warn("some work on folders does not end; going on without it")
	}
}

// free reports whether every worker became free within stopPatience.
func (w *workers) free() bool {
	empty := make(chan struct{})
	go func() {
		w.running.Wait()
		close(empty)
	}()
	patience := time.NewTimer(stopPatience)
	defer patience.Stop()
	select {
	case <-empty:
		return true
	case <-patience.C:
		return false
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
			defer w.putDown(f)
			w.d.AwaitTurn(ctx, f.key, "")
			w.d.board.finished(f, f.job.Work(ctx))
		})
	}
}

// next takes a folder from the queue, nil when none is due or no worker is free for it.
func (w *workers) next() *folder {
	all := max(foldersAtOnce, w.d.Slots.Width()+foldersBeside) + schedule.Reserved
	w.d.board.mu.Lock()
	defer w.d.board.mu.Unlock()
	key, ok := w.d.board.queue.Take(time.Now(), func(root string) int { return all - w.busy[root] })
	if !ok {
		return nil
	}
	f := w.d.board.folders[key]
	f.busy, f.dirty = true, false
	w.d.board.stirs++
	w.d.board.jobOf(f)
	w.busy[key.Root]++
	w.all++
	return f
}

// idled reports whether all workers have become free since it was asked last.
func (w *workers) idled() bool {
	w.d.board.mu.Lock()
	defer w.d.board.mu.Unlock()
	idled := w.ended && w.all == 0
	w.ended = false
	return idled
}

func (w *workers) putDown(f *folder) {
	w.d.board.mu.Lock()
	defer w.d.board.mu.Unlock()
	w.busy[f.key.Root]--
	w.all--
	w.ended = true
	w.d.board.poke()
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
