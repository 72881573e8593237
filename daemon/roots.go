package daemon

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// A root is one watched tree with its rules.
type root struct {
	watch    config.Watch
	rules    rules
	digest   string
	products *productsFile              // nil for none
	volume   volume.Identity            // as recorded
	mounts   map[string]volume.Identity // below it, as recorded

	readers chan struct{} // one for each frame that is read
}

// rememberVolumes records the volumes of the roots and the drives that are mounted below them.
// After a restart too, another drive at the same place, or none, is then noticed.
func (d *Daemon) rememberVolumes() {
	for _, status := range d.watcher.Roots() {
		r := d.roots[status.Path]
		volume, mounts := r.volume, d.watcher.Mounts(status.Path)
		if status.Online && !status.LastRead.IsZero() {
			volume = status.Volume
		}
		if volume == r.volume && maps.Equal(mounts, r.mounts) {
			continue
		}
		err := d.store.UpdateRoot(status.Path, func(record *syncstate.RootRecord) error {
			record.Volume, record.Mounts = volumeText(volume), recordedMounts(mounts)
			return nil
		})
		if err != nil {
			d.stateFileFailed(err)
			return
		}
		r.volume, r.mounts = volume, mounts
	}
}

// recordedMounts is how the drives below a root are recorded.
func recordedMounts(mounts map[string]volume.Identity) []syncstate.Mount {
	var recorded []syncstate.Mount
	for _, dir := range slices.Sorted(maps.Keys(mounts)) {
		recorded = append(recorded, syncstate.Mount{Dir: []byte(dir), Volume: volumeText(mounts[dir])})
	}
	return recorded
}

// mountsOf reads what recordedMounts wrote.
func mountsOf(recorded []syncstate.Mount) map[string]volume.Identity {
	mounts := map[string]volume.Identity{}
	for _, m := range recorded {
		mounts[string(m.Dir)] = volumeOf(m.Volume)
	}
	return mounts
}

// strayed reports whether a folder cannot be read for want of the drive that it was on.
func strayed(s watcher.Snapshot) bool {
	_, is := errors.AsType[*watcher.MountError](s.Err)
	return is
}

// volumeText is how a volume is recorded.
func volumeText(v volume.Identity) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a struct of strings and numbers
	}
	return string(text)
}

// volumeOf reads a recorded volume. What cannot be read is unknown.
func volumeOf(text string) volume.Identity {
	var v volume.Identity
	if json.Unmarshal([]byte(text), &v) != nil {
		return volume.Identity{}
	}
	return v
}

// hungRoots are those that the system does not answer for at present.
func (d *Daemon) hungRoots() map[string]bool {
	hung := map[string]bool{}
	for _, r := range d.watcher.Roots() {
		if r.Hung {
			hung[r.Path] = true
		}
	}
	return hung
}

// awayRoots are those that could not be read since the start.
func (d *Daemon) awayRoots() map[*root]bool {
	away := map[*root]bool{}
	for _, r := range d.watcher.Roots() {
		if !r.Online && r.LastRead.IsZero() {
			away[d.roots[r.Path]] = true
		}
	}
	return away
}

// readable reports whether a root is online and was read, or is only now being read for the first
// time.
func (d *Daemon) readable(root string) bool {
	return slices.ContainsFunc(d.watcher.Roots(), func(r watcher.RootStatus) bool {
		return r.Path == root && (r.Online && !r.LastRead.IsZero() || r.Unread)
	})
}

// offlineRoots names all roots that cannot be read, with the remedies, or is "".
func (d *Daemon) offlineRoots() string {
	return strings.Join(Status{Roots: d.rootStatus()}.OfflineRoots(), "; ")
}

// offline says why a root that was read before cannot be read now; nil when it can.
func (d *Daemon) offline(root string) *status.Cause {
	for _, r := range d.rootStatus() {
		if r.Path == root && !r.Online && !r.LastRead.IsZero() {
			return &status.Cause{Kind: status.RootOffline, Said: "the root " + r.Path + " " + r.Reason}
		}
	}
	return nil
}

// goneFrom counts the known product folders that are gone from a root at present.
func (d *Daemon) goneFrom(root string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for key, f := range d.folders {
		if key.Root == root && f.gone {
			n++
		}
	}
	return n
}

func (d *Daemon) onNetwork(root string) bool {
	return slices.ContainsFunc(d.watcher.Roots(), func(r watcher.RootStatus) bool {
		return r.Path == root && r.Network
	})
}
