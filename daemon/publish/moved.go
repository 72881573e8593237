package publish

import (
	"context"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/syncstate"
)

// search looks for the folder that this one was before.
func (j *Job) search() renamed.Search {
	return renamed.Search{
		Folder: j.Folder, Files: j.Files, Store: j.Records.Store, Contents: j.Contents, IsMissed: j.Board.IsMissed,
	}
}

// takeOver gives the folder the record of the one it was before, if there is such a one. It reports
// whether it did.
func (j *Job) takeOver(ctx context.Context, s plan.Scene) (bool, error) {
	before, err := j.search().Predecessor(ctx, s, nil)
	if before == nil || err != nil {
		return false, err
	}
	return j.moveRecord(before.Key, before.Record)
}

// inherit gives the folder the product of its SKU and title from a folder that is gone. That folder
// had been renamed, for instance, and was removed before its product got the new name. inherit
// reports whether it did so.
func (j *Job) inherit(ctx context.Context, from syncstate.Folder) (bool, error) {
	if gone, err := j.search().IsGone(ctx, from); !gone || err != nil {
		return false, err
	}
	record, err := j.Records.Record(from)
	if err != nil {
		return false, err
	}
	return j.moveRecord(from, record)
}

// moveRecord takes over the record of a folder that is gone, unless the removal of its product has
// begun. It holds both folders: a step for the other folder comes to its end first. It reports
// whether the record was moved.
func (j *Job) moveRecord(from syncstate.Folder, seen syncstate.Record) (bool, error) {
	before, release, free := j.Board.Hold(from)
	if !free {
		return false, outcome.ErrChanged
	}
	defer release()
	head, err := j.Records.Head(from)
	switch {
	case err != nil:
		return false, err
	case head.Product.UUID != seen.Product.UUID, (head.Intent == nil) != (seen.Intent == nil):
		return false, outcome.ErrChanged
	case !head.DeleteSent.IsZero():
		return false, nil
	}
	if err := j.Records.Move(from, j.Key); err != nil {
		return false, err
	}
	j.Resumed = before.Resumed
	if before.Asked.After(j.Asked) {
		j.Asked = before.Asked
	}
	j.Log.Info("the folder was renamed", "from", from, "to", j.Key, "product", head.Product.UUID)
	j.Board.Renamed(from, j.Key)
	j.Board.FollowPriority(from)
	j.Board.FollowPriority(j.Key)
	return true, nil
}
