package publish

import (
	"context"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Rebuild takes the steps that reconcile a folder. What it waits for is recorded as its reason.
func (j *Job) Rebuild(ctx context.Context) error {
	for {
		s, err := j.Scene()
		if err != nil || !s.Record.Unreconciled {
			return err
		}
		next := s.PlanOwed()
		switch next.Action {
		case plan.Read:
			err = j.ReadFrames(ctx, next.Frames, next.Digest)
			plan.StayBroken(j.Readings)
		case plan.Reconcile:
			if next.State, next.Cause, err = waitOf(j.reconciler.reconcile(ctx, s)); next.Cause != nil {
				return j.keepWait(s, next)
			}
		default:
			return j.keepWait(s, next)
		}
		if err != nil {
			return err
		}
	}
}

func (j *Job) keepWait(s plan.Scene, next plan.Step) error {
	return j.Update(func(r *syncstate.Record) error {
		r.Settled, r.Expected = s.Settled(), s.Rules.Announced(s.Snapshot.Frames)
		status.SetState(r, next.State, next.Cause)
		return nil
	})
}

// waitOf takes a failure apart that needs a person, or time.
func waitOf(failure error) (status.State, *status.Cause, error) {
	switch o := outcome.Of(failure); {
	case o != nil && o.Kind == outcome.NeedsPerson:
		return status.Attention, o.Cause, nil
	case o != nil && o.Kind == outcome.Waits:
		return status.Processing, o.Cause, nil
	}
	return "", nil, failure
}
