package plan

import (
	"slices"
	"time"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// saidBefore reports whether a person was told of these very files, for this very reason.
func (s Scene) saidBefore(cause *status.Cause) bool { return s.Stopped && s.Record.Cause.Same(cause) }

// asBefore keeps the earlier reason on display while unchanged files have not all been judged
// again, or while a step that needed a person is tried again.
func (s Scene) asBefore(g FrameSet, next Step) Step {
	if t := s.Record.Trouble; t != nil && t.Person && (next.Looks() || next.Action == Upload) {
		next.State, next.Cause, next.Detail, next.Before = status.Attention, t.Cause, t.Detail, true
		return next
	}
	if !s.Stopped || next.Action != Wait && !next.Looks() || !s.unjudged(g) {
		return next
	}
	next.State, next.Cause, next.Detail, next.Quiet, next.Before =
		status.Attention, s.Record.Cause, s.Record.Detail, time.Time{}, true
	return next
}

// unjudged reports whether frames are still to be seen at rest, or read.
func (s Scene) unjudged(g FrameSet) bool {
	return len(g.Unread) > 0 || slices.ContainsFunc(s.Snapshot.Frames, func(f watcher.File) bool { return !f.Still })
}
