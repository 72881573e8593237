package publish

import (
	"context"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// startReupload asks for a new upload form of a product that exists. It serves a reshoot, a folder
// that changed during a run, a form that expired or got lost: until the finish request an upload
// binds nothing, so a run that is given up leaves nothing behind.
func (w runner) startReupload(ctx context.Context, s plan.Scene, next plan.Step) error {
	run := s.Record.Run
	if run != nil {
		w.sent.notePremature(run.Frames)
	}
	if s.BeginsReupload() {
		begun, err := w.beginReupload(ctx, s)
		if err != nil {
			return err
		}
		run, w.Resumed = begun, false
	}
	err := w.Update(func(r *syncstate.Record) error {
		r.Run = abandoned(run, next.Count)
		r.Updating = s.FieldsDiffer()
		renamed.Sketch(r, w.Snapshot)
		return nil
	})
	if err != nil {
		return err
	}
	w.Board.SentBytes(w.Key).Store(0)
	form, err := w.Service.Reupload(ctx, s.Record.Product.UUID, changedFields(s), next.Count)
	if err != nil {
		return w.productGone(ctx, s.Record.Product.UUID, err)
	}
	return w.Update(func(r *syncstate.Record) error {
		r.Product, r.Updating = s.Wanted.Record(r.Product.UUID), false
		r.Run.Phase, r.Run.Form = syncstate.Sending, hosting.FormOf(form)
		return nil
	})
}

// abandoned is the run without the contents of its old form.
func abandoned(run *syncstate.Run, images int) *syncstate.Run {
	return &syncstate.Run{
		Phase: syncstate.Announced, Reupload: true, Started: time.Now(), Images: images,
		Setbacks: run.Setbacks, Baseline: run.Baseline, Before: run.Before, Carry: run.Carry,
	}
}

// beginReupload reads the state of the service before anything is changed there: the revision,
// which is not ours, and the alt texts, which would be lost with the old images.
func (w runner) beginReupload(ctx context.Context, s plan.Scene) (*syncstate.Run, error) {
	status, err := w.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return nil, w.productGone(ctx, s.Record.Product.UUID, err)
	}
	images, err := w.Service.Images(ctx, s.Record.Product.UUID)
	if err != nil {
		return nil, w.notListed(ctx, s.Record.Product.UUID, err)
	}
	w.Service.Permissions.Learn(s.Record.Project.UUID, time.Now(), nil)
	run := Afresh(s.Record.Run)
	run.Before, run.Carry = view.Fingerprint(images), view.CarriedTexts(s, images)
	if s.Record.Published != nil || len(images) > 0 {
		run.Baseline = &status.SourceRevision
	}
	return run, nil
}

// changedFields are those that the product may not have as wanted.
func changedFields(s plan.Scene) apiclient.ProductUpdate {
	have := s.Record.Product
	var u apiclient.ProductUpdate
	set := func(field **string, want, have string) {
		if s.Record.Updating || want != have {
			*field = &want
		}
	}
	set(&u.Title, s.Wanted.Title, have.Title)
	set(&u.SKU, s.Wanted.SKU, have.SKU)
	set(&u.Manufacturer, s.Wanted.Manufacturer, have.Manufacturer)
	set(&u.Year, s.Wanted.Year, have.Year)
	return u
}
