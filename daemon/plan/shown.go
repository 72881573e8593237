package plan

import (
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Shown is what people see of the folder while it takes a step. A person who was called, and a view
// that stands, stay on display while the very same files are only looked at, as after a restart.
// Trouble that a person was told of does so until the step that is tried again succeeds.
func (s Scene) Shown(next Step) syncstate.Shown {
	content, was, t := ContentOf(s.Snapshot, s.Settings), s.Record.Shown, s.Record.Trouble
	lasts := status.State(was.State) == status.Attention || status.State(was.State) == status.Published
	switch {
	case t != nil && t.Kind == syncstate.RetriedAndTold && next.Action != Idle && s.IsContent(t.Content):
		next.State, next.Cause, next.Detail = status.Attention, t.Cause, t.Detail
	case !s.Snapshot.Present && s.Snapshot.Absent.Reads == 0 && was.State != "" && t == nil && !s.Record.Run.IsBound():
		return was // nobody could look for the folder yet
	case next.Looks() && lasts && s.IsContent(was.Content):
		return was
	}
	now := syncstate.Shown{State: string(next.State), Cause: next.Cause, Detail: next.Detail, Content: content, Since: was.Since}
	if now.State != was.State {
		now.Since = status.WholeSecond(s.Now)
	}
	return now
}
