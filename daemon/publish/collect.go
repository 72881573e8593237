package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/metrics"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// A collector reads back what the service made of a run, and records it.
type collector struct {
	record  *ledger
	ask     *requests
	starter starter
	texts   *describer
	copies  renamed.Search
	metrics *metrics.Metrics
	giveUp  time.Duration // after which a person is asked because no image came
}

// collectImages reads the finished revision back. Only a list that agrees with the manifest in
// every respect is recorded as published. A list as before the run is read again: the service may
// not have begun yet, and its source files may be ahead of its images. After the last try the files
// decide, because images may keep all their names.
func (co collector) collectImages(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	listed := co.ask.clock()
	images, err := co.ask.images(ctx, s)
	if err != nil {
		return err
	}
	wrong, old := view.Doubt(images, run), view.IsFromBefore(run, images)
	_, patient := co.ask.lookPause(run.Looks.N + 1)
	switch {
	case old && patient, wrong != "" && !run.Doubt:
		// The product of a first upload may have been finished while it was empty.
		waits := len(images) == 0 && run.Before.Revision == nil && time.Since(run.FinishSent) < co.giveUp
		return co.lookAgain(s, wrong, waits)
	case old, run.Doubt:
		return co.settleDoubt(ctx, s, images)
	}
	published := view.PublishedOf(s, images)
	published.Shot, published.EmbedURL = s.Shot().Round(0).UTC(), co.ask.embedURL(ctx, s)
	if published.PhotosOf, err = co.copies.PublishedAs(published); err != nil {
		return err
	}
	err = co.record.changePatiently(func(r *syncstate.Record) {
		r.Late.AltIntent, r.Late.AltLate = nil, view.StillLate(r, images)
		r.Published, r.Run, r.Wishes.AsIs = published, nil, ""
		if s.Facts.Rules.Fleet { // another station may still see the set at rest before
			r.Idle = syncstate.Idle{}
		}
	})
	co.texts.haveListed(listed)
	if err == nil {
		co.metrics.Published(run.FinishSent, published.Shot, time.Now())
	}
	return err
}

// lookAgain goes back to polling after a list that is not yet that of the run. It calls a person when
// that lasts, unless the run still waits for its turn.
func (co collector) lookAgain(s plan.Scene, wrong string, waits bool) error {
	var patient bool
	err := co.record.change(func(r *syncstate.Record) {
		r.Run.Phase = syncstate.Processing
		patient = r.Run.Looks.Again(time.Now(), co.ask.lookPause)
	})
	if err != nil || patient || waits {
		return err
	}
	next := co.ask.pollForPerson(s.Record.Product.UUID, s.Record.Run.FinishSent)
	return outcome.PersonUntil(next, &status.Cause{Kind: status.WrongList, Text: wrong})
}

// settleDoubt compares the files on the service with those that were sent. If they differ, the
// folder is uploaded again.
func (co collector) settleDoubt(ctx context.Context, s plan.Scene, images []apiclient.Image) error {
	doubt, err := co.ask.compareSources(ctx, s.Record.Product.UUID, s.Record.Run, images)
	switch {
	case errors.Is(err, view.ErrNoSources):
		doubt = err.Error()
	case err != nil:
		return err
	}
	if doubt == "" {
		return co.record.change(func(r *syncstate.Record) { r.Run.Doubt, r.Run.Before.Print = false, "" })
	}
	return co.starter.startOver(s.Record.Run, "the service finished an upload that is not from this folder: "+doubt)
}
