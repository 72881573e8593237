package publish

import (
	"errors"
	"net/http"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// troubleOf is the record of a failed step, which goes on counting from the trouble before.
func (l *ledger) troubleOf(before *syncstate.Trouble, err error) *syncstate.Trouble {
	now := time.Now()
	t := &syncstate.Trouble{
		Kind: syncstate.Retried, Cause: outcome.CauseOf(err), Detail: outcome.DetailOf(err), At: now,
		Content: l.Content(),
	}
	if before != nil {
		t.Tries.N, t.Refusals = before.Tries.N, before.Refusals
	}
	t.Tries.N++
	var remote *apiclient.Error
	if errors.As(err, &remote) && !remote.Temporary() {
		t.Refusals++
	}
	denied, decided := outcome.NoAccess(err), outcome.Of(err)
	switch {
	case denied != nil:
		t.Kind, t.Cause, t.Tries.Next = syncstate.RetriedAndTold, denied, now.Add(plan.AccessPause)
	case decided != nil && decided.Until.IsZero():
		t.Kind = syncstate.NeedsPerson
	case decided != nil && decided.Kind == outcome.NeedsPerson:
		t.Kind, t.Tries.Next = syncstate.RetriedAndTold, decided.Until
	case decided != nil:
		t.Tries.Next = decided.Until
	case remote != nil && !remote.Temporary() && t.Refusals >= hosting.Refusals:
		t.Kind, t.Cause = syncstate.NeedsPerson, outcome.ForGood(outcome.Explain(err, "").Cause())
	default:
		t.Tries.Next = now.Add(l.RetryPause(t.Tries.N))
	}
	if remote != nil && t.Kind != syncstate.NeedsPerson {
		t.Cause = outcome.WithPause(t.Cause, remote)
		if rests := l.Service.Breakers.Asked(remote); rests.After(now) {
			t.Tries.Next = later(t.Tries.Next, rests.Add(l.RetryPause(1)))
		}
	}
	return t
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// classOf is the cause of a failure in a word, for the metrics.
func classOf(err error) string {
	var remote *apiclient.Error
	decided := outcome.Of(err)
	switch {
	case outcome.NoAccess(err) != nil:
		return string(status.NoAccess)
	case decided != nil && decided.Cause != nil:
		return string(decided.Cause.Kind)
	case !errors.As(err, &remote), remote.Local():
		return "file"
	case remote.Barred():
		return "barred"
	case remote.Status == 0:
		return "no answer"
	case remote.Throttled():
		return "throttled"
	case remote.Full():
		return "host full"
	case remote.Status >= http.StatusInternalServerError:
		return "server error"
	case remote.Status/100 == 4:
		return "refused"
	}
	return "wrong answer"
}

// A panic in the work on one folder does not affect the others: the folder waits for a while, and
// after the third one for a person.

// park makes a folder wait whose work panicked.
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
	err := j.Update(func(r *syncstate.Record) {
		now := time.Now()
		r.Panics++
		r.Trouble = &syncstate.Trouble{
			Kind: syncstate.NeedsPerson, Cause: status.Because(status.InternalErrors), At: now, Content: j.Content(),
		}
		if pause, patient := j.tries(r.Panics); patient {
			r.Trouble.Kind, r.Trouble.Cause = syncstate.Retried, status.Because(status.InternalError)
			r.Trouble.Tries = syncstate.Tries{N: r.Panics, Next: now.Add(pause)}
		}
		s = plan.Scene{Now: now, Record: *r, Facts: plan.Facts{
			Snapshot: j.Snapshot, Readings: j.Readings, Rules: j.Root.Rules,
		}}
		s.Set = plan.Judge(s.Facts, s.Record, s.Now)
	})
	if err != nil {
		return plan.Step{}, err
	}
	last := s.PlanTrouble()
	j.Tell(last, s)
	return last, nil
}
