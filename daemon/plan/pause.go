package plan

import "spinsync/daemon/status"

// planPaused replaces the owed step of a paused folder. The new step may read the folder and change
// the record, and it sends nothing.
func (s Scene) planPaused(owed Step, paused *status.Cause) Step {
	held := Step{Action: Idle, State: status.Paused, Cause: paused}
	if owed.State.OutlastsPause() {
		held.State, held.Cause, held.Detail = owed.State, owed.Cause, owed.Detail
	}
	held.looks = owed.looks
	switch owed.Action {
	case Idle, Note, ClearAbsence, Forget:
		return owed
	case Wait:
		if owed.State.OutlastsPause() {
			return owed
		}
		held.Need = owed.Need
		if owed.Need.Texts {
			held.State, held.Cause = status.Published, nil
		}
	}
	return held
}
