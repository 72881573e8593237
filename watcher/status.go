package watcher

import (
	"maps"
	"slices"
	"sync"

	"spinsync/watcher/volume"
)

// statusBox hands the status of a root to other goroutines.
type statusBox struct {
	mu     sync.Mutex
	s      RootStatus
	mounts map[string]volume.Identity // never changed, only replaced
	aside  []string                   // likewise
	news   chan<- struct{}            // holds one: the status of some root is another one
}

// set sends no news of the counts that grow with each folder of a reading.
func (b *statusBox) set(s RootStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.s
	before.Folders, before.Watches = s.Folders, s.Watches
	b.s = s
	if s != before {
		b.announce()
	}
}

func (b *statusBox) setMount(dir string, v volume.Identity) {
	b.changeMounts(func(mounts map[string]volume.Identity) { mounts[dir] = v })
}

func (b *statusBox) dropMount(dir string) {
	b.changeMounts(func(mounts map[string]volume.Identity) { delete(mounts, dir) })
}

func (b *statusBox) changeMounts(change func(map[string]volume.Identity)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mounts := maps.Clone(b.mounts) // others read it
	change(mounts)
	b.mounts = mounts
	b.announce()
}

// setAside notes which folders are set aside.
func (b *statusBox) setAside(folders []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(b.aside, folders) {
		b.aside = folders
		b.announce()
	}
}

func (b *statusBox) getAside() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.aside
}

func (b *statusBox) announce() {
	select {
	case b.news <- struct{}{}:
	default:
	}
}

func (b *statusBox) get() RootStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.s
}

func (b *statusBox) getMounts() map[string]volume.Identity {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mounts
}
