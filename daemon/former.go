package daemon

import (
	"context"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A state file that was restored from an old backup may not know the product of a folder. If the
// folder got another title since, no look for SKU and title finds it. So the daemon takes one more
// look before a create. The previous product shares the SKU or the title, belongs to no other
// folder, and holds exactly the folder's frames. Nothing less is adopted, and no failure of this
// look stops the create.

// findFormer adopts the folder's previous product. It reports whether there is exactly one.
func (j *job) findFormer(ctx context.Context, s scene, name productName) (bool, error) {
	candidates, err := j.service.namesakes(ctx, name)
	if err != nil {
		return false, nil // the look before the create will report the error
	}
	var found []apiclient.Product
	var published *syncstate.Published
	for _, p := range candidates {
		if _, owned := j.owners.of(p.UUID); owned || !j.mayHold(ctx, p.UUID, s.gather().count()) {
			continue
		}
		if soonest := j.mayCompare(); time.Now().Before(soonest) {
			return false, later{until: soonest, because: because(status.LookingForOther)}
		}
		holds, differs, err := j.recognise(ctx, p.UUID)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if holds == nil {
			j.log.Info("a product of the same SKU or title is another one",
				"folder", j.key.Path, "product", p.UUID,
				"because", status.Sentence(differs.cause, status.AnyFolder), "error", err)
			continue
		}
		found, published = append(found, p), holds
	}
	if len(found) != 1 {
		return false, nil
	}
	p := found[0]
	j.log.Info("the folder's view is there under another SKU or title", "folder", j.key.Path, "product", p.UUID)
	return true, j.ownProduct(p.UUID, func(r *syncstate.Record) {
		r.Product = syncstate.Product{
			UUID: p.UUID, Title: p.Title, SKU: p.SKU, Manufacturer: p.Manufacturer, Year: p.Year,
		}
		r.Published, r.Intent, r.Run = published, nil, nil
	})
}

// mayCompare is the time from which the folder may be compared with a product: its frames are known
// to be still, and another status request is allowed.
func (j *job) mayCompare() time.Time {
	if slices.ContainsFunc(j.snapshot.Frames, func(f watcher.File) bool { return !f.Still }) {
		return time.Now().Add(max(j.root.watch.Settle, changedPause))
	}
	return j.asked.Add(j.poll.First)
}

// mayHold reports whether a product shows exactly this number of images, all ready. Only then are
// its source files worth a look.
func (j *job) mayHold(ctx context.Context, product string, count int) bool {
	images, err := j.service.Images(ctx, product)
	return err == nil && len(images) == count &&
		!slices.ContainsFunc(images, func(i apiclient.Image) bool { return !i.MediaReady })
}
