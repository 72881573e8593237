package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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

// A reconciler compares a folder in doubt with the service: nothing is sent before that. A view that
// shows what is recorded stays as it is, one that shows exactly the folder's frames is recorded as
// published, and any other one gets a new upload.
type reconciler struct {
	record   *ledger
	service  *hosting.Service
	comparer comparer
	heir     heir
	projects projectFinder
	products productFinder
	others   namesakes
	log      *slog.Logger
}

// reconcile compares a folder in doubt with its view, or searches for the view.
func (rc reconciler) reconcile(ctx context.Context, s plan.Scene) error {
	if s.Record.Product.UUID == "" {
		return rc.seekView(ctx, s, nil)
	}
	err := rc.comparer.reconcileView(ctx, s)
	if outcome.Needs(err, status.ProductGone) {
		return rc.seekView(ctx, s, err)
	}
	return err
}

// seekView searches for the view of a folder: first as the folder that it was before, then by the
// folder's name, then by its photos. gone is the error for a product that is recorded and is not
// there.
func (rc reconciler) seekView(ctx context.Context, s plan.Scene, gone error) error {
	if gone == nil {
		if took, err := rc.heir.takeOver(ctx, s); took || err != nil {
			return err
		}
	}
	projects, err := rc.service.ProjectsLately(ctx)
	if err != nil {
		return err
	}
	named, err := rc.projects.lookForProject(ctx, projects, s.Facts.Wanted.Project)
	if err != nil {
		return err
	}
	own, err := theOne(status.SeveralNamed, "project", named, func(p syncstate.Project) string { return p.UUID })
	if err != nil {
		return err
	}
	product, err := rc.seekByName(ctx, s, own.UUID)
	switch {
	case err != nil:
		return err
	case product.UUID != "":
		return rc.ownFound(own, product)
	}
	return rc.seekByPhotos(ctx, s, own, projects, gone)
}

// seekByName searches for the product of the folder's name. A list may still have the product that
// is gone.
func (rc reconciler) seekByName(ctx context.Context, s plan.Scene, project string) (one syncstate.Product, err error) {
	if project == "" {
		return one, nil
	}
	asked := syncstate.Intent{Title: s.Facts.Wanted.Title, SKU: s.Facts.Wanted.SKU, Project: project}
	found, err := rc.products.lookForProduct(ctx, asked, false)
	if err != nil {
		return one, err
	}
	found = slices.DeleteFunc(found, func(p syncstate.Product) bool { return p.UUID == s.Record.Product.UUID })
	return theOne(status.SeveralNamed, "view", found, func(p syncstate.Product) string { return p.UUID })
}

// A candidate is a product of another name or in another project that may be the folder's.
type candidate struct {
	project syncstate.Project
	apiclient.Product
}

// seekByPhotos searches for the view among products of the same SKU or title. They are the folder's
// only if they show exactly its frames. If there is none, a product may be made, unless one of the
// same SKU belongs to no folder: then a person is asked.
func (rc reconciler) seekByPhotos(
	ctx context.Context, s plan.Scene, own syncstate.Project, projects []apiclient.Project, gone error,
) error {
	candidates, err := rc.candidates(ctx, s, own, projects)
	if err != nil {
		return err
	}
	if len(candidates) > 0 {
		if err := rc.comparer.awaitWholeSet(s); err != nil {
			return err
		}
	}
	var alike []candidate
	for _, c := range candidates {
		holds, err := rc.holdsFrames(ctx, c.UUID)
		if err != nil {
			return err
		}
		if holds {
			alike = append(alike, c)
		}
	}
	one, err := theOne(status.SeveralAlike, "view", alike, func(c candidate) string { return c.UUID })
	if err != nil {
		return err
	}
	if one.UUID != "" {
		rc.log.Info("the service has the folder's view under another name", "folder", rc.record.key.Path, "product", one.UUID)
		return rc.ownFound(one.project, productOf(one.Product))
	}
	for _, c := range candidates {
		if c.project.UUID == own.UUID && hosting.Compared(c.SKU) == hosting.Compared(s.Facts.Wanted.SKU) {
			said := fmt.Sprintf("SKU %s, title %s", status.Name(c.SKU), status.Name(c.Title))
			previous := &status.Cause{Kind: status.PreviousView, Text: said}
			return outcome.PersonUntil(time.Now().Add(foreignPatience), previous)
		}
	}
	if gone != nil {
		return gone
	}
	return rc.record.change(func(r *syncstate.Record) {
		r.Doubted = false
		status.SetState(r, status.Queued, status.Because(status.NoView))
	})
}

// candidates are the products that belong to no folder and share the SKU or the title in the
// folder's own project, or both in another one: a folder that was moved left its view there.
func (rc reconciler) candidates(
	ctx context.Context, s plan.Scene, own syncstate.Project, projects []apiclient.Project,
) (all []candidate, err error) {
	for _, p := range projects {
		project := syncstate.Project{UUID: p.UUID, Title: p.Title}
		find := rc.service.ProductsLately
		if p.UUID == own.UUID {
			project, find = own, rc.service.Namesakes
		}
		products, err := find(ctx, hosting.NewProductName(p.UUID, s.Facts.Wanted.SKU, s.Facts.Wanted.Title))
		if err != nil && (p.UUID == own.UUID || !isRefused(err)) {
			return nil, err
		}
		for _, product := range products {
			_, owned := rc.record.ownerOf(product.UUID)
			if owned || product.UUID == s.Record.Product.UUID ||
				rc.others.Namesake(rc.record.key, p, product.SKU, product.Title) != "" {
				continue
			}
			all = append(all, candidate{project, product})
		}
	}
	return all, nil
}

// holdsFrames reports whether a product shows exactly the folder's frames, as far as its images
// show without the status.
func (rc reconciler) holdsFrames(ctx context.Context, product string) (bool, error) {
	images, err := rc.service.Client.Images(ctx, product)
	expected := len(rc.comparer.folder.Snapshot.Frames)
	images = view.OfFolder(images, expected)
	if isRefused(err) || err == nil && (len(images) == 0 || len(images) != expected) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	shows := apiclient.Status{SourceRevision: images[0].SourceRevision, ImageStatus: apiclient.StatusFinished}
	published, _, err := rc.comparer.recognise(ctx, product, shows, images)
	return published != nil, err
}

// isRefused reports whether the service itself answered that something is not there, or not for
// this user.
func isRefused(err error) bool {
	remote, ok := errors.AsType[*apiclient.Error](err)
	return errors.Is(err, apiclient.ErrUnknownProduct) ||
		ok && len(remote.Messages) > 0 && !remote.Temporary() && remote.Status != http.StatusUnauthorized
}

func productOf(p apiclient.Product) syncstate.Product {
	return syncstate.Product{UUID: p.UUID, Title: p.Title, SKU: p.SKU, Manufacturer: p.Manufacturer, Year: p.Year}
}

// ownFound records a product as the folder's, unless another folder was faster. The next step
// compares it.
func (rc reconciler) ownFound(project syncstate.Project, product syncstate.Product) error {
	return rc.products.own(product.UUID, func(r *syncstate.Record) {
		plan.ClearProduct(r)
		r.Project, r.Product = project, product
	})
}

// theOne is the only one of those that were found, the zero value when there is none. The kind is
// what several of them share.
func theOne[T any](kind status.Kind, what string, found []T, uuidOf func(T) string) (one T, _ error) {
	switch len(found) {
	case 0:
		return one, nil
	case 1:
		return found[0], nil
	}
	var uuids []string
	for _, f := range found {
		uuids = append(uuids, uuidOf(f))
	}
	return one, hosting.Several(kind, what, uuids)
}

// Compare takes the next step of a folder in doubt if it is the comparison. It returns the step with
// which the folder stops, and records that one as its reason. It is nil where the comparison is over.
func (j *Job) Compare(ctx context.Context, s plan.Scene, next plan.Step) (*plan.Step, error) {
	stop := &next
	if next.Action == plan.Reconcile {
		var err error
		if stop, err = stopOf(j.reconciler.reconcile(ctx, s)); stop == nil || err != nil {
			return nil, err
		}
	}
	return stop, j.record.change(func(r *syncstate.Record) {
		r.Counts.Settled, r.Counts.Expected = s.Resting(), s.Facts.Rules.FullTurn(s.Facts.Snapshot.Frames)
		status.SetState(r, stop.State, stop.Cause)
	})
}

// stopOf is the step of a comparison that needs a person, or time. Any other failure is returned.
func stopOf(failure error) (*plan.Step, error) {
	switch o := outcome.Of(failure); {
	case o != nil && o.Kind == outcome.NeedsPerson:
		return new(plan.NeedsPerson(o.Cause)), nil
	case o != nil && o.Kind == outcome.Waits:
		return &plan.Step{Action: plan.Wait, State: status.Processing, Cause: o.Cause, Until: o.Until}, nil
	}
	return nil, failure
}
