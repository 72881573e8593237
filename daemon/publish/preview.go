package publish

import (
	"context"
	"fmt"
	"slices"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// PreviewCreate finds out whether a folder without a product is a gone folder under another name,
// as the create would.
func (j *Job) PreviewCreate(
	ctx context.Context, s plan.Scene, p status.Preview, renamed map[syncstate.Folder]bool,
) (status.Preview, error) {
	found, err := j.predecessors(ctx, s.FrameSet())
	if err != nil {
		return Waiting(ctx, p, err)
	}
	found = slices.DeleteFunc(found, func(before predecessor) bool {
		return renamed[before.key] || !before.record.DeleteSent.IsZero()
	})
	before, err := recogniseAs(s, found, j.Key)
	switch {
	case err != nil:
		p.Does, p.Detail = string(status.Attention), err.Error()
		return p, nil
	case before == nil:
		return p, nil
	}
	renamed[before.key] = true
	was := status.Name(before.key.Path)
	if before.key.Root != p.Root {
		was = before.key.Root + "/" + was
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
