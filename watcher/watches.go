package watcher

import (
	"context"
	"time"

	"spinsync/watcher/events"
)

// watchSet is the watches on the directories of one root. The tests of the settling have one of
// their own and send the hints themselves.
type watchSet interface {
	// Add makes sure that dir is watched, if the number of watches allows it. It may block, so the
	// goroutine that receives the hints must not call it.
	Add(dir string, r events.Rank)
	Has(dir string) bool
	Count() int
	Complete() bool // every product folder can be watched, and none was refused
	Close()
}

// noWatches is the watchSet of network drives, of Poll, and of a system without watches to spare.
type noWatches struct{}

func (noWatches) Add(string, events.Rank) {}
func (noWatches) Has(string) bool         { return false }
func (noWatches) Count() int              { return 0 }
func (noWatches) Complete() bool          { return false }
func (noWatches) Close()                  {}

// Watches that lost events are given up and made anew, at longer and longer intervals while that
// keeps happening.
const (
	retryFirst = time.Second
	retryMost  = 10 * time.Minute
)

// backoff says when something may be tried again.
type backoff struct {
	tried time.Time // the last time
	wait  time.Duration
	at    time.Time // of the next try
}

// failed notes that the last try has just failed.
func (b *backoff) failed(now time.Time) {
	if now.Sub(b.tried) > retryMost {
		b.wait = 0
	}
	b.wait = min(max(retryFirst, 2*b.wait), retryMost)
	b.at = b.tried.Add(b.wait)
}

// openWatches makes watches that deliver to t.hints.
func (t *tree) openWatches(ctx context.Context) (watchSet, error) {
	n, err := events.Open(t.Path, t.lazy, t.log)
	if err != nil {
		return nil, err
	}
	t.readers.Go(func() { n.Drain(ctx, t.hints) })
	return n, nil
}

func (t *tree) isUnwatched() bool {
	_, none := t.watches.(noWatches)
	return none
}

// wantsWatches reports whether the root has no watches and should have some.
func (t *tree) wantsWatches() bool { return t.isUnwatched() && !t.Poll && !t.on.Network }

// makeWatches makes watches if there should be some and it is time to try.
func (t *tree) makeWatches(ctx context.Context, now time.Time) {
	if !t.wantsWatches() || t.retry.at.After(now) {
		return
	}
	t.retry.tried = now
	made, err := t.newWatches(ctx)
	if err != nil {
		t.log.Warn("no events, the root is watched by reading alone", "error", err)
		t.retry.failed(now)
		return
	}
	t.watches = made
}

// watching gives the function that adds watches, which may hang and belongs into a reader.
func (t *tree) watching() func(dir string, r events.Rank) {
	watches := t.watches
	return func(dir string, r events.Rank) {
		_ = t.disk.ops.during(t.disk.path(dir), func() error { watches.Add(dir, r); return nil })
	}
}

// closeWatches gives the watches up. Ending them may take the system a while.
func (t *tree) closeWatches() {
	if !t.isUnwatched() {
		t.readers.Go(t.watches.Close)
		t.watches = noWatches{}
	}
}

// lose gives the watches up because events were lost, and reads the tree.
func (t *tree) lose(why string) {
	now := time.Now()
	t.log.Info("the tree is read whole", "reason", why)
	if !t.isUnwatched() {
		t.closeWatches()
		t.retry.failed(now)
	}
	t.readWhole(now)
}

// distrust counts a change that no event told, and makes the watches anew.
func (t *tree) distrust() {
	t.missed++
	t.lose("a change was found that no event had told")
}
