package daemon

import (
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A pause keeps spinsync from sending anything for a folder. A folder for which nothing is owed
// keeps its state: a shop that reads the export finds its published views there. A folder with work
// owed is told as paused.

// outlastsPause reports whether a pause leaves a folder in this state: spinsync has nothing to do
// for it.
func (s State) outlastsPause() bool { return s == Published || s == Missing || s == Attention }

// planPaused replaces the owed step of a paused folder. The new step may read the folder and change
// the record, and it sends nothing.
func (s scene) planPaused(owed step, paused *status.Cause) step {
	held := step{action: rest, state: Paused, cause: paused}
	if owed.state.outlastsPause() {
		held.state, held.cause, held.detail, held.before = owed.state, owed.cause, owed.detail, owed.before
	}
	switch owed.action {
	case rest, note, welcome, forget:
		return owed
	case wait:
		if owed.state.outlastsPause() {
			return owed
		}
	case readTexts:
		owed.state, owed.cause = Published, nil
		return owed
	case read:
		if s.now.Before(s.blindUntil) {
			held.again = s.blindUntil
			return held
		}
		owed.state, owed.cause, owed.detail = held.state, held.cause, held.detail
		owed.aside = true // a failure is no trouble of a paused folder
		return owed
	}
	return s.meanwhile(held)
}

// pauseRecord pauses a folder in its record.
func pauseRecord(r *syncstate.Record, paused *status.Cause) {
	if !State(r.State).outlastsPause() {
		tellRecorded(r, Paused, paused)
	}
}

// resumeRecord ends the pause of a folder in its record. A folder of which nothing is known from
// before is queued, for this cause.
func resumeRecord(r *syncstate.Record, queued status.Kind) {
	if State(r.State) != Paused {
		return
	}
	before := beforePause(r, queued)
	tellRecorded(r, State(before.State), before.Cause)
	if !before.Since.IsZero() {
		r.Since = before.Since
	}
}

// beforePause is the saved status from before the pause, as far as the record has it. Queued is the
// cause for a folder of which nothing is known from before.
func beforePause(r *syncstate.Record, queued status.Kind) syncstate.Stand {
	switch {
	case r.Before != nil:
		return *r.Before
	case r.Published != nil && r.Run == nil && r.Trouble == nil:
		return syncstate.Stand{State: string(Published), Since: r.Published.At}
	}
	return syncstate.Stand{State: string(Queued), Cause: because(queued)}
}

// notePause records how a folder stood before a pause that begins with this state. An upload begins
// anew after a pause.
func notePause(r *syncstate.Record, state State) {
	switch before := (syncstate.Stand{State: r.State, Cause: r.Cause, Since: r.Since}); {
	case state != Paused:
		r.Before = nil
	case State(r.State) == Uploading:
		before.Since = time.Time{}
		fallthrough
	case r.State != "" && State(r.State) != Paused:
		r.Before = &before
	}
}
