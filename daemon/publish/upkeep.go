package publish

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
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
// publishes a present one again.
func (u upkeep) verifyProduct(ctx context.Context, s plan.Scene) error {
	product := s.Record.Product.UUID
	_, err := u.ask.status(ctx, product)
	switch unknown := errors.Is(err, apiclient.ErrUnknownProduct); {
	case unknown && s.Facts.Snapshot.Present:
		return u.Update(plan.ClearProduct)
	case unknown:
		u.Log.Info("the folder and its view are gone", "folder", u.Key.Path, "product", product)
		return u.forgetFolder()
	case interrupted(ctx, err), err != nil && s.Facts.Snapshot.Present:
		return err
	}
	link := ""
	if s.Facts.Snapshot.Present && s.Record.Published != nil {
		link = u.ask.embedURL(ctx, s)
	}
	err = u.Update(func(r *syncstate.Record) {
		r.Verify = false
		if link != "" && r.Published != nil {
			r.Published.EmbedURL = link
		}
		if !s.Facts.Snapshot.Present { // without an answer, the next verification asks again
			r.Verified = time.Now()
		}
	})
	if err != nil || !s.Facts.Snapshot.Present {
		return err
	}
	return u.texts.refreshImages(ctx, s)
}

// confirmDelete is for a folder that came back after its product's deletion was sent. It finds out
// whether the product still exists, with patience because the delete request may be late.
func (u upkeep) confirmDelete(ctx context.Context, s plan.Scene) error {
	_, err := u.ask.status(ctx, s.Record.Product.UUID)
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return u.Update(plan.ClearProduct)
	case err != nil:
		return err
	}
	if look := (syncstate.Tries{Next: s.Record.DeleteSent.Add(deletePatience)}); look.Wait(s.Now, deletePatience) {
		return outcome.Later(look.Next, status.Because(status.BackSeeking), nil)
	}
	return u.Update(func(r *syncstate.Record) { r.DeleteSent = time.Time{} })
}

// removeProduct deletes the product of a folder that is gone, after a last read of its path. A
// refusal counts as success when the product does not exist any more.
func (u upkeep) removeProduct(ctx context.Context, s plan.Scene) error {
	if s.Record.Removal != syncstate.RemovalConfirmed {
		switch other, err := u.isAnother(ctx, s); {
		case outcome.Needs(err, status.ProductGone):
			return u.forgetFolder()
		case err != nil:
			return err
		case other:
			return u.Update(func(r *syncstate.Record) { r.Doubted = true })
		}
	}
	switch _, err := u.Files.ReadFolder(ctx, u.Key.Root, u.Key.Path); {
	case err == nil:
		return outcome.ErrChanged
	case !watcher.IsGone(err):
		return err
	}
	product := s.Record.Product.UUID
	if err := u.Update(func(r *syncstate.Record) { r.DeleteSent = time.Now() }); err != nil {
		return err
	}
	err := u.Service.DeleteProduct(ctx, product)
	if err != nil && !outcome.Needs(u.ask.productGone(ctx, product, err), status.ProductGone) {
		return err
	}
	u.Log.Info("the view of a folder that is gone is deleted", "folder", u.Key.Path, "product", product)
	return u.forgetFolder()
}

// isAnother reports whether the product may be that of another folder: another one has its SKU and
// title, or it is not as it is recorded, where the state file is an old one. Then it shows another
// upload, or has another SKU or title. Lists may be behind, so that the difference counts only once
// it has lasted.
func (u upkeep) isAnother(ctx context.Context, s plan.Scene) (bool, error) {
	recorded := s.Record.Product
	images, err := u.ask.images(ctx, s)
	if err != nil {
		return false, err
	}
	name := hosting.NewProductName(s.Record.Project.UUID, recorded.SKU, recorded.Title)
	named, err := u.Service.ProductsNamed(ctx, name, true)
	if err != nil {
		return false, err
	}
	isNamed := slices.ContainsFunc(named, func(p apiclient.Product) bool { return p.UUID == recorded.UUID })
	shown := s.Record.Published == nil || len(images) > 0
	if isNamed && shown && !isOfAnotherUpload(s.Record.Published, images) {
		u.ask.other = difference{}
		return u.Neighbours.Namesake(u.Key, apiclient.Project{}, recorded.SKU, recorded.Title) != "", nil
	}
	if u.ask.mayBeBehind(recorded.UUID) {
		return false, outcome.Later(time.Now().Add(hosting.SearchPause(2)), status.Because(status.GoneDeleting), nil)
	}
	return true, nil
}

// forgetFolder drops the record of a folder that is gone.
func (u upkeep) forgetFolder() error {
	if err := u.Records.Delete(u.Key); err != nil {
		return err
	}
	u.pending = nil
	u.Neighbours.FollowWishes(u.Key)
	u.Neighbours.Forget(u.Key)
	return nil
}

// updateProduct changes the product's fields on the service.
func (u upkeep) updateProduct(ctx context.Context, s plan.Scene) error {
	if err := u.Update(func(r *syncstate.Record) { r.Updating = true }); err != nil {
		return err
	}
	if err := u.Service.UpdateProduct(ctx, s.Record.Product.UUID, changedFields(s)); err != nil {
		return u.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	if want := s.Facts.Wanted; !want.SameFields(s.Record.Product) {
		u.Log.Info("updated", "folder", u.Key.Path,
			"title", want.Title, "sku", want.SKU, "manufacturer", want.Manufacturer, "year", want.Year)
	}
	return u.Update(func(r *syncstate.Record) {
		if !s.Facts.Wanted.SameFields(r.Product) {
			r.Updates.Fields++
		}
		r.Product, r.Updating = s.Facts.Wanted.WithUUID(r.Product.UUID), false
	})
}

// noteTouched records the new identities of files that were touched or copied over themselves.
func (u upkeep) noteTouched(_ context.Context, _ plan.Scene) error {
	return u.Update(func(r *syncstate.Record) {
		for i, f := range r.Published.Frames {
			if reading, ok := u.Readings[f.Name]; ok && bytes.Equal(reading.Digest, f.Digest) {
				r.Published.Frames[i].File = reading.File
			}
		}
	})
}

// askForRemoval has a person asked whether to delete the product of a folder that is gone.
func (u upkeep) askForRemoval(context.Context, plan.Scene) error {
	return u.Update(func(r *syncstate.Record) { r.Removal = syncstate.RemovalAsked })
}

// clearAbsence ends the absence of a folder that came back.
func (u upkeep) clearAbsence(context.Context, plan.Scene) error {
	return u.Update(func(r *syncstate.Record) { r.Removal, r.Verified = "", time.Time{} })
}

func (u upkeep) forget(_ context.Context, s plan.Scene) error {
	if s.Record.Removal == syncstate.RemovalForget {
		u.Log.Info("the folder is forgotten, its view stays", "folder", u.Key.Path, "product", s.Record.Product.UUID)
	}
	return u.forgetFolder()
}
