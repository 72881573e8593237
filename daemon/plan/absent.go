package plan

import (
	"cmp"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// gone is the cause that people see for a folder that is gone. A folder without a publication has
// no view.
func (s Scene) gone() *status.Cause {
	switch {
	case s.deletesGone():
		return status.Because(status.GoneForNow)
	case s.Record.Published == nil:
		return status.Because(status.GoneUnpublished)
	}
	return status.Because(status.GoneWithView)
}

// planAbsent plans for a folder that a whole read of a healthy root did not find.
func (s Scene) planAbsent() Step {
	gone := Step{Action: Idle, State: status.Missing, Cause: s.gone()}
	orphan := Step{Action: Abandon, State: status.Processing, Cause: status.Because(status.GoneSeeking)}
	renamed := Step{Action: Wait, State: status.Missing, Until: s.Now.Add(AbsenceSpan), Cause: status.Because(status.GoneOrRenamed)}
	forgotten := s.Facts.Snapshot.Absent.Since.Add(verifyPause)
	switch asked := s.Record.Absence.Removal == syncstate.RemovalAsked; {
	case s.Facts.Snapshot.Absent.Reads == 0:
		return s.whileAway()
	case s.Record.Absence.Removal == syncstate.RemovalForget && s.Around.MaybeMoved:
		return renamed
	case s.Record.Absence.Removal == syncstate.RemovalForget && !s.Record.Run.In(syncstate.Making):
		return Step{Action: Forget, State: status.Missing, Cause: status.Because(status.Gone)}
	case s.mayHaveView() && s.Record.Absence.Removal == "" && s.Now.Before(forgotten):
		return Step{Action: Wait, State: status.Missing, Until: forgotten, Cause: status.Because(status.Gone)}
	case s.Record.Product.UUID == "" && !s.Record.Run.In(syncstate.Making):
		return Step{Action: Forget, State: status.Missing, Cause: status.Because(status.Gone)}
	case s.verificationDue() && (s.Record.Absence.Removal != "" || !s.deletesGone()):
		return Step{Action: Verify, State: status.Missing, Cause: s.gone()}
	case !s.deletesGone() && s.Record.Product.UUID == "":
		return orphan
	case !s.deletesGone():
		gone.Action, gone.Until = Wait, s.Record.Absence.Verified.Add(verifyPause)
		return gone
	case !asked && (s.Facts.Snapshot.Absent.Reads < 2 || s.Now.Sub(s.Facts.Snapshot.Absent.Since) < AbsenceSpan):
		return gone
	case s.Around.MayStandIn != "" && s.Record.Absence.Removal == "" && s.Now.Before(forgotten):
		return Step{Action: Wait, State: status.Missing, Until: s.Now.Add(elsewherePause),
			Cause: &status.Cause{Kind: status.GoneOrElsewhere, Name: s.Around.MayStandIn}}
	case s.Around.MaybeMoved:
		return renamed
	case asked && s.Around.MayStandIn != "":
		return NeedsPerson(&status.Cause{Kind: status.MayDeleteElsewhere, Name: s.Around.MayStandIn})
	case s.Record.AsksToDelete() && s.Record.Doubted:
		return NeedsPerson(status.Because(status.MayDeleteOther))
	case (s.Around.Unsure != "" || s.Around.MayStandIn != "" || s.Record.Doubted) && s.Record.Absence.Removal == "":
		return Step{Action: Ask, State: status.Missing, Cause: status.Because(status.GoneWithOthers)}
	case asked:
		return NeedsPerson(status.Because(cmp.Or(s.Around.Unsure, status.MayDeleteUnsure)))
	case s.Record.Product.UUID == "":
		return orphan
	}
	return Step{Action: Remove, State: status.Processing, Cause: status.Because(status.GoneDeleting)}
}

// deletesGone reports whether to delete the view of a folder that is gone, by the rules or by a
// person's word.
func (s Scene) deletesGone() bool {
	return s.Facts.Rules.DeleteGone || s.Record.Absence.Removal == syncstate.RemovalConfirmed || s.Record.Absence.Removal == syncstate.RemovalWished
}

// mayHaveView reports whether a folder that has no product had frames, and was never compared with
// the service. If it comes back, it may still have a view that the state file does not know.
func (s Scene) mayHaveView() bool {
	r := s.Record
	return r.Product.UUID == "" && r.Run == nil && r.Doubted && !r.Counts.Arrived.IsZero()
}

// asRecorded keeps the recorded state of a folder whose root has been missing since the start. The
// watcher could not read the folder yet.
func (s Scene) asRecorded() Step {
	as := Step{Action: Idle, State: status.State(s.Record.Shown.State), Cause: s.Record.Shown.Cause}
	if as.State == "" {
		as.State = status.Queued
	}
	return as
}

// whileAway plans for a folder of a root that was not read since the start. It only finds out
// whether an unanswered create made a product.
func (s Scene) whileAway() Step {
	as := s.asRecorded()
	if s.Record.Run.In(syncstate.Making) {
		as.Action = Abandon
	}
	return as
}

// verificationDue reports whether it is time to ask whether the service still knows the product of
// a folder that is gone.
func (s Scene) verificationDue() bool {
	age := s.Now.Sub(s.Record.Absence.Verified)
	return s.Record.Product.UUID != "" && (s.Record.Wishes.Verify || age < 0 || age >= verifyPause)
}

// ClearProduct clears the product of a record, so that the daemon makes it again.
func ClearProduct(r *syncstate.Record) {
	r.Product.UUID, r.Run, r.Published, r.Late.AltIntent, r.Late.AltLate = "", nil, nil, nil, nil
	r.Absence.DeleteSent, r.Wishes.Verify = time.Time{}, false
}
