package publish

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A remover is the work on the product of a folder that is gone or came back: it is kept, or
// removed.
type remover struct {
	record *ledger
	ask    *requests
	folder *reading.Folder
	others namesakes
	log    *slog.Logger
}

// Namesakes are the other folders, by what their products are called.
type namesakes interface {
	// Namesake is another folder that is present and has this SKU and title, in that project or,
	// without one, in any; empty for none.
	Namesake(key syncstate.Folder, in apiclient.Project, sku, title string) string
}

// askForRemoval has a person asked whether to delete the product of a folder that is gone.
func (rm remover) askForRemoval(context.Context, plan.Scene) error {
	return rm.record.change(func(r *syncstate.Record) { r.Absence.Removal = syncstate.RemovalAsked })
}

// clearAbsence ends the absence of a folder that came back.
func (rm remover) clearAbsence(context.Context, plan.Scene) error {
	return rm.record.change(func(r *syncstate.Record) { r.Absence.Removal, r.Absence.Verified = "", time.Time{} })
}

// removeProduct deletes the product of a folder that is gone, after a last read of its path.
func (rm remover) removeProduct(ctx context.Context, s plan.Scene) error {
	if s.Record.Absence.Removal != syncstate.RemovalConfirmed {
		switch other, err := rm.isAnother(ctx, s); {
		case outcome.Needs(err, status.ProductGone):
			return rm.record.forget()
		case err != nil:
			return err
		case other:
			if err := rm.record.change(func(r *syncstate.Record) { r.Doubted = true }); err != nil {
				return err
			}
			return outcome.ErrChanged // for what follows from the doubt
		}
	}
	switch _, err := rm.folder.Look(ctx); {
	case err == nil:
		return outcome.ErrChanged
	case errors.Is(err, watcher.ErrNoDir) && s.Record.Absence.Removal == "":
		if err := rm.askForRemoval(ctx, s); err != nil { // a link may lead to where the folder is
			return err
		}
		return outcome.ErrChanged
	case !watcher.IsGone(err):
		return err
	}
	product := s.Record.Product.UUID
	if err := rm.record.change(func(r *syncstate.Record) { r.Absence.DeleteSent = time.Now() }); err != nil {
		return err
	}
	if err := rm.ask.remove(ctx, product); err != nil {
		return err
	}
	rm.log.Warn("the view of a folder that is gone is deleted", "folder", rm.record.key.Path, "product", product)
	return rm.record.forget()
}

// isAnother reports whether the product may be that of another folder: another one has its SKU and
// title, or it is not as it is recorded, where the state file is an old one. Then it shows another
// upload, or has another SKU or title. Lists may be behind, so that the difference counts only once
// it has lasted.
func (rm remover) isAnother(ctx context.Context, s plan.Scene) (bool, error) {
	recorded := s.Record.Product
	images, err := rm.ask.images(ctx, s)
	if err != nil {
		return false, err
	}
	listed, err := rm.ask.isListed(ctx, s.Record)
	if err != nil {
		return false, err
	}
	shown := s.Record.Published == nil || len(images) > 0
	if listed && shown && !isOfAnotherUpload(s.Record.Published, images) {
		rm.ask.agree()
		return rm.others.Namesake(rm.record.key, apiclient.Project{}, recorded.SKU, recorded.Title) != "", nil
	}
	if rm.ask.mayBeBehind(recorded.UUID) {
		return false, outcome.Later(time.Now().Add(hosting.SearchPause(2)), status.Because(status.GoneDeleting), nil)
	}
	return true, nil
}

// confirmDelete is for a folder that came back after its product's deletion was sent. It finds out
// whether the product still exists, with patience because the delete request may be late.
func (rm remover) confirmDelete(ctx context.Context, s plan.Scene) error {
	product := s.Record.Product.UUID
	_, err := rm.ask.status(ctx, product)
	if err != nil {
		err = rm.ask.productGone(ctx, product, err)
	}
	switch {
	case outcome.Needs(err, status.ProductGone):
		return rm.record.change(plan.ClearProduct)
	case err != nil:
		return err
	}
	if look := (syncstate.Tries{Next: s.Record.Absence.DeleteSent.Add(deletePatience)}); look.Wait(s.Now, deletePatience) {
		return outcome.Later(look.Next, status.Because(status.BackSeeking), nil)
	}
	return rm.record.change(func(r *syncstate.Record) { r.Absence.DeleteSent = time.Time{} })
}

func (rm remover) forget(_ context.Context, s plan.Scene) error {
	if s.Record.Absence.Removal == syncstate.RemovalForget {
		rm.log.Info("the folder is forgotten, its view stays", "folder", rm.record.key.Path, "product", s.Record.Product.UUID)
	}
	return rm.record.forget()
}
