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

// Lookalikes are products that may be a folder's by their photos.
type lookalikes struct {
	record   *ledger
	service  *hosting.Service
	comparer *comparer
	others   namesakes
	log      *slog.Logger
}

// A candidate is a product of another name or in another project that may be the folder's.
type candidate struct {
	project syncstate.Project
	product apiclient.Product
}

// theView is the candidate that shows exactly the folder's frames; the zero value for none. If there
// is none, a person is asked about one of the same SKU in the folder's project, and about one that
// may show the frames, but whose files the service refuses. Another folder may take that view as its
// own, most likely soon.
func (la lookalikes) theView(
	ctx context.Context, s plan.Scene, own syncstate.Project, candidates []candidate,
) (one candidate, err error) {
	var alike, unseen []candidate
	for _, c := range candidates {
		switch holds, err := la.holdsFrames(ctx, s, c.product.UUID); {
		case errors.Is(err, view.ErrNoSources):
			unseen = append(unseen, c)
		case err != nil:
			return one, err
		case holds:
			alike = append(alike, c)
		}
	}
	one, err = theOne(status.SeveralAlike, "view", alike, func(c candidate) string { return c.product.UUID })
	if err != nil {
		return one, err
	}
	if one.product.UUID != "" {
		la.log.Info("the service has the folder's view under another name", "folder", la.record.key.Path, "product", one.product.UUID)
		return one, nil
	}
	for _, c := range candidates {
		sameSKU := c.project.UUID == own.UUID && hosting.Compared(c.product.SKU) == hosting.Compared(s.Facts.Wanted.SKU)
		if sameSKU || slices.Contains(unseen, c) {
			said := fmt.Sprintf("SKU %s, title %s", status.Name(c.product.SKU), status.Name(c.product.Title))
			previous := &status.Cause{Kind: status.PreviousView, Text: said}
			pause := foreignPatience
			if asked := s.Record.Trouble; asked != nil && asked.Cause.Is(previous.Kind) {
				pause = lateOwnerPause
			}
			return one, outcome.PersonUntil(time.Now().Add(pause), previous)
		}
	}
	return one, nil
}

// candidates are the products that belong to no folder and share the SKU or the title in the
// folder's own project, or both in another one: a folder that was moved left its view there.
func (la lookalikes) candidates(
	ctx context.Context, s plan.Scene, own syncstate.Project, projects []apiclient.Project,
) (all []candidate, err error) {
	for _, p := range projects {
		project := syncstate.Project{UUID: p.UUID, Title: p.Title}
		find := la.service.ProductsLately
		if p.UUID == own.UUID {
			project, find = own, la.service.Namesakes
		}
		products, err := find(ctx, hosting.NewProductName(p.UUID, s.Facts.Wanted.SKU, s.Facts.Wanted.Title))
		if err != nil && (p.UUID == own.UUID || !isRefused(err)) {
			return nil, err
		}
		for _, product := range products {
			_, owned := la.record.ownerOf(product.UUID)
			if owned || product.UUID == s.Record.Product.UUID ||
				la.others.Namesake(la.record.key, p, product.SKU, product.Title) != "" {
				continue
			}
			all = append(all, candidate{project, product})
		}
	}
	return all, nil
}

// holdsFrames reports whether a product shows exactly the folder's frames, as far as its images
// show without the status.
func (la lookalikes) holdsFrames(ctx context.Context, s plan.Scene, product string) (bool, error) {
	images, err := la.service.Client.Images(ctx, product)
	expected := len(s.Facts.Snapshot.Frames)
	images = view.OfFolder(images, expected)
	if isRefused(err) || err == nil && (len(images) == 0 || len(images) != expected) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	shows := apiclient.Status{SourceRevision: images[0].SourceRevision, ImageStatus: apiclient.StatusFinished}
	published, _, err := la.comparer.recognise(ctx, product, shows, images)
	return published != nil, err
}

// isRefused reports whether the service itself answered that something is not there, or not for
// this user.
func isRefused(err error) bool {
	remote, ok := errors.AsType[*apiclient.Error](err)
	return errors.Is(err, apiclient.ErrUnknownProduct) ||
		ok && len(remote.Messages) > 0 && !remote.Temporary() && remote.Status != http.StatusUnauthorized
}
