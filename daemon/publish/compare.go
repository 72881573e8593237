package publish

import (
	"context"
	"errors"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A comparer finds out whether the product of a folder shows it.
type comparer struct {
	record  *ledger
	ask     *requests
	folder  *reading.Folder
	scene   func() (plan.Scene, error) // the folder as it is now
	foreign *sighting[upload]          // that the state file does not know, and that is not finished
	awaits  bool                       // the whole set, to compare it with lookalikes
}

// An upload is one revision of a product.
type upload struct {
	product  string
	revision int64
}

// waitsForForeign reports whether a foreign upload may still be on its way, and since when. After
// foreignPatience it counts as never finished.
func (cm comparer) waitsForForeign(u upload) (since time.Time, waits bool) {
	since = cm.foreign.see(u)
	return since, time.Since(since) < foreignPatience
}

// reconcileView finds out what the recorded product shows. Its fields are known where a list had
// them, and are sent again where only the state file has them.
func (cm comparer) reconcileView(ctx context.Context, s plan.Scene) error {
	product := s.Record.Product.UUID
	answer, err := cm.ask.status(ctx, product)
	if err != nil {
		return cm.ask.productGone(ctx, product, err)
	}
	images, err := cm.ask.allImages(ctx, product)
	if err != nil {
		return err
	}
	if published := s.Record.Published; published != nil {
		images = view.OfFolder(images, len(published.Frames))
	}
	if len(images) == 0 {
		return cm.owe(s, images, status.Because(status.Incomplete))
	}
	if !answer.Finished() {
		since, waits := cm.waitsForForeign(upload{product, answer.SourceRevision})
		if waits {
			return outcome.Later(cm.ask.nextPoll(product, since), status.Because(status.UnknownUpload), nil)
		}
	}
	if s.Record.Run == nil && s.Record.Published != nil && view.ShowsAs(s.Record.Published, images) {
		return cm.record.try(func(r *syncstate.Record) error {
			r.Doubted, r.Updating = false, r.Updating || !isFound(s)
			return view.NoteImages(r, images)
		})
	}
	published, differs, err := cm.recognise(ctx, product, answer, images)
	foundByPhotos := cm.isOfOthers(s) && !isNamedFor(s)
	switch {
	case errors.Is(err, view.ErrNoSources) && !foundByPhotos:
		differs = &status.Cause{Kind: status.Differs, Text: err.Error()}
	case err != nil:
		return err
	}
	switch {
	case published == nil && foundByPhotos:
		return cm.letGo()
	case published == nil && cm.isOfOthers(s):
		return cm.askToReplace(s, differs)
	case published == nil:
		return cm.owe(s, images, differs)
	}
	return cm.record.change(func(r *syncstate.Record) {
		r.Doubted, r.Updating = false, r.Updating || !isFound(s)
		recordFound(r, published)
	})
}

// isOfOthers reports whether the product that a folder is compared with, and that shows images, was
// made by somebody else: it was found by the folder's name, below a root whose folders are all
// known, or that came while the state file was in use. Below any other, the state file may be new,
// and the product spinsync's own of before.
func (cm comparer) isOfOthers(s plan.Scene) bool {
	root := cm.folder.Root
	return (root.Known.Load() || root.Added) && isFound(s)
}

// isFound reports whether the recorded product is as a list had it: it was found there, and nothing
// was done for it yet.
func isFound(s plan.Scene) bool { return s.Record.Published == nil && s.Record.Run == nil }

// isNamedFor reports whether the recorded product still has the wanted SKU and title.
func isNamedFor(s plan.Scene) bool {
	is := hosting.NewProductName("", s.Record.Product.SKU, s.Record.Product.Title)
	return is == hosting.NewProductName("", s.Facts.Wanted.SKU, s.Facts.Wanted.Title)
}

// askToReplace calls a person to a product that somebody else made and that differs, or to a wrong
// number of frames.
func (cm comparer) askToReplace(s plan.Scene, differs *status.Cause) error {
	if wrong := s.Set.WrongCount(); wrong != nil {
		return outcome.Person(wrong)
	}
	return outcome.Person(status.List(status.OthersView, []status.Cause{*differs}))
}

// letGo gives up a product that somebody else made, for a folder that has another name now.
func (cm comparer) letGo() error {
	return cm.record.change(func(r *syncstate.Record) {
		plan.ClearProduct(r)
		r.Doubted = false
	})
}

// owe records that the product does not show the folder, which is uploaded to it.
func (cm comparer) owe(s plan.Scene, images []apiclient.Image, differs *status.Cause) error {
	before, stand := view.FramesUnder(s.Record, images)
	owed := &syncstate.Run{Frames: askedFrames(s), Before: syncstate.Before{Frames: before}}
	if !stand {
		view.ForgetImages(before)
	}
	return cm.record.change(func(r *syncstate.Record) {
		r.Doubted, r.Updating = false, r.Updating || !isFound(s)
		r.Run = OwedRun(owed)
		if !stand {
			forgetImages(r)
		}
		status.SetState(r, status.Queued, differs)
	})
}

// forgetImages forgets which images the published frames became, with the texts that were sent to
// them.
func forgetImages(r *syncstate.Record) {
	r.Late.AltIntent, r.Late.AltLate = nil, nil
	if r.Published != nil {
		view.ForgetImages(r.Published.Frames)
	}
}

// recordFound records that the product shows exactly the folder's frames.
func recordFound(r *syncstate.Record, published *syncstate.Published) {
	r.Published, r.Run, r.Late.AltIntent, r.Late.AltLate = published, nil, nil, nil
	r.Counts.Settled = len(published.Frames)
	status.SetState(r, status.Published, nil)
}

// recognise returns the published state if a product shows exactly the folder's frames, else the
// difference. The frames must be at rest for that. It fails with view.ErrNoSources where the images
// show no difference, and the service refuses their files.
func (cm comparer) recognise(
	ctx context.Context, product string, answer apiclient.Status, images []apiclient.Image,
) (*syncstate.Published, *status.Cause, error) {
	moves := func(f watcher.File) bool { return !f.Still }
	if slices.ContainsFunc(cm.folder.Snapshot.Frames, moves) {
		return nil, nil, outcome.Later(cm.folder.Root.Rules.StillAt(time.Now()), status.Because(status.LookingAtView), nil)
	}
	if err := cm.folder.ReadFrames(ctx, cm.folder.Snapshot.Frames, true); err != nil {
		return nil, nil, err
	}
	s, err := cm.scene()
	if err != nil {
		return nil, nil, err
	}
	set := s.Set
	switch {
	case set.Problem != nil:
		return nil, set.Problem, nil
	case len(set.Open) > 0 || set.Count() == 0:
		return nil, status.Because(status.Incomplete), nil
	case !answer.Finished():
		return nil, status.Because(status.StillProcessing), nil
	}
	run, images := cm.asRun(s, answer.SourceRevision, images), view.OfFolder(images, set.Count())
	doubt := view.Doubt(images, run)
	if doubt == "" {
		doubt, err = cm.ask.compareSources(ctx, product, run, images)
	}
	if doubt != "" || err != nil {
		return nil, &status.Cause{Kind: status.Differs, Text: doubt}, err
	}
	s.Record.Run = run
	published := view.PublishedOf(s, images)
	published.Found, published.EmbedURL = true, cm.ask.embedURL(ctx, s)
	return published, nil, nil
}

// awaitWholeSet has a folder that is not complete wait for its set: plan goes by awaits. A person
// must see to a wrong number of frames.
func (cm *comparer) awaitWholeSet(s plan.Scene) error {
	cm.awaits = true
	if wrong := s.Set.WrongCount(); wrong != nil {
		return outcome.Person(wrong)
	}
	return nil
}

// asRun is the run that would have published the folder as it is.
func (cm comparer) asRun(s plan.Scene, revision int64, images []apiclient.Image) *syncstate.Run {
	before, _ := view.FramesUnder(s.Record, images)
	run := &syncstate.Run{
		Phase: syncstate.Collecting, Seen: &syncstate.Progress{Revision: revision},
		Images: s.Set.Count(), Marker: markerOf(cm.folder.Snapshot),
		Before: syncstate.Before{Frames: before},
	}
	for _, f := range s.Set.Whole {
		r := cm.folder.Readings[f.Name]
		run.Frames = append(run.Frames, syncstate.RunFrame{
			File: plan.FileOf(f), Stored: otherName(s.Set.Stored[f.Name], f.Name), Digest: r.Digest,
			Captured: r.Captured, Uploaded: true,
		})
	}
	return run
}
