package publish

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// verifyProduct asks the service for the recorded product. Only the explicit answer that the
// product is unknown counts as gone (interface 4.14). The daemon then forgets a missing folder, and
// publishes a present one anew.
func (j *Job) verifyProduct(ctx context.Context, s plan.Scene) error {
	product := s.Record.Product.UUID
	_, err := j.status(ctx, product)
	switch unknown := errors.Is(err, apiclient.ErrUnknownProduct); {
	case unknown && s.Snapshot.Present:
		return j.updateOf(product, plan.ClearProduct)
	case unknown:
		j.Log.Info("the folder and its view are gone", "folder", j.Key.Path, "product", product)
		return j.forgetFolder()
	case interrupted(ctx, err), err != nil && s.Snapshot.Present:
		return err
	}
	err = j.updateOf(product, func(r *syncstate.Record) {
		r.Verify = false
		if !s.Snapshot.Present { // without an answer, the next verification asks again
			r.Verified = time.Now()
		}
	})
	if err != nil || !s.Snapshot.Present {
		return err
	}
	return j.refreshImages(ctx, s)
}

// reclaimProduct is for a folder that came back after its product's deletion was sent. It finds out
// whether the product still exists, with patience because the delete request may be late.
func (j *Job) reclaimProduct(ctx context.Context, s plan.Scene) error {
	_, err := j.status(ctx, s.Record.Product.UUID)
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return j.Update(func(r *syncstate.Record) error { plan.ClearProduct(r); return nil })
	case err != nil:
		return err
	}
	if patient := s.Record.DeleteSent.Add(deletePatience); s.Pending(patient, deletePatience) {
		return outcome.Later(patient, status.Because(status.BackSeeking), nil)
	}
	return j.Update(func(r *syncstate.Record) error { r.DeleteSent = time.Time{}; return nil })
}

// updateOf is update for as long as the folder has this product. A retry by a person may give the
// product up.
func (j *Job) updateOf(product string, change func(*syncstate.Record)) error {
	return j.Update(func(r *syncstate.Record) error {
		if r.Product.UUID != product {
			return outcome.ErrChanged
		}
		change(r)
		return nil
	})
}

// removeProduct deletes the product of a folder that is gone, after a last look at its path. A
// refusal counts as success when the product does not exist any more.
func (j *Job) removeProduct(ctx context.Context, s plan.Scene) error {
	switch _, err := j.Files.Look(ctx, j.Key.Root, j.Key.Path); {
	case err == nil:
		return outcome.ErrChanged
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	product := s.Record.Product.UUID
	if err := j.updateOf(product, func(r *syncstate.Record) { r.DeleteSent = time.Now() }); err != nil {
		return err
	}
	err := j.Service.DeleteProduct(ctx, product)
	if err != nil && !outcome.Needs(j.productGone(ctx, product, err), status.ProductGone) {
		return err
	}
	return j.forgetFolder()
}

// forgetFolder drops the record of a folder that is gone.
func (j *Job) forgetFolder() error {
	if err := j.Records.Delete(j.Key); err != nil {
		return err
	}
	j.Told = nil
	j.Board.FollowPriority(j.Key)
	j.Board.Forget(j.Key)
	return nil
}
