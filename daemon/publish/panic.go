package publish

import (
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A panic in the work on one folder is kept from the others: the folder stands aside for a while,
// and after the third one until a person looks.
const panicsAtMost = 3

// park puts a folder aside whose work panicked.
func (j *Job) park(p *outcome.Outcome) (last plan.Step) {
	j.Log.Error("the work on a folder panicked",
		"folder", j.Key.Path, "panic", p.Err, "stack", string(p.Stack))
	err := outcome.Guard(func() (err error) {
		last, err = j.recordPanic()
		return err
	})
	switch {
	case outcome.Is(err, outcome.Panicked):
		return plan.NeedsPerson(panicCause(panicsAtMost))
	case err != nil:
		return j.notRecorded(err)
	}
	return last
}

func (j *Job) recordPanic() (plan.Step, error) {
	var s plan.Scene
	err := j.Update(func(r *syncstate.Record) error {
		now := time.Now()
		r.Panics++
		r.Trouble = &syncstate.Trouble{
			Cause: panicCause(r.Panics), Attempts: r.Panics, Since: now, Listing: j.Content(),
		}
		if r.Panics < panicsAtMost {
			r.Trouble.NextTry = now.Add(j.RetryPause(r.Panics))
		}
		s = plan.Scene{Now: now, Record: *r, Snapshot: j.Snapshot, Readings: j.Readings, Rules: j.Root.Rules}
		return nil
	})
	if err != nil {
		return plan.Step{}, err
	}
	last := s.PlanRetry()
	j.Tell(last, s)
	return last, nil
}

func panicCause(n int) *status.Cause {
	if n < panicsAtMost {
		return status.Because(status.InternalError)
	}
	return status.Because(status.InternalErrors)
}
