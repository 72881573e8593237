package plan

import (
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// planContent plans the work on frames: it reads them, compares them with the published ones, and
// sends the missing ones.
func (s Scene) planContent() (Step, bool) {
	if s.Set.Problem != nil {
		return NeedsPerson(s.Set.Problem), true
	}
	if len(s.Set.Unread) > 0 {
		return s.planReading(Need{Frames: s.Set.Unread}, status.Collecting, status.About(status.Checking, len(s.Set.Unread))), true
	}
	if s.isWatchedAgain() {
		return Step{Action: Wait, State: status.Published}, true
	}
	if len(s.Set.Open) == 0 && s.Record.Doubted && s.Record.Published != nil && s.IsWholeSet() {
		return stepToReconcile, true
	}
	if s.Record.Run == nil && len(s.Set.Open) == 0 && s.Record.Published != nil {
		switch change := s.Set.difference; {
		case len(change.unsure) > 0:
			comparing := status.About(status.Comparing, len(change.unsure))
			return s.planReading(Need{Frames: change.unsure, Digest: true}, status.Collecting, comparing), true
		case change.touched:
			return Step{Action: Note, State: status.Published}, true
		case change.none:
			return Step{}, false
		}
	}
	return s.planRun(), true
}

// isWatchedAgain reports whether the frames are the published ones, and held up only because the
// watcher has not seen them still yet. That happens after a restart, or when a text is added.
func (s Scene) isWatchedAgain() bool {
	return s.standsPublished() && !s.Record.Doubted && s.Set.allAgain
}

// planRun leads a run from its start to the finish request.
func (s Scene) planRun() Step {
	if s.Unchecked && s.Record.Run.In(syncstate.Sending) {
		return Step{Action: ConfirmRun, State: status.Uploading, Cause: status.Because(status.CheckingUpload)}
	}
	ready, pending, count := s.Set.Ready, s.Set.awaits, s.Set.Count()
	switch {
	case pending.State == status.Attention && s.Record.Doubted && count > 0:
		return stepToReconcile // a person may have accepted this number earlier
	case pending.State == status.Attention:
		return pending
	case !ready && !s.streams():
		return pending
	}
	if !ready {
		count = s.Set.Expected
	}
	if next, owed := s.planForm(ready, count); owed {
		return next
	}
	if unsent := s.unsent(); len(unsent) > 0 {
		return Step{
			Action: Upload, State: status.Uploading, Frames: unsent,
			Cause: counted(status.Sending, s.Set.Count()-len(unsent), count),
		}
	}
	if !ready {
		return pending
	}
	return Step{Action: Finish, State: status.Uploading, Cause: status.Because(status.AllSent), Frames: s.Set.Whole}
}

// stepToReconcile comes before any other work on a folder in doubt.
var stepToReconcile = Step{Action: Reconcile, State: status.Processing, Cause: status.Because(status.LookingAtView)}

// planForm makes sure that there is a product and a valid form for exactly these frames.
func (s Scene) planForm(ready bool, count int) (Step, bool) {
	run := s.Record.Run
	switch {
	case s.Record.Doubted:
		return stepToReconcile, true
	case s.Record.Product.UUID == "" && s.Record.Run == nil && s.Record.Project.Title != s.Facts.Wanted.Project,
		s.Record.Product.UUID == "" && s.Record.Project.UUID == "":
		return Step{Action: FindProject, State: status.Uploading, Cause: status.Because(status.FindingProject)}, true
	case s.Record.Product.UUID == "":
		return Step{Action: Create, State: status.Uploading, Cause: status.Because(status.Creating), Count: count}, true
	case !run.In(syncstate.Sending), s.diverges(), ready && run.Images != count:
		cause := status.Because(status.Reuploading)
		return Step{Action: Reupload, State: status.Uploading, Cause: cause, Count: count}, true
	case s.formExpires(run):
		return Step{Action: EndForm, State: status.Uploading, Cause: status.Because(status.FormTooOld)}, true
	}
	return Step{}, false
}

// planDescription is about all that is not frames: the product's fields and the alt texts.
func (s Scene) planDescription() (Step, bool) {
	switch {
	case s.FieldsDiffer():
		return Step{Action: Update, State: status.Processing, Cause: status.Because(status.UpdatingFields)}, true
	case s.Facts.Texts.Said == nil:
		need := Need{Frames: s.Set.Whole, Texts: true}
		return s.planReading(need, status.Processing, status.Because(status.ReadingTexts)), true
	}
	if n := max(len(s.Facts.Texts.Changes(s.Record.Published)), len(s.Record.Late.AltIntent)); n > 0 {
		return Step{Action: Describe, State: status.Processing, Cause: status.About(status.SettingTexts, n)}, true
	}
	return Step{}, false
}

// streams reports whether frames may be sent before the folder is complete. That needs a known
// count, names that need no position in front, and a product without a published revision. A
// reshoot replaces frame by frame, and mixes old and new frames. Once a form was given up, or must
// be, because a frame that may have been sent changed, the next one waits for the whole set. So
// does the comparison with products that were found.
func (s Scene) streams() bool {
	expected, count := s.Set.Expected, s.Set.Count()
	if run := s.Record.Run; run != nil && (run.GivenUp || s.diverges()) {
		return false
	}
	if s.Record.Doubted && (s.Record.Product.UUID != "" || s.Lookalikes) {
		return false
	}
	return s.Set.counted && expected > 1 && count > 0 && count < expected && s.Record.Published == nil && !s.Set.prefixed()
}

// diverges reports whether a frame that may have been sent in this run has changed, is gone, or
// would be stored under another name. Only a new form makes the service forget it. A frame that the
// watcher does not know to be still may yet be as it was sent.
func (s Scene) diverges() bool {
	run := s.Record.Run
	if !run.In(syncstate.Sending) {
		return false
	}
	present := make(map[string]watcher.File, len(s.Facts.Snapshot.Frames))
	for _, f := range s.Facts.Snapshot.Frames {
		present[f.Name] = f
	}
	for _, sent := range run.Frames {
		stored, settled := s.Set.Stored[sent.Name]
		if !sent.Same(FileOf(present[sent.Name])) || settled && stored != StoredName(sent.Stored, sent.Name) {
			return true
		}
	}
	return false
}

// formExpires reports whether the run's form is too old to send the frames that are left.
func (s Scene) formExpires(run *syncstate.Run) bool {
	return len(s.unsent()) > 0 && !run.Form.Expires.IsZero() &&
		s.Now.Add(s.Clock).Add(formMargin).After(run.Form.Expires)
}

// unsent lists the whole frames that the run has not sent yet.
func (s Scene) unsent() []watcher.File {
	sent := make(map[string]bool, len(s.Record.Run.Frames))
	for _, f := range s.Record.Run.Frames {
		sent[f.Name] = f.Uploaded
	}
	var unsent []watcher.File
	for _, f := range s.Set.Whole {
		if !sent[f.Name] && !s.UnderWay[f.Name] {
			unsent = append(unsent, f)
		}
	}
	return unsent
}
