package plan

import (
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// planContent plans the work on frames: it reads them, compares them with the published ones, and
// sends the missing ones.
func (set FrameSet) planContent() (Step, bool) {
	s := set.scene
	if set.Problem != nil {
		return NeedsPerson(set.Problem), true
	}
	if len(set.Unread) > 0 {
		return s.planReading(Need{Frames: set.Unread}, status.Collecting, status.About(status.Checking, len(set.Unread))), true
	}
	if set.isWatchedAgain() {
		return Step{Action: Wait, State: status.Published}, true
	}
	if len(set.HeldUpBy()) == 0 && s.Record.Doubted && s.Record.Published != nil {
		return stepToReconcile, true
	}
	if s.Record.Run == nil && len(set.HeldUpBy()) == 0 && s.Record.Published != nil {
		switch change := set.compare(s.Record.Published); {
		case len(change.unsure) > 0:
			comparing := status.About(status.Comparing, len(change.unsure))
			return s.planReading(Need{Frames: change.unsure, Digest: true}, status.Collecting, comparing), true
		case change.touched:
			return Step{Action: Note, State: status.Published}, true
		case change.none():
			return Step{}, false
		}
	}
	return set.planRun(), true
}

// isWatchedAgain reports whether the frames are the published ones, and held up only because the
// watcher has not seen them still yet. That happens after a restart, or when a text is added.
func (set FrameSet) isWatchedAgain() bool {
	s := set.scene
	return s.standsPublished() && !s.Record.Doubted && len(set.again) > 0 && len(set.again) == len(set.HeldUpBy())
}

// planRun leads a run from its start to the finish request.
func (set FrameSet) planRun() Step {
	s := set.scene
	if s.Unchecked && s.Record.Run.In(syncstate.Sending) {
		return Step{Action: ConfirmRun, State: status.Uploading, Cause: status.Because(status.CheckingUpload)}
	}
	ready, pending := set.complete()
	count := set.Count()
	switch {
	case pending.State == status.Attention && s.Record.Doubted && count > 0:
		return stepToReconcile // a person may have accepted this number earlier
	case pending.State == status.Attention:
		return pending
	case !ready && !set.streams():
		return pending
	}
	if !ready {
		count = set.expected()
	}
	if next, owed := set.planForm(ready, count); owed {
		return next
	}
	if unsent := set.unsent(); len(unsent) > 0 {
		return Step{
			Action: Upload, State: status.Uploading, Frames: unsent,
			Cause: counted(status.Sending, set.Count()-len(unsent), count),
		}
	}
	if !ready {
		return pending
	}
	return Step{Action: Finish, State: status.Uploading, Cause: status.Because(status.AllSent), Frames: set.Whole}
}

// stepToReconcile comes before any other work on a folder in doubt.
var stepToReconcile = Step{Action: Reconcile, State: status.Processing, Cause: status.Because(status.LookingAtView)}

// planForm makes sure that there is a product and a valid form for exactly these frames.
func (set FrameSet) planForm(ready bool, count int) (Step, bool) {
	s := set.scene
	run := s.Record.Run
	switch {
	case s.Record.Doubted:
		return stepToReconcile, true
	case s.Record.Product.UUID == "" && s.Record.Run == nil && s.Record.Project.Title != s.Facts.Wanted.Project,
		s.Record.Product.UUID == "" && s.Record.Project.UUID == "":
		return Step{Action: FindProject, State: status.Uploading, Cause: status.Because(status.FindingProject)}, true
	case s.Record.Product.UUID == "":
		return Step{Action: Create, State: status.Uploading, Cause: status.Because(status.Creating), Count: count}, true
	case !run.In(syncstate.Sending), set.diverges(), ready && run.Images != count:
		cause := status.Because(status.Reuploading)
		return Step{Action: Reupload, State: status.Uploading, Cause: cause, Count: count}, true
	case set.formExpires(run):
		return Step{Action: EndForm, State: status.Uploading, Cause: status.Because(status.FormTooOld)}, true
	}
	return Step{}, false
}

// planDescription is about all that is not frames: the product's fields and the alt texts.
func (set FrameSet) planDescription() (Step, bool) {
	s := set.scene
	switch {
	case s.FieldsDiffer():
		return Step{Action: Update, State: status.Processing, Cause: status.Because(status.UpdatingFields)}, true
	case s.Facts.Texts.Said == nil:
		need := Need{Frames: set.Whole, Texts: true}
		return s.planReading(need, status.Processing, status.Because(status.ReadingTexts)), true
	}
	if n := max(len(s.Facts.Texts.Changes(s.Record.Published)), len(s.Record.AltIntent)); n > 0 {
		return Step{Action: Describe, State: status.Processing, Cause: status.About(status.SettingTexts, n)}, true
	}
	return Step{}, false
}
