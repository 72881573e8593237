package publish

import (
	"errors"
	"sync/atomic"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A ledger is the record of one folder. It records each change of a step with the status that
// people were shown last, unless a person gave up the run or the product since the step was
// planned. It also takes the record of another folder, and drops its own.
type ledger struct {
	key     syncstate.Folder
	root    *reading.Root
	records *Records
	keeper  Keeper
	screen  *screen

	abandoned *atomic.Int32 // how often a person gave up the run or the product
	planned   int32         // abandoned, when the step was planned
	unchecked bool          // an earlier process began the run, and it was not compared with the service yet
}

// Nothing shows that a state file comes from a backup. What an earlier process began is therefore
// compared with the service before it goes on: nothing may be sent under a form that was closed
// since, and no other revision may pass for the run's own.

// checked notes that the run was compared with the service, or has begun in this process.
func (l *ledger) checked() { l.unchecked = false }

// begin has the changes that follow belong to a step that is planned now.
func (l *ledger) begin() { l.planned = l.abandoned.Load() }

// stands is outcome.ErrChanged when a person gave up the run or the product since the step was
// planned.
func (l *ledger) stands() error {
	if l.abandoned.Load() != l.planned {
		return outcome.ErrChanged
	}
	return nil
}

// change changes the folder's record, and records the status last shown with it. It fails where the
// step does not stand.
func (l *ledger) change(change func(*syncstate.Record)) error {
	return l.try(func(r *syncstate.Record) error { change(r); return nil })
}

// try is change for a change that may fail, and then leaves the record as it was.
func (l *ledger) try(change func(*syncstate.Record) error) error {
	return l.keep(l.records.Update, change)
}

// changePatiently is change where a moment more holds up nothing but the folder itself.
func (l *ledger) changePatiently(change func(*syncstate.Record)) error {
	return l.keep(l.records.UpdatePatiently, func(r *syncstate.Record) error { change(r); return nil })
}

func (l *ledger) keep(
	update func(syncstate.Folder, func(*syncstate.Record) error) error,
	change func(*syncstate.Record) error,
) error {
	var before, after syncstate.Record
	err := update(l.key, func(r *syncstate.Record) error {
		if err := l.stands(); err != nil {
			return err
		}
		before = *r
		l.markDoubted(r)
		if err := change(r); err != nil {
			return err
		}
		l.screen.keep(r)
		after = *r
		return nil
	})
	if err == nil {
		l.screen.kept(before, after)
	}
	return err
}

// markUploaded records that a frame of the run has arrived, from any goroutine. It fails where the
// step does not stand, or the run has not that frame any more.
func (l *ledger) markUploaded(index int, frame syncstate.RunFrame) error {
	if err := l.stands(); err != nil {
		return err
	}
	return l.records.Store.MarkUploaded(l.key, index, frame)
}

// markDoubted marks the record of a folder that is not recorded yet, below a root that was not read
// whole yet: the service may have its view.
func (l *ledger) markDoubted(r *syncstate.Record) {
	if r.Shown.State == "" && r.Product.UUID == "" && r.Run == nil && l.root.Rules.Places(l.key.Path) && !l.root.Known.Load() {
		r.Doubted = true
	}
}

// changeWishes is changePatiently for the wishes of people. The folder goes by them at once.
func (l *ledger) changeWishes(change func(*syncstate.Record)) error {
	err := l.changePatiently(change)
	if err == nil {
		l.keeper.FollowWishes(l.key)
	}
	return err
}

// read is the folder's record as it is now.
func (l *ledger) read() (syncstate.Record, error) { return l.of(l.key) }

// of is the record of a folder as it is now.
func (l *ledger) of(key syncstate.Folder) (syncstate.Record, error) {
	return l.records.Store.Record(key)
}

// ownerOf is another folder that has a product; owned is false where none has it.
func (l *ledger) ownerOf(product string) (owner syncstate.Folder, owned bool) {
	return l.records.Index.Another(l.key, product)
}

// takeFrom moves the record of another folder to this one, with a run that may be unchecked and a
// change that may fail. It fails where the step does not stand: a drive may have kept the worker for
// long, and another daemon may have taken over.
func (l *ledger) takeFrom(from syncstate.Folder, unchecked bool, change func(*syncstate.Record) error) error {
	if err := l.stands(); err != nil {
		return err
	}
	if err := l.records.Move(from, l.key, change); err != nil {
		return err
	}
	l.unchecked = unchecked
	l.keeper.FollowWishes(l.key)
	return nil
}

// forget drops the record of a folder that is gone.
func (l *ledger) forget() error {
	if err := l.records.Delete(l.key); err != nil {
		return err
	}
	l.screen.drop()
	l.keeper.FollowWishes(l.key)
	l.keeper.Forget(l.key)
	return nil
}

// notRecorded is the last step when the record could not be read or changed. Where a person gave up
// the run or the product, the folder is planned again.
func (l *ledger) notRecorded(err error) plan.Step {
	switch {
	case outcome.Is(err, outcome.Changed):
		return plan.Again(time.Now())
	case errors.Is(err, syncstate.ErrNotActive):
		return plan.Again(time.Now().Add(time.Second))
	case errors.Is(err, syncstate.ErrTooLarge):
		return plan.NeedsPerson(status.Because(status.TooLargeForFleet))
	}
	l.records.Failed(err)
	return plan.NeedsPerson(status.Because(status.StateFileFailed))
}
