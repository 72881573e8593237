package daemon

import "spinsync/syncstate"

// A folder that a person puts first goes before all others of its root until it is published as it
// is: a worker takes it first, and its frames get the first upload slots, also before a
// folder that is being shot. It waits and becomes complete like every other folder.

// FollowWishes reads from the record of a folder whether it goes first, and since when it is paused.
func (b *board) FollowWishes(key syncstate.Folder) {
	b.following.Lock()
	defer b.following.Unlock()
	head, err := b.publisher.Records.Store.Head(key)
	if err != nil {
		return
	}
	changed := head.Wishes.Priority != b.priorities.Has(key)
	b.priorities.Set(key, head.Wishes.Priority)
	b.folders.change(key, func(f *folder) bool {
		changed = changed || !f.paused.Equal(head.Wishes.Paused)
		f.paused = head.Wishes.Paused
		return changed
	})
}
