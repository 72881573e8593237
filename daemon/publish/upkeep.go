package publish

import (
	"bytes"
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

// An upkeep is the work on a product outside of its runs: its fields, its files that were only
// touched, and the folder that is gone or came back.
type upkeep struct {
	*ledger
	ask   *inquiry
	texts *describer
}

// verifyProduct asks the service for the recorded product. Only the explicit answer that the
// product is unknown counts as gone (interface 4.14). The daemon then forgets a missing folder, and
// publishes a present one anew.
func (w upkeep) verifyProduct(ctx context.Context, s plan.Scene) error {
	product := s.Record.Product.UUID
	_, err := w.ask.status(ctx, product)
	switch unknown := errors.Is(err, apiclient.ErrUnknownProduct); {
	case unknown && s.Snapshot.Present:
		return w.Update(plan.ClearProduct)
	case unknown:
		w.Log.Info("the folder and its view are gone", "folder", w.Key.Path, "product", product)
		return w.forgetFolder()
	case interrupted(ctx, err), err != nil && s.Snapshot.Present:
		return err
	}
	err = w.Update(func(r *syncstate.Record) {
		r.Verify = false
		if !s.Snapshot.Present { // without an answer, the next verification asks again
			r.Verified = time.Now()
		}
	})
	if err != nil || !s.Snapshot.Present {
		return err
	}
	return w.texts.refreshImages(ctx, s)
}

// confirmDelete is for a folder that came back after its product's deletion was sent. It finds out
// whether the product still exists, with patience because the delete request may be late.
func (w upkeep) confirmDelete(ctx context.Context, s plan.Scene) error {
	_, err := w.ask.status(ctx, s.Record.Product.UUID)
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return w.Update(plan.ClearProduct)
	case err != nil:
		return err
	}
	if look := (syncstate.Tries{Next: s.Record.DeleteSent.Add(deletePatience)}); look.Wait(s.Now, deletePatience) {
		return outcome.Later(look.Next, status.Because(status.BackSeeking), nil)
	}
	return w.Update(func(r *syncstate.Record) { r.DeleteSent = time.Time{} })
}

// removeProduct deletes the product of a folder that is gone, after a last look at its path. A
// refusal counts as success when the product does not exist any more.
func (w upkeep) removeProduct(ctx context.Context, s plan.Scene) error {
	switch _, err := w.Files.Look(ctx, w.Key.Root, w.Key.Path); {
	case err == nil:
		return outcome.ErrChanged
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	product := s.Record.Product.UUID
	if err := w.Update(func(r *syncstate.Record) { r.DeleteSent = time.Now() }); err != nil {
		return err
	}
	err := w.Service.DeleteProduct(ctx, product)
	if err != nil && !outcome.Needs(w.ask.productGone(ctx, product, err), status.ProductGone) {
		return err
	}
	return w.forgetFolder()
}

// forgetFolder drops the record of a folder that is gone.
func (w upkeep) forgetFolder() error {
	if err := w.Records.Delete(w.Key); err != nil {
		return err
	}
	w.Told = nil
	w.Board.FollowPriority(w.Key)
	w.Board.Forget(w.Key)
	return nil
}

// updateProduct changes the product's fields on the service.
func (w upkeep) updateProduct(ctx context.Context, s plan.Scene) error {
	if err := w.Update(func(r *syncstate.Record) { r.Updating = true }); err != nil {
		return err
	}
	if err := w.Service.UpdateProduct(ctx, s.Record.Product.UUID, changedFields(s)); err != nil {
		return w.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	if want := s.Wanted; !want.SameFields(s.Record.Product) {
		w.Log.Info("updated", "folder", w.Key.Path,
			"title", want.Title, "sku", want.SKU, "manufacturer", want.Manufacturer, "year", want.Year)
	}
	return w.Update(func(r *syncstate.Record) {
		r.Product, r.Updating = s.Wanted.WithUUID(r.Product.UUID), false
	})
}

// noteTouched records the new identities of files that were touched or copied over themselves.
func (w upkeep) noteTouched(_ context.Context, _ plan.Scene) error {
	return w.Update(func(r *syncstate.Record) {
		for i, f := range r.Published.Frames {
			if reading, ok := w.Readings[f.Name]; ok && bytes.Equal(reading.Digest, f.Digest) {
				r.Published.Frames[i].File = reading.File
			}
		}
	})
}

// askForRemoval has a person asked whether the product of a folder that is gone is to be deleted.
func (w upkeep) askForRemoval(context.Context, plan.Scene) error {
	return w.Update(func(r *syncstate.Record) { r.Removal = syncstate.RemovalAsked })
}

// clearAbsence ends the absence of a folder that came back.
func (w upkeep) clearAbsence(context.Context, plan.Scene) error {
	return w.Update(func(r *syncstate.Record) { r.Removal, r.Verified = "", time.Time{} })
}

func (w upkeep) forget(context.Context, plan.Scene) error { return w.forgetFolder() }
