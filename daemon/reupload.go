package daemon

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// startReupload asks for a new upload form of a product that exists. It serves a reshoot, a folder that changed during
// a run, a form that expired or got lost: until the finish request an upload binds nothing, so a run that is given up
// leaves nothing behind.
func (j *job) startReupload(ctx context.Context, s scene, images int) error {
	run := s.record.Run
	if run == nil || j.resumed {
		begun, err := j.beginReupload(ctx, s.record)
		if err != nil {
			return err
		}
		run, j.resumed = begun, false
	}
	err := j.update(func(r *syncstate.Record) error {
		r.Run = abandoned(run, images)
		r.Updating = s.fieldsDiffer()
		return nil
	})
	if err != nil {
		return err
	}
	j.d.newRun(j.key)
	form, err := j.d.client.Reupload(ctx, s.record.Product.UUID, s.changedFields(), images)
	if err != nil {
		return j.productGone(err)
	}
	return j.update(func(r *syncstate.Record) error {
		r.Product, r.Updating = s.wanted.record(r.Product.UUID), false
		r.Run.Form = recordedForm(form)
		return nil
	})
}

// abandoned is the run without all that its old form held.
func abandoned(run *syncstate.Run, images int) *syncstate.Run {
	return &syncstate.Run{
		Reupload: true, Started: time.Now(), Images: images, Baseline: run.Baseline, Before: run.Before, Carry: run.Carry,
	}
}

// beginReupload reads what the service holds before anything is changed there: the revision that is not ours, and the
// alt texts, which would be lost with the old images.
func (j *job) beginReupload(ctx context.Context, record syncstate.Record) (*syncstate.Run, error) {
	status, err := j.status(ctx, record.Product.UUID)
	if err != nil {
		return nil, j.productGone(err)
	}
	images, err := j.d.client.Images(ctx, record.Product.UUID)
	if err != nil {
		return nil, j.productGone(err)
	}
	var carry map[string]map[string]string // a run that is begun again may have cost the old images already
	if record.Run != nil {
		carry = record.Run.Carry
	}
	run := &syncstate.Run{Before: imagesFingerprint(images), Carry: carriedTexts(carry, images, record)}
	if record.Published != nil || len(images) > 0 {
		run.Baseline = &status.SourceRevision
	}
	return run, nil
}

// carriedTexts are the alt texts that others wrote on the images of the published revision, by local file, those that were
// carried over to it and are not set yet included. What was carried before stands for images that are not listed any more.
func carriedTexts(before map[string]map[string]string, images []apiclient.Image, record syncstate.Record) map[string]map[string]string {
	if record.Published == nil {
		return before
	}
	listed := map[int64]apiclient.Image{}
	for _, image := range images {
		listed[image.ID] = image
	}
	carry := map[string]map[string]string{}
	for _, f := range record.Published.Frames {
		image, ok := listed[f.ImageID]
		foreign := before[f.Name]
		if ok || foreign == nil {
			foreign = withCarried(image.AltTexts, f.AltCarry)
			for locale := range setByUs(f, record.AltIntent[f.ImageID], image.AltTexts) {
				delete(foreign, locale)
			}
		}
		if len(foreign) > 0 {
			carry[f.Name] = foreign
		}
	}
	return carry
}

// productGone tells a product that was deleted on the service from other failures. It is never made anew silently.
func (j *job) productGone(err error) error {
	var remote *apiclient.Error
	if errors.Is(err, apiclient.ErrUnknownProduct) || errors.As(err, &remote) && remote.NotFound() {
		return errProductGone
	}
	return err
}

// fieldsDiffer reports whether the product's fields are not known to be as wanted.
func (s scene) fieldsDiffer() bool {
	return s.record.Updating || !s.wanted.sameFields(s.record.Product)
}

// changedFields are those that the product may not have as wanted.
func (s scene) changedFields() apiclient.ProductUpdate {
	have := s.record.Product
	var u apiclient.ProductUpdate
	set := func(field **string, want, have string) {
		if s.record.Updating || want != have {
			*field = &want
		}
	}
	set(&u.Title, s.wanted.title, have.Title)
	set(&u.SKU, s.wanted.sku, have.SKU)
	set(&u.Manufacturer, s.wanted.manufacturer, have.Manufacturer)
	set(&u.Year, s.wanted.year, have.Year)
	return u
}

// updateProduct changes the product's fields on the service.
func (j *job) updateProduct(ctx context.Context, s scene) error {
	if err := j.update(func(r *syncstate.Record) error { r.Updating = true; return nil }); err != nil {
		return err
	}
	if err := j.d.client.UpdateProduct(ctx, s.record.Product.UUID, s.changedFields()); err != nil {
		return j.productGone(err)
	}
	return j.update(func(r *syncstate.Record) error {
		r.Product, r.Updating = s.wanted.record(r.Product.UUID), false
		return nil
	})
}

func recordedForm(c apiclient.Credentials) *syncstate.Form {
	form := &syncstate.Form{
		Path: c.Path, Policy: c.Policy, Signature: c.Signature, Hostname: c.Hostname, AccessKeyID: c.AccessKeyID, ACL: c.ACL,
	}
	if hint, ok := c.Hint(); ok {
		form.Expires = hint.Expires
	}
	return form
}

func credentials(f *syncstate.Form) apiclient.Credentials {
	return apiclient.Credentials{
		Path: f.Path, Policy: f.Policy, Signature: f.Signature, Hostname: f.Hostname, AccessKeyID: f.AccessKeyID, ACL: f.ACL,
	}
}
