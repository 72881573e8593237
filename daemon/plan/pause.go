package plan

import "spinsync/daemon/status"

// planPaused replaces the owed step of a paused folder. The new step may read the folder and change
// the record, and it sends nothing.
func (s Scene) planPaused(owed Step, paused *status.Cause) Step {
	held := Step{Action: Idle, State: status.Paused, Cause: paused}
	if owed.State.OutlastsPause() {
		held.State, held.Cause, held.Detail = owed.State, owed.Cause, owed.Detail
		if owed.Mode == Retold {
			held.Mode = Retold
		}
	}
	switch owed.Action {
	case Idle, Note, ClearAbsence, Forget:
		return owed
	case Wait:
		if owed.State.OutlastsPause() {
			return owed
		}
	case ReadTexts:
		owed.State, owed.Cause = status.Published, nil
		return owed
	case Read:
		if s.Now.Before(s.BlindUntil) {
			held.framesAt = s.BlindUntil
			return held
		}
		owed.State, owed.Cause = held.State, held.Cause
		owed.Mode = InPassing // a failure is no trouble of a paused folder
		return owed
	}
	return s.meanwhile(held)
}
