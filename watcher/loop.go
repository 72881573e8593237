package watcher

import (
	"context"
	"sync"
)

// loop is the goroutine that owns a root. It never touches the disk itself: readings happen in
// goroutines of their own and come back as work. So a reading that hangs holds nothing up.
type loop struct {
	inbox   inbox
	work    chan func(context.Context)
	readers *sync.WaitGroup
}

// workOn does the other work that reads have brought. Only then the loop asks for the next work
// due, since a reading of the tree brings thousands of folders.
func (l *loop) workOn(ctx context.Context) {
	for range len(l.work) {
		(<-l.work)(ctx)
	}
}

// spawn calls read in another goroutine. The owner runs the function that read returns.
func (l *loop) spawn(ctx context.Context, read func() func(context.Context)) {
	l.readers.Go(func() { l.post(ctx, read()) })
}

func (l *loop) post(ctx context.Context, do func(context.Context)) {
	select {
	case l.work <- do:
	case <-ctx.Done():
	}
}

// inbox holds the work that other goroutines leave for the owner of a root. Putting never waits: a
// drive that hangs must not hold up the goroutines that ask about it.
type inbox struct {
	mu    sync.Mutex
	work  []func(context.Context)
	taken bool          // some are being done
	wake  chan struct{} // holds one
}

func (b *inbox) put(f func(context.Context)) {
	b.mu.Lock()
	b.work = append(b.work, f)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) take() []func(context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	work := b.work
	b.work, b.taken = nil, true
	return work
}

// done notes that the owner has finished the work it took, and published the result.
func (b *inbox) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = false
}

// idle reports whether there is no work.
func (b *inbox) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.work) == 0 && !b.taken
}
