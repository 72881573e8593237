package publish

import (
	"context"
	"errors"
	"net/http"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// images lists the images of the folder's product, for a run: those that it replaces, and from its
// finish on those that it makes.
func (q *requests) images(ctx context.Context, s plan.Scene) ([]apiclient.Image, error) {
	images, err := q.service.Client.Images(ctx, s.Record.Product.UUID)
	if err != nil {
		return nil, q.notListed(ctx, s, err)
	}
	q.service.Memory.RefusedLists.End(s.Record.Project.UUID)
	switch r := s.Record; {
	case r.Run.IsBound():
		images = view.OfFolder(images, len(r.Run.Frames))
	case r.Published != nil:
		images = view.OfFolder(images, len(r.Published.Frames))
	}
	return images, nil
}

// allImages lists the images of a product, with those that others uploaded besides.
func (q *requests) allImages(ctx context.Context, product string) ([]apiclient.Image, error) {
	images, err := q.service.Client.Images(ctx, product)
	if err != nil {
		return nil, q.productGone(ctx, product, err)
	}
	return images, nil
}

// compareSources compares the files on the service with those of a run, see view.CompareSources. An
// archive that is not packed yet (409) is waited for as long as an upload is that is processed.
func (q *requests) compareSources(
	ctx context.Context, product string, run *syncstate.Run, images []apiclient.Image,
) (doubt string, err error) {
	doubt, err = view.CompareSources(ctx, q.service.Client, product, run, images)
	remote, refused := errors.AsType[*apiclient.Error](err)
	switch {
	case err == nil:
		q.unpacked = sighting[upload]{}
	case refused && remote.Status == http.StatusConflict:
		since := q.unpacked.see(upload{product, run.Seen.Revision})
		if time.Since(since) < q.poll.GiveUp {
			wait := outcome.Later(q.nextPoll(product, since), outcome.CauseOf(err), nil)
			return "", wait.WithDetail(outcome.DetailOf(err))
		}
	}
	return doubt, err
}

// setAltTexts replaces all alt texts of an image, and returns those that the service stored.
func (q *requests) setAltTexts(ctx context.Context, image int64, texts map[string]string) (map[string]string, error) {
	stored, err := q.service.Client.SetAltTexts(ctx, image, texts)
	return stored.AltTexts, err
}

// notListed finds the meaning of a failure to list images. A refusal that was tried often enough
// calls a person, if the status has known the product since the try before. It is tried again each
// minute, so that the run goes on by itself, and no other run of the project begins.
func (q *requests) notListed(ctx context.Context, s plan.Scene, failure error) error {
	product, before := s.Record.Product.UUID, s.Record.Trouble
	err := q.productGone(ctx, product, failure)
	if !hosting.LacksPermission(err) || before == nil {
		return err
	}
	remote, _ := errors.AsType[*apiclient.Error](err)
	if redirects := remote.Status/100 == 3; redirects && before.Tries.N+1 < mostRedirects ||
		!redirects && before.Refusals+1 < hosting.Refusals {
		return err
	}
	now := time.Now()
	next := now.Add(hosting.RefusedPause)
	if !q.knew(product, before.At) {
		return outcome.Later(next, outcome.CauseOf(err), err)
	}
	because := &status.Cause{Kind: status.ListRefused, Text: outcome.Saying(remote,
		"the hosting service does not let this user list the images of the folder's project")}
	q.service.Memory.RefusedLists.Note(s.Record.Project.UUID, now, because)
	return &outcome.Outcome{Kind: outcome.NeedsPerson, Until: next, Cause: because, Err: err}
}
