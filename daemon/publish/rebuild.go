package publish

import (
	"context"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
	"spinsync/watcher"
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
			if next.State, next.Cause, err = waitOf(j.reconcile(ctx, s)); next.Cause != nil {
				return j.keepWait(next)
			}
		default:
			return j.keepWait(next)
		}
		if err != nil {
			return err
		}
	}
}

func (j *Job) keepWait(next plan.Step) error {
	return j.Update(func(r *syncstate.Record) error { status.SetState(r, next.State, next.Cause); return nil })
}

// waitOf takes a failure apart that needs a person, or time.
func waitOf(failure error) (status.State, *status.Cause, error) {
	switch o := outcome.Of(failure); {
	case o != nil && o.Kind == outcome.NeedsPerson && o.Until.IsZero():
		return status.Attention, o.Cause, nil
	case o != nil && (o.Kind == outcome.Waits || o.Kind == outcome.NeedsPerson):
		return status.Processing, o.Cause, nil
	}
	return "", nil, failure
}

// recognise returns the published state if a product shows exactly the folder's frames, else the
// difference. The frames must be at rest for that.
func (j *Job) recognise(
	ctx context.Context, product string, answer apiclient.Status, images []apiclient.Image,
) (*syncstate.Published, *status.Cause, error) {
	moves := func(f watcher.File) bool { return !f.Still }
	if slices.ContainsFunc(j.Snapshot.Frames, moves) {
		until := time.Now().Add(max(j.Root.Watch.Settle, plan.ChangedPause))
		return nil, nil, outcome.Later(until, status.Because(status.LookingForView), nil)
	}
	if err := j.ReadFrames(ctx, j.Snapshot.Frames, true); err != nil {
		return nil, nil, err
	}
	s, err := j.Scene()
	if err != nil {
		return nil, nil, err
	}
	g := s.FrameSet()
	switch {
	case g.Problem != nil:
		return nil, g.Problem, nil
	case len(g.Unsettled()) > 0 || g.Count() == 0:
		return nil, status.Because(status.Incomplete), nil
	case !answer.Finished():
		return nil, status.Because(status.StillProcessing), nil
	}
	run := j.asRun(s, g, answer.SourceRevision)
	doubt := view.Doubt(images, run)
	if doubt == "" {
		doubt, err = view.CompareSources(ctx, j.Service.Client, product, run)
	}
	if doubt != "" || err != nil {
		return nil, &status.Cause{Kind: status.Differs, Said: doubt}, err
	}
	s.Record.Run = run
	published := view.PublishedOf(s, images)
	published.Found = true
	return published, nil, nil
}

// asRun is the run that would have published the folder as it stands.
func (j *Job) asRun(s plan.Scene, g plan.FrameSet, revision int64) *syncstate.Run {
	run := &syncstate.Run{
		Finished: revision + 1, Images: g.Count(), Marker: markerOf(j.Snapshot), Carry: plan.TextsOnTheWay(s.Record),
	}
	for _, f := range g.Whole {
		r := j.Readings[f.Name]
		run.Frames = append(run.Frames, syncstate.RunFrame{
			File: plan.FileOf(f), Stored: otherName(g.Stored[f.Name], f.Name), Digest: r.Digest,
			Captured: r.Captured, Uploaded: true,
		})
	}
	return run
}

// theOne is the only one of those that were found, the zero value when there is none.
func theOne[T any](found []T, err error) (one T, _ error) {
	if err == nil && len(found) > 1 {
		err = outcome.Person(&status.Cause{Kind: status.SeveralNamed, Count: len(found), Name: "view"})
	}
	if err != nil || len(found) == 0 {
		return one, err
	}
	return found[0], nil
}
