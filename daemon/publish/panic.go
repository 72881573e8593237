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
		return plan.NeedsPerson(status.Because(status.InternalErrors))
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
			Kind: syncstate.Stopped, Cause: status.Because(status.InternalErrors), At: now, Listing: j.Content(),
		}
		if pause, patient := j.tries(r.Panics); patient {
			r.Trouble.Kind, r.Trouble.Cause = syncstate.Passes, status.Because(status.InternalError)
			r.Trouble.Tries = syncstate.Tries{N: r.Panics, Next: now.Add(pause)}
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
