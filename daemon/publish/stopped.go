package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A defect in its files can keep a folder from being published. The daemon finds the defect once
// the files have been still, read, and quiet for long enough. A restart must not make the defect
// look solved meanwhile: as long as the files and the rules are the same, people see the earlier
// reason.

// isStopped reports whether the folder is still as it was when its recorded reason was told to a
// person.
func (j *Job) isStopped(r *syncstate.Record) bool {
	return status.State(r.State) == status.Attention && r.Trouble == nil && r.Stopped != "" && r.Stopped == j.stop(r.Cause)
}

// stop stands for the files as they are, the rules and the reason for which a person must act;
// empty for a folder that is gone.
func (j *Job) stop(cause *status.Cause) string {
	if !j.Snapshot.Present || j.Snapshot.Err != nil || cause == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", plan.ListingHash(j.Snapshot), j.Root.Digest, cause.Kind))
	return hex.EncodeToString(sum[:8])
}

// recordStop records the stop of a folder that came to wait for a person. A folder that is not
// there, perhaps because its drive is away, has no files to judge by.
func (j *Job) recordStop(s plan.Scene, last plan.Step) plan.Step {
	if last.State != status.Attention || last.Action != plan.Rest || s.Record.Trouble != nil || !j.Snapshot.Present {
		return last
	}
	stop := j.stop(last.Cause)
	if stop == s.Record.Stopped {
		return last
	}
	if err := j.updatePatiently(func(r *syncstate.Record) error { r.Stopped = stop; return nil }); err != nil {
		return j.notRecorded(err)
	}
	return last
}
