package publish

import (
	"context"
	"log/slog"
	"slices"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/renamed"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// An heir gives a folder the record of another one: of the folder that it was before, or of one that is gone
// and had the same product.
type heir struct {
	record    *ledger
	records   *Records
	folder    *reading.Folder
	watcher   *watcher.Watcher
	search    renamed.Search
	keeper    Keeper
	unwatched []string // see Publisher.Unwatched
	log       *slog.Logger
}

// takeOver gives the folder the record of the one it was before, if there is one. It reports
// whether it did.
func (h heir) takeOver(ctx context.Context, s plan.Scene) (bool, error) {
	if took, err := h.takeUnwatched(s); took || err != nil {
		return took, err
	}
	before, err := h.search.Predecessor(ctx, s, nil)
	if before == nil || err != nil {
		return false, err
	}
	return h.moveRecord(before.Key, before.Record)
}

// inherit gives the folder the product of its SKU and title from a folder that is gone. That folder
// had been renamed, for instance, and was removed before its product got the new name. inherit
// reports whether it did so.
func (h heir) inherit(ctx context.Context, from syncstate.Folder) (bool, error) {
	if slices.Contains(h.unwatched, from.Root) {
		return h.inheritUnwatched(from)
	}
	if gone, err := h.search.IsGone(ctx, from); !gone || err != nil {
		return false, err
	}
	record, err := h.records.Record(from)
	if err != nil {
		return false, err
	}
	return h.moveRecord(from, record)
}

// inheritUnwatched gives the folder the product of its SKU and title from a folder below a root that
// is not watched, if it has the same photos. It reports whether it did so.
func (h heir) inheritUnwatched(from syncstate.Folder) (bool, error) {
	record, err := h.records.Record(from)
	if err != nil || !h.hasPhotosOf(record) {
		return false, err
	}
	return true, h.takeRecord(from)
}

// takeUnwatched takes over the record of the folder that has this one's path below a root that is not
// watched any more, if it is of the same product or has the same photos: the root has got another
// path. It reports whether there is one.
func (h heir) takeUnwatched(s plan.Scene) (bool, error) {
	var from []syncstate.Folder
	for _, root := range h.unwatched {
		key := syncstate.Folder{Root: root, Path: h.record.key.Path}
		record, err := h.records.Record(key)
		if err != nil {
			return false, err
		}
		if isWanted(s, record) || h.hasPhotosOf(record) {
			from = append(from, key)
		}
	}
	if len(from) != 1 {
		return false, nil
	}
	return true, h.takeRecord(from[0])
}

// isWanted reports whether a record is of the product that the folder is to have. One of SKU and title
// may have changed while the program did not run.
func isWanted(s plan.Scene, r syncstate.Record) bool {
	sku, title := r.Product.SKU, r.Product.Title
	if asked := r.Run.Asked(); asked != nil {
		sku, title = asked.SKU, asked.Title
	}
	return (r.Product.UUID != "" || r.Run != nil) && r.Project.Title == s.Facts.Wanted.Project &&
		(sku == s.Facts.Wanted.SKU || title == s.Facts.Wanted.Title)
}

// hasPhotosOf reports whether the folder has just the photos that a record calls published, by names
// and sizes.
func (h heir) hasPhotosOf(r syncstate.Record) bool {
	published := plan.PublishedFrames(r.Published)
	return len(published) > 0 && len(published) == len(h.folder.Snapshot.Frames) &&
		!slices.ContainsFunc(h.folder.Snapshot.Frames, func(f watcher.File) bool {
			was, ok := published[f.Name]
			return !ok || was.Size != f.Size
		})
}

// takeRecord takes over the record of a folder below a root that is not watched. What was published is
// compared next; what was begun goes on as after a restart.
func (h heir) takeRecord(from syncstate.Folder) error {
	err := h.records.Update(from, func(r *syncstate.Record) error {
		r.Doubted = r.Product.UUID != "" && r.Run == nil
		r.Updating = r.Updating || r.Doubted
		return nil
	})
	if err != nil {
		return err
	}
	if err := h.record.takeFrom(from, true); err != nil {
		return err
	}
	h.log.Info("the folder's root has another path", "from", from, "to", h.record.key)
	h.keeper.FollowWishes(h.record.key)
	return nil
}

// hasLeft reports whether the folder was at its place, and is not there any more.
func (h heir) hasLeft() bool {
	return h.folder.Snapshot.Present && !h.watcher.Exists(h.record.key.Root, h.record.key.Path)
}

// moveRecord takes over the record of a folder that is gone. It holds both folders: a step for the
// other folder comes to its end first. It reports whether the record was moved.
func (h heir) moveRecord(from syncstate.Folder, seen syncstate.Record) (bool, error) {
	unchecked, release, free := h.keeper.Hold(from)
	if !free {
		return false, outcome.ErrChanged
	}
	defer release()
	head, err := h.records.Head(from)
	switch {
	case err != nil:
		return false, err
	case head.Product.UUID != seen.Product.UUID, head.Run.In(syncstate.Making) != seen.Run.In(syncstate.Making):
		return false, outcome.ErrChanged
	}
	if err := h.record.takeFrom(from, unchecked); err != nil {
		return false, err
	}
	h.log.Info("the folder was renamed", "from", from, "to", h.record.key, "product", head.Product.UUID)
	h.keeper.Renamed(from, h.record.key)
	h.keeper.FollowWishes(from)
	h.keeper.FollowWishes(h.record.key)
	return true, nil
}
