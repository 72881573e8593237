package publish

import (
	"maps"
	"sync"
	"time"

	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher/clock"
)

// cacheTime is how long a mount may show what was there before.
const cacheTime = 90 * time.Second

// Views are what a station of a fleet knows of how fresh its view of each folder is. They outlast the
// station's daemons. All methods may be called on nil, at a computer alone.
type Views struct {
	mu      sync.Mutex
	joined  time.Time // by the clock of this computer that nobody sets
	changed map[syncstate.Folder]time.Time
	seen    map[syncstate.Folder]bool // in this epoch, and since the drive last came back
	away    map[string]bool           // roots whose drive is away
	back    map[string]time.Time      // when the drive of a root came back
}

// NewViews begins when the station does.
func NewViews() *Views {
	return &Views{
		joined: clock.Boot(), changed: map[syncstate.Folder]time.Time{}, seen: map[syncstate.Folder]bool{},
		away: map[string]bool{}, back: map[string]time.Time{},
	}
}

// Changed notes that another station's change of these folders has arrived.
func (v *Views) Changed(folders []syncstate.Folder) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := clock.Boot()
	for folder, at := range v.changed {
		if now.Sub(at) > cacheTime {
			delete(v.changed, folder)
		}
	}
	for _, folder := range folders {
		v.changed[folder] = now
	}
}

// Begin forgets what was seen in an earlier epoch.
func (v *Views) Begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.seen)
}

// Mounted notes whether the drive of a root is there, and reports whether it came back. Then nothing was seen
// yet: it may show what was there before it went.
func (v *Views) Mounted(root string, is bool) (back bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case !is && !v.away[root]:
		v.away[root] = true
		maps.DeleteFunc(v.seen, func(folder syncstate.Folder, _ bool) bool { return folder.Root == root })
	case is && v.away[root]:
		delete(v.away, root)
		v.back[root] = clock.Boot()
		return true
	}
	return false
}

// Believe notes that a folder was seen as it is recorded, or that a person confirmed what is there.
func (v *Views) Believe(folders ...syncstate.Folder) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, folder := range folders {
		if !v.away[folder.Root] {
			v.seen[folder] = true
		}
	}
}

// mayRename reports whether a folder that is gone may be the other one by now. In a copy that is not up to
// date, a renamed folder still has the name that it had before. A folder without a record is seen only
// where a person confirmed it.
func (v *Views) mayRename(gone, now syncstate.Folder) bool {
	if v == nil {
		return true
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen[gone] || v.seen[now]
}

// of is the view of a folder; nil at a computer alone.
func (v *Views) of(folder syncstate.Folder, now time.Time) *plan.View {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	since := v.joined
	for _, later := range []time.Time{v.changed[folder], v.back[folder.Root]} {
		if later.After(since) {
			since = later
		}
	}
	return &plan.View{From: now.Add(cacheTime - clock.Boot().Sub(since)), Seen: v.seen[folder]}
}
