package daemon

import (
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A panic in the work on one folder is kept from the others: the folder stands aside for a while,
// and after the third one until a person looks.
const panicsAtMost = 3

// park puts a folder aside whose work panicked.
func (j *job) park(p *outcome.Outcome) (last step) {
	j.log.Error("the work on a folder panicked",
		"folder", j.key.Path, "panic", p.Err, "stack", string(p.Stack))
	err := outcome.Guard(func() (err error) {
		last, err = j.recordPanic()
		return err
	})
	switch {
	case outcome.Is(err, outcome.Panicked):
		return attention(panicCause(panicsAtMost))
	case err != nil:
		return j.notRecorded(err)
	}
	return last
}

func (j *job) recordPanic() (step, error) {
	var s scene
	err := j.update(func(r *syncstate.Record) error {
		now := time.Now()
		r.Panics++
		r.Trouble = &syncstate.Trouble{
			Cause: panicCause(r.Panics), Attempts: r.Panics, Since: now, Listing: j.content(),
		}
		if r.Panics < panicsAtMost {
			r.Trouble.NextTry = now.Add(j.retryPause(r.Panics))
		}
		s = scene{now: now, record: *r, snapshot: j.snapshot, readings: j.readings, rules: j.root.rules}
		return nil
	})
	if err != nil {
		return step{}, err
	}
	last := s.planRetry()
	j.tell(last, s)
	return last, nil
}

func panicCause(n int) *status.Cause {
	if n < panicsAtMost {
		return because(status.InternalError)
	}
	return because(status.InternalErrors)
}
