package publish

import (
	"context"
	"slices"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// search is the search for the folder that this one was before.
func (c creator) search() renamed.Search {
	return renamed.Search{
		Folder: c.Folder, Files: c.Files, Store: c.Records.Store, Index: c.Records.Index,
		IsMissed: c.Neighbours.IsMissed, New: c.Neighbours.New,
	}
}

// Predecessor is the gone folder that this one was before, nil for none. It passes over those that
// are taken.
func (j *Job) Predecessor(
	ctx context.Context, s plan.Scene, taken func(renamed.Predecessor) bool,
) (*renamed.Predecessor, error) {
	return j.creator.search().Predecessor(ctx, s, taken)
}

// takeOver gives the folder the record of the one it was before, if there is one. It reports
// whether it did.
func (c creator) takeOver(ctx context.Context, s plan.Scene) (bool, error) {
	if took, err := c.takeUnwatched(s); took || err != nil {
		return took, err
	}
	before, err := c.search().Predecessor(ctx, s, nil)
	if before == nil || err != nil {
		return false, err
	}
	return c.moveRecord(before.Key, before.Record)
}

// inherit gives the folder the product of its SKU and title from a folder that is gone. That folder
// had been renamed, for instance, and was removed before its product got the new name. inherit
// reports whether it did so.
func (c creator) inherit(ctx context.Context, from syncstate.Folder) (bool, error) {
	if slices.Contains(c.Unwatched, from.Root) {
		return c.inheritUnwatched(from)
	}
	if gone, err := c.search().IsGone(ctx, from); !gone || err != nil {
		return false, err
	}
	record, err := c.Records.Record(from)
	if err != nil {
		return false, err
	}
	return c.moveRecord(from, record)
}

// inheritUnwatched gives the folder the product of its SKU and title from a folder below a root that
// is not watched, if it has the same photos. It reports whether it did so.
func (c creator) inheritUnwatched(from syncstate.Folder) (bool, error) {
	record, err := c.Records.Record(from)
	if err != nil || !c.hasPhotosOf(record) {
		return false, err
	}
	return true, c.takeRecord(from)
}

// takeUnwatched takes over the record of the folder that has this one's path below a root that is not
// watched any more, if it is of the same product or has the same photos: the root has another path by
// now. It reports whether there is one.
func (c creator) takeUnwatched(s plan.Scene) (bool, error) {
	var from []syncstate.Folder
	for _, root := range c.Unwatched {
		key := syncstate.Folder{Root: root, Path: c.Key.Path}
		record, err := c.Records.Record(key)
		if err != nil {
			return false, err
		}
		if isWanted(s, record) || c.hasPhotosOf(record) {
			from = append(from, key)
		}
	}
	if len(from) != 1 {
		return false, nil
	}
	return true, c.takeRecord(from[0])
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
func (c creator) hasPhotosOf(r syncstate.Record) bool {
	published := plan.PublishedFrames(r.Published)
	return len(published) > 0 && len(published) == len(c.Snapshot.Frames) &&
		!slices.ContainsFunc(c.Snapshot.Frames, func(f watcher.File) bool {
			was, ok := published[f.Name]
			return !ok || was.Size != f.Size
		})
}

// takeRecord takes over the record of a folder below a root that is not watched. What was published is
// compared next; what was begun goes on as after a restart.
func (c creator) takeRecord(from syncstate.Folder) error {
	if err := c.move(from); err != nil {
		return err
	}
	c.Log.Info("the folder's root has another path", "from", from, "to", c.Key)
	c.Neighbours.FollowWishes(c.Key)
	c.Unchecked = true
	return c.Update(func(r *syncstate.Record) {
		r.Doubted = r.Product.UUID != "" && r.Run == nil
		r.Updating = r.Updating || r.Doubted
	})
}

// move moves a record to the folder, unless a person gave up the run or another daemon took over since
// the step was planned: a drive may have kept the worker for long.
func (c creator) move(from syncstate.Folder) error {
	if c.Abandoned.Load() != c.planned {
		return outcome.ErrChanged
	}
	return c.Records.Move(from, c.Key)
}

// moveRecord takes over the record of a folder that is gone. It holds both folders: a step for the
// other folder comes to its end first. It reports whether the record was moved.
func (c creator) moveRecord(from syncstate.Folder, seen syncstate.Record) (bool, error) {
	unchecked, release, free := c.Neighbours.Hold(from)
	if !free {
		return false, outcome.ErrChanged
	}
	defer release()
	head, err := c.Records.Head(from)
	switch {
	case err != nil:
		return false, err
	case head.Product.UUID != seen.Product.UUID, head.Run.In(syncstate.Making) != seen.Run.In(syncstate.Making):
		return false, outcome.ErrChanged
	}
	if err := c.move(from); err != nil {
		return false, err
	}
	c.Unchecked = unchecked
	c.Log.Info("the folder was renamed", "from", from, "to", c.Key, "product", head.Product.UUID)
	c.Neighbours.Renamed(from, c.Key)
	c.Neighbours.FollowWishes(from)
	c.Neighbours.FollowWishes(c.Key)
	return true, nil
}
