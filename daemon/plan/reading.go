package plan

import (
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// Reading is a standing duty: what is still and unread is read while the folder waits or rests,
// whatever it waits for.

// Blind is why files of a folder cannot be read, and until when they are left alone.
type Blind struct {
	Err   error
	Until time.Time
}

// planReading waits until these files were read, or gives the reason why they cannot be.
func (s Scene) planReading(need Need, state status.State, cause *status.Cause) Step {
	if s.Facts.Blind == nil {
		return Step{Action: Wait, State: state, Cause: cause, Need: need}
	}
	next := unreadable(s.Facts.Blind.Err)
	if o := outcome.Of(s.Facts.Blind.Err); o != nil {
		next.Cause = o.Cause
	}
	next.Action, next.Until, next.Need = Wait, s.Facts.Blind.Until, need
	return next
}

// withReading adds two things to a step that waits or rests: the unread frames, and the time at which
// the frames may be complete. The table signal depends on both. A folder whose work panicked is not
// read before its wait is over: the reading may have been the cause.
func (s Scene) withReading(next Step) Step {
	waits := next.Action == Wait || next.Action == Idle
	if !waits || !s.Facts.Snapshot.Present || s.Facts.Snapshot.Idle || s.Facts.Snapshot.Err != nil || s.Around.Offline != nil ||
		s.Record.Panics > 0 && s.isHeldByTrouble() {
		return next
	}
	if next.Need.None() {
		next.Need.Frames = s.Set.Unread
	}
	switch {
	case !next.Need.None() && s.Facts.Blind != nil:
		next.Need, next.framesAt = Need{}, s.Facts.Blind.Until
	case next.Need.None() && next.State != status.Published:
		next.framesAt = s.Set.awaits.Until
	}
	return next
}
