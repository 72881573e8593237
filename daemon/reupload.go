package daemon

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// startReupload asks for a new upload form of a product that exists. It serves a reshoot, a folder
// that changed during a run, a form that expired or got lost: until the finish request an upload
// binds nothing, so a run that is given up leaves nothing behind.
func (j *job) startReupload(ctx context.Context, s scene, images int) error {
	run := s.record.Run
	if run != nil {
		j.wasRash(run.Frames)
	}
	if s.beginsReupload() {
		begun, err := j.beginReupload(ctx, s)
		if err != nil {
			return err
		}
		run, j.resumed = begun, false
	}
	err := j.update(func(r *syncstate.Record) error {
		r.Run = abandoned(run, images)
		r.Updating = s.fieldsDiffer()
		j.sketch(r)
		return nil
	})
	if err != nil {
		return err
	}
	j.board.newRun(j.key)
	form, err := j.service.Reupload(ctx, s.record.Product.UUID, changedFields(s), images)
	if err != nil {
		return j.productGone(ctx, s.record.Product.UUID, err)
	}
	return j.update(func(r *syncstate.Record) error {
		r.Product, r.Updating = s.wanted.record(r.Product.UUID), false
		r.Run.Form = recordedForm(form)
		return nil
	})
}

// beginsReupload reports whether a reupload starts from the present state of the service. Otherwise
// the readings of the earlier run serve.
func (s scene) beginsReupload() bool {
	return s.record.Run == nil || s.record.Run.Started.IsZero() || s.resumed
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
func (j *job) beginReupload(ctx context.Context, s scene) (*syncstate.Run, error) {
	status, err := j.status(ctx, s.record.Product.UUID)
	if err != nil {
		return nil, j.productGone(ctx, s.record.Product.UUID, err)
	}
	images, err := j.service.Images(ctx, s.record.Product.UUID)
	if err != nil {
		return nil, j.notListed(ctx, s.record.Product.UUID, err)
	}
	j.service.permissions.learn(s.record.Project.UUID, time.Now(), nil)
	run := &syncstate.Run{Before: imagesFingerprint(images), Carry: carriedTexts(s, images)}
	if s.record.Published != nil || len(images) > 0 {
		run.Baseline = &status.SourceRevision
	}
	return run, nil
}

// carriedTexts are the alt texts that others wrote on the product's images, by local file, those
// that were carried to them and are not set yet included. What a run carried before stands for
// images that are not those of the published revision: it may have cost the old ones already.
func carriedTexts(s scene, images []apiclient.Image) map[string]map[string]string {
	carry := map[string]map[string]string{}
	if s.record.Run != nil {
		maps.Copy(carry, s.record.Run.Carry)
	}
	published := publishedFrames(s.record.Published)
	for name, image := range imagesByFile(s, images) {
		f, known := published[name]
		foreign := withCarried(image.AltTexts, carry[name])
		if known && image.ID == f.ImageID && image.SourceRevision == s.record.Published.Revision {
			foreign = withCarried(image.AltTexts, f.AltCarry)
		}
		for locale := range setByUs(f, sentTexts(&s.record, image.ID), image.AltTexts) {
			delete(foreign, locale)
		}
		carry[name] = foreign
	}
	maps.DeleteFunc(carry, func(_ string, texts map[string]string) bool { return len(texts) == 0 })
	return carry
}

// imagesByFile gives images their local files: those of the published revision as recorded, others
// by the names that the folder's frames have on the service.
func imagesByFile(s scene, images []apiclient.Image) map[string]apiclient.Image {
	return matchFiles(s.record.Published, s.gather().stored, images)
}

// matchFiles gives images their local files by their ids as published, and those of other ids by
// their names on the service, which stored maps from the local ones.
func matchFiles(
	published *syncstate.Published, stored map[string]string, images []apiclient.Image,
) map[string]apiclient.Image {
	byFile := map[string]apiclient.Image{}
	names := map[int64]string{}
	for name, f := range publishedFrames(published) {
		names[f.ImageID] = name
	}
	var others []apiclient.Image
	for _, image := range images {
		if name, ok := names[image.ID]; ok {
			byFile[name] = image
		} else {
			others = append(others, image)
		}
	}
	files := map[string]string{}
	for name, stored := range stored {
		if _, ok := byFile[name]; !ok {
			files[stored] = name
		}
	}
	for name, image := range matchImages(slices.Sorted(maps.Keys(files)), others) {
		byFile[files[name]] = image
	}
	return byFile
}

// productGone tells a product that was deleted on the service from other failures. Only the status
// is certain about that (interface 4.14): a page that something in between sends can be a "not
// found" too. A product that is gone is never made anew silently.
func (j *job) productGone(ctx context.Context, product string, err error) error {
	var remote *apiclient.Error
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return outcome.Because(status.ProductGone)
	case !errors.As(err, &remote) || remote.Temporary() || time.Since(j.asked) < j.poll.First:
		return err
	}
	if _, unknown := j.status(ctx, product); errors.Is(unknown, apiclient.ErrUnknownProduct) {
		return outcome.Because(status.ProductGone)
	}
	return err
}

// fieldsDiffer reports whether the product's fields are not known to be as wanted.
func (s scene) fieldsDiffer() bool {
	return s.record.Updating || !s.wanted.sameFields(s.record.Product)
}

// changedFields are those that the product may not have as wanted.
func changedFields(s scene) apiclient.ProductUpdate {
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
	if err := j.service.UpdateProduct(ctx, s.record.Product.UUID, changedFields(s)); err != nil {
		return j.productGone(ctx, s.record.Product.UUID, err)
	}
	return j.update(func(r *syncstate.Record) error {
		r.Product, r.Updating = s.wanted.record(r.Product.UUID), false
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
