package watcher

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/volume"
)

// watchSet is the watches on the directories of one root. The tests of the settling have one of
// their own and send the hints themselves.
type watchSet interface {
	// Add makes sure that dir is watched, if the number of watches allows it. It may block, so the
	// goroutine that receives the hints must not call it.
	Add(dir string, r events.Rank)
	Rest(dir string) // the product folder has become idle
	Has(dir string) bool
	Count() int
	Complete() bool // every product folder can be watched, and none was refused
	Close()
}

// noWatches is the watchSet of network drives, of Poll, and of a system without watches to spare.
type noWatches struct{}

func (noWatches) Add(string, events.Rank) {}

func (noWatches) Rest(string) {}

func (noWatches) Has(string) bool { return false }

func (noWatches) Count() int { return 0 }

func (noWatches) Complete() bool { return false }

func (noWatches) Close() {}

// Watches that lost events are given up and made again, at longer and longer intervals while that
// keeps happening.
const (
	retryFirst = time.Second
	retryMost  = 10 * time.Minute
)

// backoff is when something may be tried again.
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

// watching is the watches of one root, which are given up when they lose events and made again
// later.
type watching struct {
	set    watchSet
	lazy   bool // see Watcher.WatchLazily
	poll   bool // the configuration wants none
	open   func(context.Context) (watchSet, error)
	retry  backoff
	missed int // changes that a read found without an event
	log    *slog.Logger
	ending *sync.WaitGroup
}

func (w *watching) none() bool {
	_, none := w.set.(noWatches)
	return none
}

// wanted reports whether a root on this volume has no watches and should have some.
func (w *watching) wanted(on volume.Volume) bool { return w.none() && !w.poll && !on.Network }

// make makes watches if there should be some and it is time to try.
func (w *watching) make(ctx context.Context, now time.Time, on volume.Volume) {
	if !w.wanted(on) || w.retry.at.After(now) {
		return
	}
	w.retry.tried = now
	made, err := w.open(ctx)
	if err != nil {
		w.log.Warn("no file events; polling", "error", err)
		w.retry.failed(now)
		return
	}
	w.set = made
}

// close gives the watches up. Ending them may take the system a while.
func (w *watching) close() {
	if !w.none() {
		w.ending.Go(w.set.Close)
		w.set = noWatches{}
	}
}

// giveUp closes watches that lost events.
func (w *watching) giveUp(now time.Time) {
	if !w.none() {
		w.close()
		w.retry.failed(now)
	}
}

// adder gives the function that adds watches, which may hang and belongs into a reader.
func (d *disk) adder(watches watchSet) func(dir string, r events.Rank) {
	return func(dir string, r events.Rank) {
		_ = d.readings.during(d.path(dir), func() error { watches.Add(dir, r); return nil })
	}
}
