package plan

import (
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Shown is what people see of the folder while it takes a step; the screen knows since when. A
// call for a person and a published view stay on display while the same files are only checked, as
// after a restart, and a failure while they are read again. One that needs a person stays until the
// step succeeds. A pause is no part of it: a step that a pause holds up changes nothing, and a
// folder that owed nothing before waits for its turn.
func (s Scene) Shown(next Step) syncstate.Shown {
	content, was, t := ContentOf(s.Facts.Snapshot, s.Facts.Settings), s.Record.Shown, s.Record.Trouble
	switch {
	case t != nil && t.Kind == syncstate.RetriedAndShown && next.Action != Idle && s.Facts.IsContent(t.Content):
		next.State, next.Cause, next.Detail = status.Attention, t.Cause, t.Detail
	case !s.Facts.Snapshot.Present && s.Facts.Snapshot.Absent.Reads == 0 && was.State != "" && t == nil && !s.Record.Run.IsBound():
		return was // the folder could not be read yet
	case next.keeps(status.State(was.State)) && s.Facts.IsContent(was.Content):
		return was
	case next.State == status.Paused && was.State != "" && status.State(was.State) != status.Published &&
		(s.Facts.IsContent(was.Content) || !status.State(was.State).OutlastsPause()):
		return was
	case next.State == status.Paused:
		next.State, next.Cause = status.Queued, status.Because(status.Resumed)
	}
	return syncstate.Shown{State: string(next.State), Cause: next.Cause, Detail: next.Detail, Content: content}
}

// keeps reports whether a folder stays in this state during a step, which only checks its files.
func (s Step) keeps(state status.State) bool {
	switch state {
	case status.Attention, status.Published:
		return s.Looks()
	case status.Retrying:
		return !s.Need.None()
	}
	return false
}
