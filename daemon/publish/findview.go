package publish

import (
	"context"
	"slices"

	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A viewFinder searches for the view of a folder without a product, or whose product is gone.
type viewFinder struct {
	service    *hosting.Service
	heir       heir
	projects   projectFinder
	products   productFinder
	lookalikes lookalikes
}

// find searches for the view of a folder, and records its product: first as the folder that it was
// before, unless its own product is gone, then by the folder's name, then by its photos: among
// products of the same SKU or title. It reports whether there is a view, or may be one, which is
// found once the set is complete.
func (vf viewFinder) find(ctx context.Context, s plan.Scene, mayTakeOver bool) (bool, error) {
	if mayTakeOver {
		if took, err := vf.heir.takeOver(ctx, s); took || err != nil {
			return took, err
		}
	}
	projects, err := vf.service.ProjectsLately(ctx)
	if err != nil {
		return false, err
	}
	named, err := vf.projects.lookForProject(ctx, projects, s.Facts.Wanted.Project)
	if err != nil {
		return false, err
	}
	own, err := theOne(status.SeveralNamed, "project", named, func(p syncstate.Project) string { return p.UUID })
	if err != nil {
		return false, err
	}
	product, err := vf.seekByName(ctx, s, own.UUID)
	switch {
	case err != nil:
		return false, err
	case product.UUID != "":
		return true, vf.ownFound(own, product)
	}
	candidates, err := vf.lookalikes.candidates(ctx, s, own, projects)
	switch {
	case err != nil:
		return false, err
	case len(candidates) > 0 && !s.IsWholeSet():
		return true, vf.lookalikes.comparer.awaitWholeSet(s)
	}
	alike, err := vf.lookalikes.theView(ctx, s, own, candidates)
	if err != nil || alike.product.UUID == "" {
		return false, err
	}
	return true, vf.ownFound(alike.project, productOf(alike.product))
}

// seekByName searches for the product of the folder's name. A list may still have the product that
// is gone. Where it is recorded, the folder takes none of another folder: a person is asked before.
func (vf viewFinder) seekByName(ctx context.Context, s plan.Scene, project string) (one syncstate.Product, err error) {
	if project == "" {
		return one, nil
	}
	asked := syncstate.Intent{Title: s.Facts.Wanted.Title, SKU: s.Facts.Wanted.SKU, Project: project}
	found, err := vf.products.lookForProduct(ctx, asked, s.Record.Product.UUID != "")
	if err != nil {
		return one, err
	}
	found = slices.DeleteFunc(found, func(p syncstate.Product) bool { return p.UUID == s.Record.Product.UUID })
	return theOne(status.SeveralNamed, "view", found, func(p syncstate.Product) string { return p.UUID })
}

// ownFound records a product as the folder's, unless another folder was faster. The next step
// compares it.
func (vf viewFinder) ownFound(project syncstate.Project, product syncstate.Product) error {
	return vf.products.own(product.UUID, func(r *syncstate.Record) {
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
