package publish

import (
	"context"
	"fmt"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// PreviewCreate finds out whether a folder without a product is a gone folder under another name,
// as the create would. No two folders are the same one.
func (j *Job) PreviewCreate(
	ctx context.Context, s plan.Scene, p status.Preview, taken map[syncstate.Folder]bool,
) (status.Preview, error) {
	before, err := j.creator.search().Predecessor(ctx, s, func(before renamed.Predecessor) bool {
		return taken[before.Key]
	})
	switch {
	case outcome.Needs(err, status.Twins):
		p.Does, p.Detail = string(status.Attention), err.Error()
		return p, nil
	case err != nil:
		return Waiting(ctx, p, err)
	case before == nil:
		return p, nil
	}
	taken[before.Key] = true
	was := status.Name(before.Key.Path)
	if before.Key.Root != p.Root {
		was = before.Key.Root + "/" + was
	}
	p.Does, p.Detail = "rename", fmt.Sprintf("renamed from %s, its product is kept", was)
	return p, nil
}

// Waiting tells of a folder that cannot be read at present. It does not keep the others from being
// told.
func Waiting(ctx context.Context, p status.Preview, err error) (status.Preview, error) {
	p.Does, p.Detail = "wait", err.Error()
	if denied := outcome.NoAccess(err); denied != nil {
		p.Does, p.Detail = string(status.Attention), status.Sentence(denied, status.AnyFolder)
	}
	return p, ctx.Err()
}
