package daemon

import (
	"context"
	"sync"
	"time"

	"spinsync/syncstate"
)

// So many product folders are worked on at a time, or handsBeside more than there may be uploads, whichever is more. Waiting for the
// service takes no hand. A folder of few small frames spends its time in requests and commits, so that many folders are needed to fill
// a line with them. Beyond those there are hands for what is begun, mostly to ask how far the service is, others for what a camera writes,
// and others for what a person is in a hurry for, all of which would else wait until another folder is done.
const (
	foldersInHand  = 24
	handsBeside    = 8
	handsForBegun  = 4
	handsForShot   = 4
	handsForRush   = 4
	handsBesideNew = handsForBegun + handsForShot + handsForRush
)

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
	all := max(foldersInHand, h.d.lanes.allowed()+handsBeside) + handsBesideNew
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	f := h.d.queue.take(time.Now(), func(r *root) int { return all - h.taken[r] }, shot)
	if f != nil {
		f.busy, f.dirty = true, false
		h.d.stirs++
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
