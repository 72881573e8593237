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

// recognise returns the published state if a product shows exactly the folder's frames, else the
// difference. The frames must be at rest for that.
func (w *reconciler) recognise(
	ctx context.Context, product string, answer apiclient.Status, images []apiclient.Image,
) (*syncstate.Published, *status.Cause, error) {
	moves := func(f watcher.File) bool { return !f.Still }
	if slices.ContainsFunc(w.Snapshot.Frames, moves) {
		return nil, nil, w.comparesLater()
	}
	if err := w.ReadFrames(ctx, w.Snapshot.Frames, true); err != nil {
		return nil, nil, err
	}
	s, err := w.scene()
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
	run := w.asRun(s, g, answer.SourceRevision)
	doubt := view.Doubt(images, run)
	if doubt == "" {
		doubt, err = view.CompareSources(ctx, w.Service.Client, product, run)
	}
	if doubt != "" || err != nil {
		return nil, &status.Cause{Kind: status.Differs, Said: doubt}, err
	}
	s.Record.Run = run
	published := view.PublishedOf(s, images)
	published.Found = true
	return published, nil, nil
}

// comparesLater is the wait of a folder that may be compared only once it is complete and at rest.
func (w *reconciler) comparesLater() error {
	until := time.Now().Add(max(w.Root.Watch.Settle, plan.ChangedPause))
	return outcome.Later(until, status.Because(status.LookingForView), nil)
}

// asRun is the run that would have published the folder as it stands.
func (w *reconciler) asRun(s plan.Scene, g plan.FrameSet, revision int64) *syncstate.Run {
	run := &syncstate.Run{
		Phase: syncstate.Collecting, Seen: &syncstate.Progress{Revision: revision},
		Images: g.Count(), Marker: markerOf(w.Snapshot), Carry: plan.TextsOnTheWay(s.Record),
	}
	for _, f := range g.Whole {
		r := w.Readings[f.Name]
		run.Frames = append(run.Frames, syncstate.RunFrame{
			File: plan.FileOf(f), Stored: otherName(g.Stored[f.Name], f.Name), Digest: r.Digest,
			Captured: r.Captured, Uploaded: true,
		})
	}
	return run
}
