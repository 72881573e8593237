package daemon

import "spinsync/syncstate"

// A folder that a person puts first goes before all others of its root until it is published as it
// is: a worker takes it first, and its frames get the first upload slots. It yields to a camera,
// waits and becomes complete like every other folder.

// FollowPriority brings the priorities up to date with the record of a folder.
func (b *board) FollowPriority(key syncstate.Folder) {
	b.following.Lock()
	defer b.following.Unlock()
	head, err := b.publisher.Records.Head(key)
	if err != nil || head.Priority == b.priorities.Has(key) {
		return
	}
	b.priorities.Set(key, head.Priority)
	b.folders.changed()
}
