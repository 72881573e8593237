package daemon

import (
	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// directory is the newest snapshot of a directory that is no product folder.
func (b *board) directory(key syncstate.Folder) (watcher.Snapshot, bool) {
	if b.roots[key.Root].Rules.Places(key.Path) {
		return watcher.Snapshot{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	switch {
	case !ok:
		return plan.Absent(key), true
	case f.newest != nil:
		return *f.newest, true
	}
	return f.snapshot(), true
}

// toldDirectories are the directories of a root that an earlier process reported.
func (b *board) toldDirectories(root string) []string {
	var all []string
	for key, f := range b.folders {
		if key.Root == root && f.status.Product == "" && !f.root.Rules.Places(key.Path) {
			all = append(all, key.Path)
		}
	}
	return all
}
