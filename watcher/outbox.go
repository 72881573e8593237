package watcher

import (
	"context"
	"sync"
	"sync/atomic"

	"spinsync/watcher/volume"
)

// outbox holds what the receiver has not taken yet: of each folder only the newest.
type outbox struct {
	in, out chan Snapshot
	held    atomic.Int64 // sent and not yet taken in or overtaken by a newer one
}

// put sends a snapshot on its way.
func (o *outbox) put(ctx context.Context, s Snapshot) {
	o.held.Add(1)
	select {
	case o.in <- s:
	case <-ctx.Done():
		o.held.Add(-1)
	}
}

type folderKey struct{ root, folder string }

// run always takes what comes in, so that a slow receiver holds up no root.
func (o *outbox) run(ctx context.Context) {
	var order []folderKey
	newest := map[folderKey]Snapshot{}
	for {
		var ready chan<- Snapshot
		var next Snapshot
		if len(order) > 0 {
			ready, next = o.out, newest[order[0]]
		}
		select {
		case s := <-o.in:
			key := folderKey{s.Root, s.Folder}
			if _, waits := newest[key]; waits {
				o.held.Add(-1)
			} else {
				order = append(order, key)
			}
			newest[key] = s
		case ready <- next:
			delete(newest, order[0])
			order = order[1:]
		case <-ctx.Done():
			return
		}
	}
}

// inbox holds the work that other goroutines leave for the owner of a root. Putting never waits: a
// drive that hangs must not hold up the goroutines that ask about it.
type inbox struct {
	mu    sync.Mutex
	todo  []func(context.Context)
	taken bool          // some are being done
	wake  chan struct{} // holds one
}

func (b *inbox) put(f func(context.Context)) {
	b.mu.Lock()
	b.todo = append(b.todo, f)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) take() []func(context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	todo := b.todo
	b.todo, b.taken = nil, true
	return todo
}

// done says that the owner has finished the work it took, and published the result.
func (b *inbox) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = false
}

// idle reports whether nothing is to be done.
func (b *inbox) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.todo) == 0 && !b.taken
}

// statusBox hands the status of a root to other goroutines.
type statusBox struct {
	mu     sync.Mutex
	s      RootStatus
	mounts map[string]volume.Identity // never changed, only replaced
	news   chan<- struct{}            // holds one: the status of some root is another one
}

// set sends no news of the counts that grow with each folder of a reading.
func (b *statusBox) set(s RootStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.s
	before.Folders, before.Watches = s.Folders, s.Watches
	b.s = s
	if s != before {
		b.tell()
	}
}

func (b *statusBox) setMounts(mounts map[string]volume.Identity) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mounts = mounts
	b.tell()
}

func (b *statusBox) tell() {
	select {
	case b.news <- struct{}{}:
	default:
	}
}

func (b *statusBox) get() RootStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.s
}

func (b *statusBox) getMounts() map[string]volume.Identity {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mounts
}
