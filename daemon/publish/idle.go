package publish

import (
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// A IdleSnapshot is an idle snapshot. It is small, because most folders are idle.
type IdleSnapshot struct {
	fingerprint watcher.Fingerprint
	id          volume.FileID
	notTaken    *watcher.NotTaken
}

func IdleSnapshotOf(s watcher.Snapshot) *IdleSnapshot {
	return &IdleSnapshot{s.Fingerprint, s.ID, s.NotTaken}
}

func (s IdleSnapshot) Of(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Idle: true,
		Fingerprint: s.fingerprint, ID: s.id, NotTaken: s.notTaken}
}
