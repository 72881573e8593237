package reading

import (
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// An IdleSnapshot is the snapshot of an idle folder. It is small, because most folders are idle.
type IdleSnapshot struct {
	fingerprint watcher.Fingerprint
	id          volume.FileID
	notTaken    *watcher.NotTaken
}

// IdleSnapshotOf keeps of a snapshot what an idle folder needs.
func IdleSnapshotOf(s watcher.Snapshot) *IdleSnapshot {
	return &IdleSnapshot{s.Fingerprint, s.ID, s.NotTaken}
}

// Of is the snapshot again.
func (s IdleSnapshot) Of(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Idle: true,
		Fingerprint: s.fingerprint, ID: s.id, NotTaken: s.notTaken}
}
