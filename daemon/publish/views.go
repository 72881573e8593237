package publish

import (
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
	seen    map[syncstate.Folder]bool // in this epoch
}

// NewViews begins when the station does.
func NewViews() *Views {
	return &Views{joined: clock.Boot(), changed: map[syncstate.Folder]time.Time{}, seen: map[syncstate.Folder]bool{}}
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

// Believe notes that a folder was seen as it is recorded, or that a person confirmed what is there.
func (v *Views) Believe(folders ...syncstate.Folder) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, folder := range folders {
		v.seen[folder] = true
	}
}

// of is the view of a folder; nil at a computer alone.
func (v *Views) of(folder syncstate.Folder, now time.Time) *plan.View {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	since := v.joined
	if changed := v.changed[folder]; changed.After(since) {
		since = changed
	}
	return &plan.View{From: now.Add(cacheTime - clock.Boot().Sub(since)), Seen: v.seen[folder]}
}
