package publish

import (
	"cmp"
	"context"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// A starter announces the runs of one folder to the service, and has them start over.
type starter struct {
	record *ledger
	ask    *requests
	frames frameSender
	pace   pace
}

// startOver gives up the sent frames, so that the folder is uploaded again. The pauses before that
// grow, and after a few times in a row a person is asked: another computer may upload to the same
// view, or the service may list other images each time.
func (st starter) startOver(run *syncstate.Run, because string) error {
	again := OwedRun(run)
	again.Setbacks.Overtaken++
	if err := st.record.change(func(r *syncstate.Record) { r.Run = again }); err != nil {
		return err
	}
	why := &status.Cause{Kind: status.Overtaken, Text: because}
	if pause, patient := st.pace.tries(again.Setbacks.Overtaken); patient {
		return outcome.Later(time.Now().Add(pause), why, nil)
	}
	why.Remedy = "see that nobody else uploads to this view, or " + outcome.AskSupport + ", then " + status.RetryCommand
	return outcome.Person(why)
}

// OwedRun is a reupload that has not begun: a reshoot, or one in place of a given run. It uploads
// the folder even if the same frames are recorded as published. It keeps the frames of the given
// run: the folder is known by them under another name.
func OwedRun(given *syncstate.Run) *syncstate.Run {
	run := &syncstate.Run{Reupload: true}
	if given != nil {
		run.Before.Frames, run.Setbacks.Overtaken, run.GivenUp = given.Before.Frames, given.Setbacks.Overtaken, given.GaveUpForm()
		for _, f := range given.Frames {
			f.Uploaded = false
			run.Frames = append(run.Frames, f)
		}
	}
	return run
}

// startReupload asks for a new upload form of a product that exists. It serves a reshoot, a folder
// that changed during a run, a form that expired or got lost: until the finish request an upload
// binds nothing, so a run that is given up leaves nothing behind.
func (st starter) startReupload(ctx context.Context, s plan.Scene, next plan.Step) error {
	run := s.Record.Run
	if s.BeginsReupload() {
		begun, err := st.beginReupload(ctx, s)
		if begun == nil || err != nil {
			return err
		}
		run = begun
	}
	err := st.record.change(func(r *syncstate.Record) {
		r.Run = withoutForm(run, askedFrames(s), next.Count)
		if s.FieldsDiffer() {
			noteUpdating(r, s.Facts.Wanted)
		}
	})
	if err != nil {
		return err
	}
	if s.BeginsReupload() {
		st.record.checked()
	}
	st.frames.reset()
	form, err := st.ask.reupload(ctx, s.Record.Product.UUID, changedFields(s), next.Count)
	if err != nil {
		return err
	}
	return st.record.change(func(r *syncstate.Record) {
		r.Product, r.Updating = s.Facts.Wanted.WithUUID(r.Product.UUID), false
		r.Run.Phase, r.Run.Form = syncstate.Sending, hosting.FormOf(form)
	})
}

// withoutForm is the run as it asks for a form for these frames: what went under its old form is
// dropped.
func withoutForm(run *syncstate.Run, frames []syncstate.RunFrame, images int) *syncstate.Run {
	return &syncstate.Run{
		Phase: syncstate.FormWanted, Reupload: true, Started: time.Now(), Images: images, Frames: frames,
		GivenUp: run.GaveUpForm(), Setbacks: run.Setbacks,
		Before: run.Before, Doubt: run.Doubt,
	}
}

// beginReupload reads the state of the service before anything is changed there: the revision,
// which is not ours, and the alt texts, which would be lost with the old images. Where the images
// are not those of the recorded publication, it begins no run: the state file may be an old one, so
// the folder is compared first.
func (st starter) beginReupload(ctx context.Context, s plan.Scene) (*syncstate.Run, error) {
	status, err := st.ask.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return nil, st.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	images, err := st.ask.images(ctx, s)
	if err != nil {
		return nil, err
	}
	if s.Record.Run == nil && s.Record.Published != nil && isOfAnotherUpload(s.Record.Published, images) {
		return nil, st.doubt(s, images)
	}
	st.ask.agree()
	run := OwedRun(s.Record.Run)
	run.Before.Print, run.Before.Frames = view.Fingerprint(images), view.FramesBefore(s, images)
	if s.Record.Published != nil || len(images) > 0 {
		run.Before.Revision, run.Doubt = revisionBefore(s, status)
	}
	return run, nil
}

// revisionBefore is the revision that a product had before a run. One that is not finished may be
// that of an announcement without an answer, which the run's own upload gets, or that of somebody
// else's upload: then the run is in doubt, and the files that are there in the end decide.
func revisionBefore(s plan.Scene, now apiclient.Status) (before *int64, doubt bool) {
	switch run := s.Record.Run; {
	case now.Finished():
		return &now.SourceRevision, false
	case run != nil && run.Before.Revision != nil:
		before = run.Before.Revision
	case s.Record.Published != nil:
		before = &s.Record.Published.Revision
	default:
		return nil, true
	}
	return before, *before != now.SourceRevision
}

// doubt has the folder compared with images that are not those of its publication. A list of an
// earlier revision may be behind, and counts only once it has lasted.
func (st starter) doubt(s plan.Scene, images []apiclient.Image) error {
	earlier := func(i apiclient.Image) bool { return i.SourceRevision < s.Record.Published.Revision }
	if slices.ContainsFunc(images, earlier) && st.ask.mayBeBehind(s.Record.Product.UUID) {
		return outcome.Later(time.Now().Add(hosting.SearchPause(2)), status.Because(status.LookingAtView), nil)
	}
	return st.record.change(func(r *syncstate.Record) { r.Doubted = true })
}

// isOfAnotherUpload reports whether images are of another revision than the published one, which is
// nil for none.
func isOfAnotherUpload(published *syncstate.Published, images []apiclient.Image) bool {
	return slices.ContainsFunc(images, func(i apiclient.Image) bool {
		return published == nil || i.SourceRevision != published.Revision
	})
}

// noteUpdating records that the product is about to get fields. Those that it has until then, or may
// get without an answer, are emptied once they are not wanted any more.
func noteUpdating(r *syncstate.Record, wanted plan.Product) {
	r.Updating = true
	r.Product.Manufacturer = cmp.Or(wanted.Manufacturer, r.Product.Manufacturer)
	r.Product.Year = cmp.Or(wanted.Year, r.Product.Year)
}

// changedFields are those that the product may not have as wanted. Where it may have others than
// recorded, what others wrote into a field that the folder does not give stays.
func changedFields(s plan.Scene) apiclient.ProductUpdate {
	have := s.Record.Product
	var u apiclient.ProductUpdate
	set := func(field **string, want, have string) {
		if s.Record.Updating && want != "" || want != have {
			*field = &want
		}
	}
	set(&u.Title, s.Facts.Wanted.Title, have.Title)
	set(&u.SKU, s.Facts.Wanted.SKU, have.SKU)
	set(&u.Manufacturer, s.Facts.Wanted.Manufacturer, have.Manufacturer)
	set(&u.Year, s.Facts.Wanted.Year, have.Year)
	return u
}

// confirmRun checks whether a run whose finish was not sent is still valid. If it is not, the next
// plan begins another.
func (st starter) confirmRun(ctx context.Context, s plan.Scene) error {
	moved, err := st.movedOn(ctx, s)
	if err != nil {
		return err
	}
	if moved {
		return st.startOver(s.Record.Run, "the service knows a newer upload than the state file")
	}
	st.record.checked()
	return nil
}

// movedOn reports whether the product was uploaded to since the run began.
func (st starter) movedOn(ctx context.Context, s plan.Scene) (bool, error) {
	product, run := s.Record.Product.UUID, s.Record.Run
	images, err := st.ask.images(ctx, s)
	if err != nil {
		return false, err
	}
	if view.Fingerprint(images) != run.Before.Print {
		return true, nil
	}
	if run.Before.Revision == nil {
		return false, nil
	}
	status, err := st.ask.status(ctx, product)
	if err != nil {
		return false, st.ask.productGone(ctx, product, err)
	}
	// Some services raise the revision already when a reupload is announced, but it is not finished
	// then.
	return status.Finished() && status.SourceRevision != *run.Before.Revision, nil
}
