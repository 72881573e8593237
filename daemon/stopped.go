package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A defect in its files can keep a folder from being published. The daemon finds the defect once
// the files have been still, read, and quiet for long enough. A restart must not make the defect
// look solved meanwhile: as long as the files and the rules are the same, people see the earlier
// reason.

// isStopped reports whether the folder is still as it was when its recorded reason was told to a
// person.
func (j *job) isStopped(r *syncstate.Record) bool {
	return State(r.State) == Attention && r.Trouble == nil && r.Stopped != "" && r.Stopped == j.stop(r.Cause)
}

// stop stands for the files as they are, the rules and the reason for which a person must act;
// empty for a folder that is gone.
func (j *job) stop(cause *status.Cause) string {
	if !j.snapshot.Present || j.snapshot.Err != nil || cause == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", listing(j.snapshot), j.root.digest, cause.Kind))
	return hex.EncodeToString(sum[:8])
}

// recordStop records the stop of a folder that came to wait for a person. A folder that is not
// there, perhaps because its drive is away, has no files to judge by.
func (j *job) recordStop(s scene, last step) step {
	if last.state != Attention || last.action != rest || s.record.Trouble != nil || !j.snapshot.Present {
		return last
	}
	stop := j.stop(last.cause)
	if stop == s.record.Stopped {
		return last
	}
	if err := j.updatePatiently(func(r *syncstate.Record) error { r.Stopped = stop; return nil }); err != nil {
		return j.notRecorded(err)
	}
	return last
}

// saidBefore reports whether a person was told of these very files, for this very reason.
func (s scene) saidBefore(cause *status.Cause) bool { return s.stopped && s.record.Cause.Same(cause) }

// asBefore keeps the earlier reason on display while unchanged files have not all been judged
// again, or while a step that needed a person is tried again.
func (s scene) asBefore(g gathering, next step) step {
	if t := s.record.Trouble; t != nil && t.Person && (next.looks() || next.action == upload) {
		next.state, next.cause, next.detail, next.before = Attention, t.Cause, t.Detail, true
		return next
	}
	if !s.stopped || next.action != wait && !next.looks() || !s.unjudged(g) {
		return next
	}
	next.state, next.cause, next.detail, next.quiet, next.before =
		Attention, s.record.Cause, s.record.Detail, time.Time{}, true
	return next
}

// unjudged reports whether frames are still to be seen at rest, or read.
func (s scene) unjudged(g gathering) bool {
	return len(g.unread) > 0 || slices.ContainsFunc(s.snapshot.Frames, func(f watcher.File) bool { return !f.Still })
}
