package plan

import (
	"errors"
	"slices"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/manifest"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Step is the next thing owed for a product folder, with the status to show.
type Step struct {
	Action Action
	Frames []watcher.File // of an upload or finish
	Count  int            // of a create or reupload: how many images to announce
	Need   Need           // of a folder that waits or rests

	State   status.State
	Cause   *status.Cause
	Detail  string    // of the failed request that the cause comes from
	QuietAt time.Time // when the folder has been quiet for long enough, if nothing changes; else zero

	Until    time.Time // of a wait
	framesAt time.Time // of a wait for something else: when the frames may be complete
}

// A Need names the files of a folder to read.
type Need struct {
	Frames []watcher.File
	Digest bool // of the frames, which are read from end to end
	Texts  bool // the alt texts, and nothing else of the frames
}

// None reports whether there is nothing to read.
func (n Need) None() bool { return len(n.Frames) == 0 && !n.Texts }

// Looks reports whether a step only checks the folder: a folder that is collecting and waits is
// watched until its files are at rest.
func (s Step) Looks() bool {
	return Actions[s.Action].looks || !s.Need.None() || s.Action == Wait && s.State == status.Collecting
}

// PutOff is the wait for a time at which the step can be done.
func (s Step) PutOff(until time.Time) Step {
	return Step{Action: Wait, State: s.State, Cause: s.Cause, Until: until}
}

// Due is when an idle or waiting folder is planned again although nothing happened; zero for never.
func (s Step) Due() time.Time {
	switch {
	case s.Action != Wait || s.Until.IsZero():
		return s.framesAt
	case s.framesAt.IsZero() || s.Until.Before(s.framesAt):
		return s.Until
	}
	return s.framesAt
}

// A Scene is everything that plan decides from: a product folder as it is, the work that was done
// for it, and the rules.
type Scene struct {
	Now    time.Time
	Record syncstate.Record
	Facts  Facts
	Set    Set // by Judge, of the three above
	Around Around

	Clock       time.Duration   // what to add to now for the service's clock
	Unchecked   bool            // an earlier process began the run, and it was not compared with the service yet
	UnderWay    map[string]bool // frames that are being sent
	Lookalikes  bool            // products on the service may be the folder's; its whole set is compared with them
	LongestPoll time.Duration
}

// Around is the part of a scene that lies outside of the folder.
type Around struct {
	AllPaused  bool
	Offline    *status.Cause // why nothing below the root can be read at present
	Unsure     status.Kind   // why a person is asked whether a view may be deleted; empty for no reason
	MaybeMoved bool          // a folder that is gone may be there under another name
	MayStandIn string        // a root in which it may be, unreadable or not read since; empty for none
	SharedWith string        // another folder that has the same product by the state file; empty for none
}

// Next decides the next step. It is pure: the same scene gives the same step.
func Next(s Scene) Step {
	if s.Facts.Outside {
		return s.planDirectory()
	}
	next := s.PlanOwed()
	if paused := s.pausedBy(); paused != nil {
		next = planPaused(next, paused)
	}
	return s.withReading(next)
}

// PlanOwed plans the owed step of a folder as if it were not paused.
func (s Scene) PlanOwed() Step {
	switch {
	case s.Around.SharedWith != "" && s.Record.Absence.Removal != syncstate.RemovalForget:
		return NeedsPerson(&status.Cause{Kind: status.SharedProduct, Name: s.Around.SharedWith})
	case s.isHeldByTrouble():
		return s.PlanTrouble()
	case s.Record.Run.IsBound():
		return s.planFinished()
	case !s.Facts.Snapshot.Present:
		return s.planAbsent()
	case s.Record.Absence.Removal != "" || !s.Record.Absence.Verified.IsZero():
		return Step{Action: ClearAbsence, State: status.Collecting, Cause: status.Because(status.Back)}
	case DriveAway(s.Facts.Snapshot):
		away := &status.Cause{
			Kind: status.DriveAway, Text: s.Facts.Snapshot.Err.Error(), Remedy: status.HowToAccept(s.Facts.Snapshot.Root),
		}
		return Step{Action: Idle, State: status.Retrying, Cause: away}
	case s.Facts.Snapshot.Err != nil:
		return s.planUnreadable()
	case !s.Record.Absence.DeleteSent.IsZero():
		return Step{Action: ConfirmDelete, State: status.Processing, Cause: status.Because(status.BackSeeking)}
	case s.Facts.Unidentified != nil:
		return s.planUnidentified()
	case restsPublished(s.Facts, s.Record):
		return s.idlePublished() // a request for more refreshes the snapshot first
	case s.Record.Wishes.Verify && s.Record.Published != nil && s.Record.Run == nil:
		return Step{Action: Verify, State: status.Processing, Cause: status.Because(status.LookingForView)}
	}
	next, owed := s.planContent()
	if !owed {
		next, owed = s.planDescription()
	}
	switch {
	case !owed:
		return s.idlePublished()
	case s.Around.Offline != nil:
		return Step{Action: Wait, State: status.Retrying, Cause: s.Around.Offline, Until: s.Now.Add(offlinePause)}
	}
	return next
}

// idlePublished is the step of a folder for which nothing is owed. The status shows when it has
// another number of frames than a full turn, but calls no person: a person accepted it as it is, or
// gave the number after the publication.
func (s Scene) idlePublished() Step {
	expected, published := s.Record.Counts.Expected, s.Record.Published
	if !s.Facts.Snapshot.Idle {
		expected = s.Facts.Rules.FullTurn(s.Facts.Snapshot.Frames)
	}
	if expected == 0 || expected == published.Images {
		return Step{Action: Idle, State: status.Published}
	}
	return Step{Action: Idle, State: status.Published, Cause: counted(status.OtherNumber, published.Images, expected)}
}

// isHeldByTrouble reports whether a recorded failure still holds the folder back. A failure that
// waits for a person is over as soon as the folder has another content. A wait is over when the
// clock was set back since it began, because the time that has passed is not known.
func (s Scene) isHeldByTrouble() bool {
	t := s.Record.Trouble
	switch {
	case t == nil:
		return false
	case t.Kind == syncstate.NeedsPerson:
		return s.Facts.IsContent(t.Content)
	case t.Kind == syncstate.RetriedAndShown && s.Facts.Snapshot.Present && !s.Facts.IsContent(t.Content):
		return false
	}
	return !s.Now.Before(t.At) && t.Tries.Wait(s.Now, max(outcome.LongestRetry, s.LongestPoll))
}

// PlanTrouble is the step of a folder that its recorded trouble holds back.
func (s Scene) PlanTrouble() Step {
	t := s.Record.Trouble
	next := Step{Action: Wait, State: status.Attention, Cause: t.Cause, Detail: t.Detail, Until: t.Tries.Next}
	switch t.Kind {
	case syncstate.NeedsPerson:
		next.Action = Idle
	case syncstate.Retried:
		next.State = status.Retrying
	}
	return next
}

// planFinished sees a run through after its finish was sent. The folder's content plays no part any
// more: what arrives later belongs to the next run.
func (s Scene) planFinished() Step {
	run := s.Record.Run
	state := Step{State: status.Processing, Cause: status.About(status.AtWork, len(run.Frames))}
	switch {
	case run.Phase == syncstate.Finishing:
		state.Action = ConfirmFinish
	case run.Phase == syncstate.Collecting:
		state.Action = Collect
	case run.Looks.Wait(s.Now, s.LongestPoll):
		state.Action, state.Until = Wait, run.Looks.Next
	default:
		state.Action = Poll
	}
	return state
}

// Again is the wait of a folder that is planned again then.
func Again(at time.Time) Step { return Step{Action: Wait, State: status.Queued, Until: at} }

// NeedsPerson is the step of a folder that waits for a person.
func NeedsPerson(cause *status.Cause) Step {
	return Step{Action: Idle, State: status.Attention, Cause: cause}
}

// WithNotes is the cause of a published folder together with its smaller defects: photos that are
// no frames, a number that is missing among the frames, the folder whose photos it has, and
// sidecars that make no sense. It is nil for nothing.
func (s Scene) WithNotes(known *status.Cause, problems []alttext.Problem) *status.Cause {
	var parts []status.Cause
	if known != nil {
		parts = append(parts, *known)
	}
	parts = append(parts, notTaken(s.Facts.Snapshot)...)
	if gap := manifest.Gap(publishedNames(s.Record.Published)); gap != "" {
		parts = append(parts, status.Cause{Kind: status.NumberMissing, Text: gap})
	}
	if p := s.Record.Published; p != nil && p.PhotosOf != "" {
		parts = append(parts, status.Cause{Kind: status.PhotosOf, Name: p.PhotosOf})
	}
	switch {
	case s.Facts.Snapshot.Idle: // its sidecars were not read again
		parts = append(parts, partsOf(s.Record.Shown.Cause, status.TextProblems)...)
	case len(problems) > 0:
		parts = append(parts, status.Cause{Kind: status.TextProblems, Text: ProblemsInShort(problems)})
	}
	if len(parts) == 0 {
		return nil
	}
	return &status.Cause{Kind: status.WithNotes, Parts: parts}
}

// ShowsProblem reports whether people see this problem of the alt texts beside the folder.
func (s Scene) ShowsProblem(text string) bool {
	is := func(p status.Cause) bool { return p.Text == text }
	return slices.ContainsFunc(partsOf(s.Record.Shown.Cause, status.TextProblems), is)
}

// partsOf are the parts of one kind.
func partsOf(cause *status.Cause, kind status.Kind) (parts []status.Cause) {
	if cause != nil {
		parts = slices.DeleteFunc(slices.Clone(cause.Parts), func(p status.Cause) bool { return p.Kind != kind })
	}
	return parts
}

func publishedNames(published *syncstate.Published) (names []string) {
	if published == nil {
		return nil
	}
	for _, f := range published.Frames {
		names = append(names, f.Name)
	}
	return names
}

// BeginsReupload reports whether a reupload starts from the present state of the service. Otherwise
// the readings of the earlier run serve.
func (s Scene) BeginsReupload() bool {
	return s.Record.Run == nil || s.Record.Run.Phase == syncstate.Owed || s.Unchecked
}

// FieldsDiffer reports whether the product's fields are not known to be as wanted.
func (s Scene) FieldsDiffer() bool {
	return s.Record.Updating || !s.Facts.Wanted.SameFields(s.Record.Product)
}

// DriveAway reports whether a folder cannot be read because its drive is away.
func DriveAway(s watcher.Snapshot) bool {
	_, is := errors.AsType[*watcher.MountError](s.Err)
	return is
}
