package publish

import (
	"context"
	"errors"
	"math"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// startReupload asks for a new upload form of a product that exists. It serves a reshoot, a folder
// that changed during a run, a form that expired or got lost: until the finish request an upload
// binds nothing, so a run that is given up leaves nothing behind.
func (j *Job) startReupload(ctx context.Context, s plan.Scene, images int) error {
	run := s.Record.Run
	if run != nil {
		j.wasRash(run.Frames)
	}
	if s.BeginsReupload() {
		begun, err := j.beginReupload(ctx, s)
		if err != nil {
			return err
		}
		run, j.Resumed = begun, false
	}
	err := j.Update(func(r *syncstate.Record) error {
		r.Run = abandoned(run, images)
		r.Updating = s.FieldsDiffer()
		renamed.Sketch(r, j.Snapshot)
		return nil
	})
	if err != nil {
		return err
	}
	j.Board.NewRun(j.Key)
	form, err := j.Service.Reupload(ctx, s.Record.Product.UUID, changedFields(s), images)
	if err != nil {
		return j.productGone(ctx, s.Record.Product.UUID, err)
	}
	return j.Update(func(r *syncstate.Record) error {
		r.Product, r.Updating = s.Wanted.Record(r.Product.UUID), false
		r.Run.Form = recordedForm(form)
		return nil
	})
}

// abandoned is the run without the contents of its old form.
func abandoned(run *syncstate.Run, images int) *syncstate.Run {
	return &syncstate.Run{
		Reupload: true, Started: time.Now(), Images: images, ShortForms: run.ShortForms, Refused: run.Refused,
		Baseline: run.Baseline, Before: run.Before, Carry: run.Carry,
	}
}

// beginReupload reads the state of the service before anything is changed there: the revision,
// which is not ours, and the alt texts, which would be lost with the old images.
func (j *Job) beginReupload(ctx context.Context, s plan.Scene) (*syncstate.Run, error) {
	status, err := j.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return nil, j.productGone(ctx, s.Record.Product.UUID, err)
	}
	images, err := j.Service.Images(ctx, s.Record.Product.UUID)
	if err != nil {
		return nil, j.notListed(ctx, s.Record.Product.UUID, err)
	}
	j.Service.Permissions.Learn(s.Record.Project.UUID, time.Now(), nil)
	run := &syncstate.Run{Before: view.Fingerprint(images), Carry: view.CarriedTexts(s, images)}
	if s.Record.Published != nil || len(images) > 0 {
		run.Baseline = &status.SourceRevision
	}
	return run, nil
}

// productGone tells a product that was deleted on the service from other failures. Only the status
// is certain about that (interface 4.14): a page that something in between sends can be a "not
// found" too. A product that is gone is never made anew silently.
func (j *Job) productGone(ctx context.Context, product string, err error) error {
	var remote *apiclient.Error
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return outcome.Because(status.ProductGone)
	case !errors.As(err, &remote) || remote.Temporary() || time.Since(j.Asked) < j.Poll.First:
		return err
	}
	if _, unknown := j.status(ctx, product); errors.Is(unknown, apiclient.ErrUnknownProduct) {
		return outcome.Because(status.ProductGone)
	}
	return err
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

// updateProduct changes the product's fields on the service.
func (j *Job) updateProduct(ctx context.Context, s plan.Scene) error {
	if err := j.Update(func(r *syncstate.Record) error { r.Updating = true; return nil }); err != nil {
		return err
	}
	if err := j.Service.UpdateProduct(ctx, s.Record.Product.UUID, changedFields(s)); err != nil {
		return j.productGone(ctx, s.Record.Product.UUID, err)
	}
	return j.Update(func(r *syncstate.Record) error {
		r.Product, r.Updating = s.Wanted.Record(r.Product.UUID), false
		return nil
	})
}

func recordedForm(c apiclient.Credentials) *syncstate.Form {
	form := &syncstate.Form{
		Path: c.Path, Policy: c.Policy, Signature: c.Signature, Hostname: c.Hostname,
		AccessKeyID: c.AccessKeyID, ACL: c.ACL,
	}
	if hint, ok := c.Hint(); ok {
		form.Expires, form.MinSize = hint.Expires, hint.MinSize
		if hint.MaxSize < math.MaxInt64 {
			form.MaxSize = hint.MaxSize
		}
	}
	return form
}

func credentials(f *syncstate.Form) apiclient.Credentials {
	return apiclient.Credentials{
		Path: f.Path, Policy: f.Policy, Signature: f.Signature, Hostname: f.Hostname,
		AccessKeyID: f.AccessKeyID, ACL: f.ACL,
	}
}
