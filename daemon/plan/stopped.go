package plan

import (
	"slices"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// saidBefore reports whether a person was told of these very files, for this very reason. The words
// in it may have been those of an earlier version of the program.
func (s Scene) saidBefore(cause *status.Cause) bool {
	told := s.Record.Cause
	return s.Stopped && told.Is(cause.Kind) && told.Name == cause.Name
}

// asBefore keeps the earlier reason on display while unchanged files have not all been judged
// again, or while a step that needed a person is tried again.
func (set FrameSet) asBefore(next Step) Step {
	s := set.scene
	t, again := s.Record.Trouble, next.Looks() || next.Action == Upload
	if t != nil && t.Kind == syncstate.RetriedAndTold && again {
		next.State, next.Cause, next.Detail, next.Mode = status.Attention, t.Cause, t.Detail, Retold
		return next
	}
	if !s.Stopped || next.Action != Wait && !next.Looks() || !set.unjudged() {
		return next
	}
	next.State, next.Cause, next.Detail, next.QuietAt, next.Mode =
		status.Attention, s.Record.Cause, s.Record.Detail, time.Time{}, Retold
	return next
}

// unjudged reports whether frames are still to be seen at rest, or read.
func (set FrameSet) unjudged() bool {
	moves := func(f watcher.File) bool { return !f.Still }
	return len(set.Unread) > 0 || slices.ContainsFunc(set.scene.Snapshot.Frames, moves)
}
