package reading

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
func (p *Folder) isStopped(r *syncstate.Record) bool {
	stopped := status.State(r.State) == status.Attention && r.Trouble == nil && r.DefectKey != ""
	return stopped && r.DefectKey == p.DefectKey(r.Cause)
}

// DefectKey stands for the files as they are, the rules and the reason for which a person must act;
// empty for a folder that is gone.
func (p *Folder) DefectKey(cause *status.Cause) string {
	if !p.Snapshot.Present || p.Snapshot.Err != nil || cause == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", plan.ListingHash(p.Snapshot), p.Root.Digest, cause.Kind))
	return hex.EncodeToString(sum[:8])
}
