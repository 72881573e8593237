package plan

import (
	"slices"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// planContent plans the work on frames: it reads them, compares them with the published ones, and
// sends the missing ones.
func (g FrameSet) planContent() (Step, bool) {
	s := g.scene
	if g.Problem != nil {
		return NeedsPerson(g.Problem), true
	}
	if len(g.Unread) > 0 {
		return g.planReading(), true
	}
	if g.isWatchedAgain() {
		return Step{Action: Wait, State: status.Published}, true
	}
	if len(g.Unsettled()) == 0 && s.Record.Unreconciled && s.Record.Product.UUID != "" {
		return stepToReconcile, true
	}
	if s.Record.Run == nil && len(g.Unsettled()) == 0 && s.Record.Published != nil {
		switch change := g.compare(s.Record.Published); {
		case len(change.unsure) > 0:
			return Step{
				Action: Read, State: status.Collecting, Cause: status.About(status.Comparing, len(change.unsure)),
				Frames: change.unsure, Digest: true,
			}, true
		case change.touched:
			return Step{Action: Note, State: status.Published}, true
		case change.none():
			return Step{}, false
		}
	}
	return g.planRun(), true
}

// isWatchedAgain reports whether the frames are the published ones, and unsettled only because the
// watcher has not seen them at rest yet. That happens after a restart, or when a text comes beside
// them.
func (g FrameSet) isWatchedAgain() bool {
	s := g.scene
	return s.standsPublished() && !s.Record.Unreconciled && len(g.again) > 0 && len(g.again) == len(g.Unsettled())
}

// planReading reads the frames that are not known to be whole. A set that was sent stays uploading
// while it is read once more.
func (g FrameSet) planReading() Step {
	s := g.scene
	next := Step{
		Action: Read, State: status.Collecting, Cause: status.About(status.Checking, len(g.Unread)),
		Frames: g.Unread, Digest: s.evidence().wantsDigest(g.Unread),
	}
	if next.Digest && g.allSent(s.framesOf(s.Snapshot.Frames).expected()) {
		next.State, next.Cause = status.Uploading, status.About(status.ComparingSent, len(g.Unread))
	}
	return next
}

// wantsDigest reports whether a reading is to compare frames with the bytes that were sent early.
func (e evidence) wantsDigest(unread []watcher.File) bool {
	return slices.ContainsFunc(unread, e.sentEarly)
}

// planRun leads a run from its start to the finish request.
func (g FrameSet) planRun() Step {
	s := g.scene
	if s.Resumed && s.Record.Run.In(syncstate.Sending) {
		return Step{Action: Resume, State: status.Uploading, Cause: status.Because(status.CheckingUpload)}
	}
	ready, pending := g.complete()
	count := g.Count()
	switch {
	case !ready && pending.State == status.Attention && s.Record.Unreconciled && count > 0:
		return stepToReconcile // a person may have accepted this number earlier
	case !ready && pending.State == status.Attention:
		return pending
	case !ready && !g.streams():
		return g.planAhead(pending)
	}
	if !ready {
		count = g.expected()
	}
	if next, owed := g.planForm(ready, count); owed {
		return next
	}
	if todo := g.missing(); len(todo) > 0 {
		return Step{
			Action: Upload, State: status.Uploading, Frames: todo, Count: count,
			Cause: counted(status.Sending, g.Count()-len(todo), count),
		}
	}
	if !ready {
		return g.planEarly(pending)
	}
	return Step{Action: Finish, State: status.Uploading, Cause: status.Because(status.AllSent), Frames: g.Whole}
}

// stepToReconcile comes before any other work on an unreconciled folder.
var stepToReconcile = Step{Action: Reconcile, State: status.Processing, Cause: status.Because(status.LookingAtView)}

// planForm makes sure that there is a product and a valid form for exactly these frames.
func (g FrameSet) planForm(ready bool, count int) (Step, bool) {
	s := g.scene
	run := s.Record.Run
	switch {
	case s.Record.Unreconciled:
		return stepToReconcile, true
	case s.Record.Product.UUID == "" && s.Record.Project.UUID == "":
		return Step{Action: FindProject, State: status.Uploading, Cause: status.Because(status.FindingProject)}, true
	case s.Record.Product.UUID == "":
		return Step{Action: Create, State: status.Uploading, Cause: status.Because(status.Creating), Count: count}, true
	case !run.In(syncstate.Sending), g.diverges(), ready && run.Images != count:
		cause := status.Because(status.Reuploading)
		return Step{Action: Reupload, State: status.Uploading, Cause: cause, Count: count}, true
	case g.formExpires(run):
		return Step{Action: EndForm, State: status.Uploading, Cause: status.Because(status.FormTooOld)}, true
	}
	return Step{}, false
}

// planDescription is about all that is not frames: the product's fields and the alt texts.
func (g FrameSet) planDescription() (Step, bool) {
	s := g.scene
	switch {
	case s.Record.Published == nil:
		return Step{}, false
	case s.FieldsDiffer():
		return Step{Action: Update, State: status.Processing, Cause: status.Because(status.UpdatingFields)}, true
	case s.Texts.Said == nil:
		cause := status.Because(status.ReadingTexts)
		return Step{Action: ReadTexts, State: status.Processing, Cause: cause, Frames: g.Whole}, true
	}
	if n := len(s.Texts.Changes(s.Record.Published)); n > 0 || len(s.Record.AltIntent) > 0 {
		return Step{Action: Describe, State: status.Processing, Cause: status.About(status.SettingTexts, n)}, true
	}
	return Step{}, false
}
