package plan

import "spinsync/daemon/status"

// pausedBy is why a paused folder is held; nil for one that is not paused.
func (s Scene) pausedBy() *status.Cause {
	switch {
	case s.Around.AllPaused:
		return status.Because(status.AllPaused)
	case !s.Record.Wishes.Paused.IsZero():
		return status.Because(status.FolderPaused)
	}
	return nil
}

// planPaused replaces the owed step of a paused folder by one that sends nothing. The folder is still
// read, and waits for what it waited for. One that is gone may come back, so that its pause stays.
func planPaused(owed Step, paused *status.Cause) Step {
	switch owed.Action {
	case Idle, Wait, Note, ClearAbsence:
		return owed
	}
	held := Step{Action: Idle, State: status.Paused, Cause: paused}
	if owed.State.OutlastsPause() {
		held.State, held.Cause, held.Detail = owed.State, owed.Cause, owed.Detail
	}
	return held
}
