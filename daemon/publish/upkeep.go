package publish

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// An upkeep is the work on a product outside of its runs: its fields, its files that were only
// touched, and whether it is there.
type upkeep struct {
	record *ledger
	ask    *requests
	texts  *describer
	folder *reading.Folder
	log    *slog.Logger
}

// verifyProduct asks the service for the recorded product. Where it is gone, see productGone, a
// missing folder is forgotten, and a present one published again.
func (u upkeep) verifyProduct(ctx context.Context, s plan.Scene) error {
	product := s.Record.Product.UUID
	_, err := u.ask.status(ctx, product)
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		if gone := u.ask.productGone(ctx, product, err); !outcome.Needs(gone, status.ProductGone) {
			return gone
		}
		if !s.Facts.Snapshot.Present {
			u.log.Info("the folder and its view are gone", "folder", u.record.key.Path, "product", product)
		}
		return u.record.change(plan.ClearProduct)
	case interrupted(ctx, err), err != nil && s.Facts.Snapshot.Present:
		return err
	}
	if s.Facts.Snapshot.Present { // the wish outlasts a list that is still to be looked at again
		if err := u.texts.refreshImages(ctx, s); err != nil {
			return err
		}
	}
	link := ""
	if s.Record.Published != nil {
		link = u.ask.embedURL(ctx, s)
	}
	return u.record.change(func(r *syncstate.Record) {
		r.Wishes.Verify = false
		if link != "" && r.Published != nil {
			r.Published.EmbedURL = link
		}
		if !s.Facts.Snapshot.Present { // without an answer, the next verification asks again
			r.Absence.Verified = time.Now()
		}
	})
}

// updateProduct changes the product's fields on the service.
func (u upkeep) updateProduct(ctx context.Context, s plan.Scene) error {
	if err := u.record.change(func(r *syncstate.Record) { noteUpdating(r, s.Facts.Wanted) }); err != nil {
		return err
	}
	if err := u.ask.update(ctx, s.Record.Product.UUID, changedFields(s)); err != nil {
		return err
	}
	if want := s.Facts.Wanted; !want.SameFields(s.Record.Product) {
		u.log.Info("updated", "folder", u.record.key.Path,
			"title", want.Title, "sku", want.SKU, "manufacturer", want.Manufacturer, "year", want.Year)
	}
	return u.record.change(func(r *syncstate.Record) {
		if !s.Facts.Wanted.SameFields(s.Record.Product) {
			r.Updates.Fields++
		}
		r.Product, r.Updating = s.Facts.Wanted.WithUUID(r.Product.UUID), false
	})
}

// noteTouched records the new identities of files that were touched or copied over themselves. A marker
// that was touched for itself speaks for no later frame.
func (u upkeep) noteTouched(_ context.Context, s plan.Scene) error {
	return u.record.change(func(r *syncstate.Record) {
		if s.Facts.Snapshot.Marker != nil {
			r.Published.Marker = markerOf(s.Facts.Snapshot)
		}
		for i, f := range r.Published.Frames {
			if reading, ok := u.folder.Readings[f.Name]; ok && bytes.Equal(reading.Digest, f.Digest) {
				r.Published.Frames[i].File = reading.File
			}
		}
	})
}
