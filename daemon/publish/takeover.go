package publish

import (
	"context"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/syncstate"
)

// search looks for the folder that this one was before.
func (w creator) search() renamed.Search {
	return renamed.Search{
		Folder: w.Folder, Files: w.Files, Store: w.Records.Store, Contents: w.Contents, IsMissed: w.Board.IsMissed,
	}
}

// Predecessor is the gone folder that this one was before, nil for none. It passes over those that
// are taken.
func (j *Job) Predecessor(
	ctx context.Context, s plan.Scene, taken func(renamed.Predecessor) bool,
) (*renamed.Predecessor, error) {
	return j.creator.search().Predecessor(ctx, s, taken)
}

// takeOver gives the folder the record of the one it was before, if there is such a one. It reports
// whether it did.
func (w creator) takeOver(ctx context.Context, s plan.Scene) (bool, error) {
	before, err := w.search().Predecessor(ctx, s, nil)
	if before == nil || err != nil {
		return false, err
	}
	return w.moveRecord(before.Key, before.Record)
}

// inherit gives the folder the product of its SKU and title from a folder that is gone. That folder
// had been renamed, for instance, and was removed before its product got the new name. inherit
// reports whether it did so.
func (w creator) inherit(ctx context.Context, from syncstate.Folder) (bool, error) {
	if gone, err := w.search().IsGone(ctx, from); !gone || err != nil {
		return false, err
	}
	record, err := w.Records.Record(from)
	if err != nil {
		return false, err
	}
	return w.moveRecord(from, record)
}

// moveRecord takes over the record of a folder that is gone. It holds both folders: a step for the
// other folder comes to its end first. It reports whether the record was moved.
func (w creator) moveRecord(from syncstate.Folder, seen syncstate.Record) (bool, error) {
	before, release, free := w.Board.Hold(from)
	if !free {
		return false, outcome.ErrChanged
	}
	defer release()
	head, err := w.Records.Head(from)
	switch {
	case err != nil:
		return false, err
	case head.Product.UUID != seen.Product.UUID, (head.Intent == nil) != (seen.Intent == nil):
		return false, outcome.ErrChanged
	}
	if err := w.Records.Move(from, w.Key); err != nil {
		return false, err
	}
	w.Unchecked = before.Unchecked
	if before.Asked.After(w.Asked) {
		w.Asked = before.Asked
	}
	w.Log.Info("the folder was renamed", "from", from, "to", w.Key, "product", head.Product.UUID)
	w.Board.Renamed(from, w.Key)
	w.Board.FollowPriority(from)
	w.Board.FollowPriority(w.Key)
	return true, nil
}
