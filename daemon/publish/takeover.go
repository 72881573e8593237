package publish

import (
	"context"
	"log/slog"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// An heir gives a folder the record of another one: of the folder that it was before, or of one
// that is gone and had the same product.
type heir struct {
	record    *ledger
	search    renamed.Search
	keeper    Keeper
	views     *Views // nil at a computer alone
	unwatched unwatchedRoots
	log       *slog.Logger
}

// takeOver gives the folder the record of the one it was before, if there is one. It reports
// whether it did.
func (h heir) takeOver(ctx context.Context, s plan.Scene) (bool, error) {
	if took, err := h.unwatched.takeOver(s); took || err != nil {
		return took, err
	}
	before, err := h.search.Predecessor(ctx, s, nil)
	switch {
	case before == nil || err != nil:
		return false, err
	case h.unwatched.has(before.Key):
		return true, h.unwatched.takeRecord(before.Key)
	case !h.views.mayRename(before.Key, h.record.key):
		return false, outcome.Person(&status.Cause{Kind: status.MayBeOld, Name: status.NameFrom(h.record.key.Root, before.Key)})
	}
	return h.moveRecord(before.Key, before.Record)
}

// inherit gives the folder the product of its SKU and title from a folder that is gone. That folder
// had been renamed, for instance, and was removed before its product got the new name. It may also
// stand under another name, and goes on there once it is complete, or be paused, and come back paused.
// inherit reports whether it did so.
func (h heir) inherit(ctx context.Context, from syncstate.Folder) (bool, error) {
	if h.unwatched.has(from) {
		return h.unwatched.inherit(from)
	}
	if gone, err := h.search.IsGone(ctx, from); !gone || err != nil {
		return false, err
	}
	record, err := h.record.of(from)
	if err != nil || !record.Wishes.Paused.IsZero() ||
		h.search.Others.MayStandElsewhere(from, h.record.key, renamed.FilesOf(record)) ||
		!h.views.mayRename(from, h.record.key) {
		return false, err
	}
	return h.moveRecord(from, record)
}

// moveRecord takes over the record of a folder that is gone. It holds both folders: a step for the
// other folder comes to its end first. It reports whether the record was moved.
func (h heir) moveRecord(from syncstate.Folder, seen syncstate.Record) (bool, error) {
	unchecked, release, free := h.keeper.Hold(from)
	if !free {
		return false, outcome.ErrChanged
	}
	defer release()
	is, err := h.record.of(from)
	switch {
	case err != nil:
		return false, err
	case is.Product.UUID != seen.Product.UUID, is.Run.In(syncstate.Making) != seen.Run.In(syncstate.Making):
		return false, outcome.ErrChanged
	}
	if err := h.record.takeFrom(from, unchecked, nil); err != nil {
		return false, err
	}
	h.log.Info("the folder was renamed", "from", from, "to", h.record.key, "product", is.Product.UUID)
	h.keeper.Renamed(from, h.record.key)
	h.keeper.FollowWishes(from)
	return true, nil
}
