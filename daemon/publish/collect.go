package publish

import (
	"context"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// A collector waits until the service has finished a run, and records what it made.
type collector struct {
	record  *ledger
	screen  *screen
	service *hosting.Service
	ask     *inquiry
	starter starter
	texts   *describer
	poll    config.Poll
	pace    pace
	metrics *metrics.Metrics
}

// pollStatus asks once whether the run's own revision has finished.
func (co collector) pollStatus(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	answer, err := co.ask.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return co.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	done := answer.Finished() && (run.Before.Revision == nil || answer.SourceRevision != *run.Before.Revision)
	doubt := co.doubts(run, answer) || view.Beyond(run, answer)
	took := time.Since(run.FinishSent)
	err = co.record.changePatiently(func(r *syncstate.Record) {
		r.Run.Looks.Next = co.pace.nextPoll(r.Product.UUID, run.FinishSent)
		noteProgress(r.Run, view.ProgressOf(answer), doubt)
		if done {
			r.Run.Phase = syncstate.Collecting
		}
	})
	if err != nil {
		return err
	}
	co.record.checked()
	if !done && took > co.poll.GiveUp {
		stuck := &status.Cause{Kind: status.StuckProcessing, For: co.poll.GiveUp, Name: answer.ImageStatus}
		return outcome.PersonUntil(co.pace.nextPoll(s.Record.Product.UUID, run.FinishSent), stuck)
	}
	return nil
}

// noteProgress notes what a poll saw of a run. Once the service goes on, a list as before the
// run proves nothing any more. Doubt lasts until the files are compared.
func noteProgress(run *syncstate.Run, seen syncstate.Progress, doubt bool) {
	if run.Seen == nil || *run.Seen != seen {
		run.Before.Print = ""
	}
	run.Seen, run.Doubt = &seen, run.Doubt || doubt
}

// collectImages reads the finished revision back. Only a list that agrees with the manifest in
// every respect is recorded as published. A list as before the run is read again: the service may
// not have begun yet, and its source files may be ahead of its images. After the last try the files
// decide, because images may keep all their names.
func (co collector) collectImages(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	images, err := co.ask.images(ctx, s)
	listed := co.service.Boot()
	if err != nil {
		return err
	}
	wrong, old := view.Doubt(images, run), view.IsFromBefore(run, images)
	_, patient := co.lookPause(run.Looks.N + 1)
	switch {
	case old && patient, wrong != "" && !run.Doubt:
		return co.lookAgain(wrong)
	case old, run.Doubt:
		return co.settleDoubt(ctx, s, images)
	}
	published := view.PublishedOf(s, images)
	published.Shot, published.EmbedURL = s.Shot().Round(0).UTC(), co.ask.embedURL(ctx, s)
	co.screen.goesLive(run.Started)
	err = co.record.changePatiently(func(r *syncstate.Record) {
		r.Late.AltIntent, r.Late.AltLate = nil, view.StillLate(r, images)
		r.Published, r.Run, r.Wishes.AsIs = published, nil, 0
	})
	co.texts.haveListed(listed)
	if err == nil {
		co.metrics.Published(run.FinishSent, published.Shot, time.Now())
	}
	return err
}

// lookAgain goes back to polling after a list that is not yet that of the run.
func (co collector) lookAgain(wrong string) error {
	var next time.Time
	var patient bool
	err := co.record.change(func(r *syncstate.Record) {
		r.Run.Phase = syncstate.Processing
		patient = r.Run.Looks.Again(time.Now(), co.lookPause)
		next = r.Run.Looks.Next
	})
	if err != nil || patient {
		return err
	}
	return outcome.PersonUntil(next, &status.Cause{Kind: status.WrongList, Text: wrong})
}

// lookPause is the patience with lists of images: the status is asked for before each.
func (co collector) lookPause(n int) (pause time.Duration, patient bool) {
	pause, patient = hosting.Searches(n)
	return min(pause, co.poll.Max), patient
}

// doubts reports whether the revision of a status may not be the run's own, because an earlier
// process sent the finish and never saw this revision.
func (co collector) doubts(run *syncstate.Run, status apiclient.Status) bool {
	return co.record.unchecked && (run.Seen == nil || run.Seen.Revision != status.SourceRevision)
}

// settleDoubt compares the files on the service with those that were sent. If they differ, the
// folder is uploaded again.
func (co collector) settleDoubt(ctx context.Context, s plan.Scene, images []apiclient.Image) error {
	doubt, err := view.CompareSources(ctx, co.service.Client, s.Record.Product.UUID, s.Record.Run, images)
	if err != nil {
		return err
	}
	if doubt == "" {
		return co.record.change(func(r *syncstate.Record) { r.Run.Doubt, r.Run.Before.Print = false, "" })
	}
	return co.starter.startOver(s.Record.Run, "the service finished an upload that is not from this folder: "+doubt)
}
