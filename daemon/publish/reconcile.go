package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// A reconciler compares a folder that the state file does not know for certain with the service.
type reconciler struct {
	creator
	scene        func() (plan.Scene, error)
	unknownSince time.Time // when the service was first seen to process an unknown upload
}

// reconcile compares an unreconciled folder with its view, or looks for the view.
func (w *reconciler) reconcile(ctx context.Context, s plan.Scene) error {
	if s.Record.Product.UUID == "" {
		return w.seekView(ctx, s, nil)
	}
	err := w.reconcileView(ctx, s)
	if outcome.Needs(err, status.ProductGone) {
		return w.seekView(ctx, s, err)
	}
	return err
}

// reconcileView finds out what the recorded product shows. The fields of the product are not known,
// and are sent again.
func (w *reconciler) reconcileView(ctx context.Context, s plan.Scene) error {
	product := s.Record.Product.UUID
	answer, err := w.status(ctx, product)
	switch {
	case err != nil:
		return w.productGone(ctx, product, err)
	case !answer.Finished() && w.waitsForTheUnknown():
		unknown := &syncstate.Run{Images: len(s.Snapshot.Frames), FinishSent: w.unknownSince}
		return outcome.Later(w.nextPoll(unknown), status.Because(status.UnknownUpload), nil)
	}
	images, err := w.Service.Images(ctx, product)
	if err != nil {
		return w.productGone(ctx, product, err)
	}
	if s.Record.Run == nil && s.Record.Published != nil && view.ShowsAs(s.Record.Published, images) {
		return w.reconciled(func(r *syncstate.Record) error { return view.NoteImages(r, images) })
	}
	published, differs, err := w.recognise(ctx, product, answer, images)
	if err != nil {
		return err
	}
	return w.reconciled(func(r *syncstate.Record) error {
		if published == nil {
			r.Run, r.AltIntent, r.AltLate = Afresh(&syncstate.Run{Carry: plan.TextsOnTheWay(s.Record)}), nil, nil
			view.ForgetImages(r.Published)
			status.SetState(r, status.Queued, differs)
			return nil
		}
		recordFound(r, published)
		return nil
	})
}

// waitsForTheUnknown reports whether an upload that the state file does not know may still be on
// its way. After unknownPatience that upload counts as never finished.
func (w *reconciler) waitsForTheUnknown() bool {
	if w.unknownSince.IsZero() {
		w.unknownSince = time.Now()
	}
	return time.Since(w.unknownSince) < unknownPatience
}

// reconciled records the findings on the service.
func (w *reconciler) reconciled(change func(*syncstate.Record) error) error {
	return w.Update(func(r *syncstate.Record) error {
		r.Unreconciled, r.Updating = false, true
		return change(r)
	})
}

// recordFound records that the product shows exactly the folder's frames.
func recordFound(r *syncstate.Record, published *syncstate.Published) {
	r.Published, r.Run, r.Intent, r.AltIntent, r.AltLate, r.Outline = published, nil, nil, nil, nil, ""
	r.Settled = len(published.Frames)
	status.SetState(r, status.Published, nil)
}

// seekView looks for the view of a folder: first as a folder that is gone now, then by the folder's
// name, then by its photos. gone is the error for a product that is recorded and is not there.
func (w *reconciler) seekView(ctx context.Context, s plan.Scene, gone error) error {
	if gone == nil {
		if took, err := w.takeOver(ctx, s); took || err != nil {
			return err
		}
	}
	projects, err := w.Service.Projects(ctx)
	if err != nil {
		return err
	}
	own, err := theOne(titled(projects, s.Wanted.Project))
	if err != nil {
		return err
	}
	for _, asked := range s.Names(own.UUID) {
		found, err := w.lookForProduct(ctx, asked, asksOtherwise(s, asked))
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(p syncstate.Product) bool { return p.UUID == s.Record.Product.UUID })
		product, err := theOne(found, nil)
		if err != nil {
			return err
		}
		if product.UUID != "" {
			return w.ownFound(own, product, func(r *syncstate.Record) { plan.ClearProduct(r) })
		}
	}
	return w.seekByPhotos(ctx, s, own, projects, gone)
}

// A candidate is a product of another name or in another project that may be the folder's.
type candidate struct {
	project syncstate.Project
	apiclient.Product
}

// seekByPhotos looks for the view among products of the same SKU or title. They are the folder's
// only if they show exactly its frames. If there is none, a product may be made, unless one of the
// same SKU belongs to no folder: then a person is asked.
func (w *reconciler) seekByPhotos(
	ctx context.Context, s plan.Scene, own syncstate.Project, projects []apiclient.Project, gone error,
) error {
	candidates, err := w.candidates(ctx, s, own, projects)
	if err != nil {
		return err
	}
	var alike []candidate
	var published *syncstate.Published
	for _, c := range candidates {
		holds, err := w.holdsFrames(ctx, c.UUID)
		if err != nil {
			return err
		}
		if holds != nil {
			alike, published = append(alike, c), holds
		}
	}
	one, err := theOne(alike, nil)
	if err != nil {
		return err
	}
	if one.UUID != "" {
		w.Log.Info("the service has the folder's view under another name", "folder", w.Key.Path, "product", one.UUID)
		return w.ownFound(one.project, recordOf(one.Product), func(r *syncstate.Record) {
			recordFound(r, published)
			r.Unreconciled = false
		})
	}
	for _, c := range candidates {
		if c.project.UUID == own.UUID && hosting.Compared(c.SKU) == hosting.Compared(s.Wanted.SKU) {
			said := fmt.Sprintf("SKU %s, title %s", status.Name(c.SKU), status.Name(c.Title))
			return outcome.PersonUntil(time.Now().Add(ownerPause), &status.Cause{Kind: status.PreviousView, Said: said})
		}
	}
	if gone != nil {
		return gone
	}
	return w.Update(func(r *syncstate.Record) error {
		r.Unreconciled = false
		status.SetState(r, status.Queued, status.Because(status.NoView))
		return nil
	})
}

// candidates are the products that belong to no folder and share the SKU or the title in the
// folder's own project, or both in another one: a folder that was moved left its view there.
func (w *reconciler) candidates(
	ctx context.Context, s plan.Scene, own syncstate.Project, projects []apiclient.Project,
) (all []candidate, err error) {
	for _, p := range projects {
		project := syncstate.Project{UUID: p.UUID, Title: p.Title}
		find := w.Service.ProductsLately
		if p.UUID == own.UUID {
			project, find = own, w.Service.Namesakes
		}
		products, err := find(ctx, hosting.NewProductName(p.UUID, s.Wanted.SKU, s.Wanted.Title))
		if err != nil && (p.UUID == own.UUID || !isRefused(err)) {
			return nil, err
		}
		for _, product := range products {
			if _, owned := w.Owners.of(product.UUID); !owned && !w.Board.IsAnothers(w.Key, p, product) {
				all = append(all, candidate{project, product})
			}
		}
	}
	return all, nil
}

// holdsFrames returns the published state if a product shows exactly the folder's frames.
func (w *reconciler) holdsFrames(ctx context.Context, product string) (*syncstate.Published, error) {
	images, err := w.Service.Images(ctx, product)
	if err == nil && len(images) != len(w.Snapshot.Frames) {
		return nil, nil
	}
	var answer apiclient.Status
	if err == nil {
		answer, err = w.status(ctx, product)
	}
	if isRefused(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	published, _, err := w.recognise(ctx, product, answer, images)
	return published, err
}

// isRefused reports whether the service itself says that something is not there, or not for this
// user.
func isRefused(err error) bool {
	var remote *apiclient.Error
	return errors.Is(err, apiclient.ErrUnknownProduct) ||
		errors.As(err, &remote) && len(remote.Messages) > 0 && !remote.Temporary() && !remote.Unauthorized()
}

func recordOf(p apiclient.Product) syncstate.Product {
	return syncstate.Product{UUID: p.UUID, Title: p.Title, SKU: p.SKU, Manufacturer: p.Manufacturer, Year: p.Year}
}

// ownFound records a product as the folder's, unless another folder was faster.
func (w *reconciler) ownFound(
	project syncstate.Project, product syncstate.Product, change func(*syncstate.Record),
) error {
	if _, mine := w.Owners.claim(product.UUID, w.Key); !mine {
		return outcome.ErrChanged
	}
	return w.ownProduct(product.UUID, func(r *syncstate.Record) {
		change(r)
		r.Project, r.Product, r.Intent = project, product, nil
	})
}

// theOne is the only one of those that were found, the zero value when there is none.
func theOne[T any](found []T, err error) (one T, _ error) {
	if err == nil && len(found) > 1 {
		err = outcome.Person(&status.Cause{Kind: status.SeveralNamed, Count: len(found), Name: "view"})
	}
	if err != nil || len(found) == 0 {
		return one, err
	}
	return found[0], nil
}
