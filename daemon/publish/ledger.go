package publish

import (
	"sync/atomic"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A ledger records the steps of one folder, and shows them.
type ledger struct {
	*Publisher
	*reading.Folder

	Unchecked bool                  // an earlier process began the run, and it was not compared with the service yet
	Abandoned *atomic.Int32         // how often a person gave up the run or the product
	planned   int32                 // Abandoned, when the step was planned
	pending   *status.ProductStatus // the status last shown, while it is not recorded
	content   string                // for which it was shown
	product   plan.Product          // the wanted one; zero when it is not known
	began     time.Time             // when the run began that was published last
}

// Update changes the folder's record, and records the status last shown with it. It is
// outcome.ErrChanged when a person gave up the run or the product since the step was planned.
func (l *ledger) Update(change func(*syncstate.Record)) error {
	return l.tryUpdate(l.Records.Update, func(r *syncstate.Record) error { change(r); return nil })
}

// updatePatiently is Update where a moment more holds up nothing but the folder itself.
func (l *ledger) updatePatiently(change func(*syncstate.Record)) error {
	return l.tryUpdate(l.Records.UpdatePatiently, func(r *syncstate.Record) error { change(r); return nil })
}

// tryUpdate is Update for a change that may fail, and then leaves the record as it was.
func (l *ledger) tryUpdate(
	update func(syncstate.Folder, func(*syncstate.Record) error) error,
	change func(*syncstate.Record) error,
) error {
	err := update(l.Key, func(r *syncstate.Record) error {
		if l.Abandoned.Load() != l.planned {
			return outcome.ErrChanged
		}
		l.markDoubted(r)
		if err := change(r); err != nil {
			return err
		}
		if l.pending != nil {
			l.pending.Keep(r)
			r.Content = l.content
			l.nameIn(r)
		}
		return nil
	})
	if err == nil {
		l.pending = nil
		l.Records.Works()
	}
	return err
}

// markDoubted marks the record of a folder that is not recorded yet, below a root that was not read
// whole yet: the service may have its view.
func (l *ledger) markDoubted(r *syncstate.Record) {
	if r.State == "" && r.Product.UUID == "" && l.Root.Rules.Places(l.Key.Path) && !l.Root.Known.Load() {
		r.Doubted = true
	}
}

// Paused reports whether a person has paused the folder, or all.
func (l *ledger) Paused() bool { return l.Neighbours.IsPaused(l.Key) }

// Command is a command of spinsync for the job's folder.
func (l *ledger) Command(verb string) string {
	return status.CommandFor(verb, l.Display.NameInShell(l.Key))
}
