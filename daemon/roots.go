package daemon

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	"spinsync/daemon/config"
	"spinsync/daemon/products"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// A root is one watched tree with its rules.
type root struct {
	watch    config.Watch
	rules    rules
	digest   string
	products *products.File             // nil for none
	volume   volume.Identity            // as recorded
	mounts   map[string]volume.Identity // below it, as recorded

	reconciled atomic.Bool // as recorded

	readers chan struct{} // one for each frame that is read
}

func newRoot(w config.Watch, store *syncstate.Store) (*root, error) {
	remembered, err := store.Root(w.Path)
	if err != nil {
		return nil, err
	}
	rules := rulesOf(w)
	r := &root{
		watch: w, rules: rules, digest: rules.digest(w), volume: volumeOf(remembered.Volume),
		mounts: mountsOf(remembered.Mounts), readers: make(chan struct{}, readersPerRoot),
	}
	r.reconciled.Store(remembered.Reconciled)
	if w.Products != "" {
		r.products = products.New(w.Path, w.Products, w.Settle)
	}
	return r, nil
}

// rememberVolumes records the volumes of the roots and the drives that are mounted below them.
// After a restart too, another drive at the same place, or none, is then noticed.
func (d *Daemon) rememberVolumes() {
	for _, status := range d.files.Roots() {
		r := d.board.roots[status.Path]
		volume, mounts := r.volume, d.files.Mounts(status.Path)
		if status.Online && !status.LastRead.IsZero() {
			volume = status.Volume
		}
		if volume == r.volume && maps.Equal(mounts, r.mounts) {
			continue
		}
		err := d.records.UpdateRoot(status.Path, func(record *syncstate.RootRecord) error {
			record.Volume, record.Mounts = volumeText(volume), recordedMounts(mounts)
			return nil
		})
		if err != nil {
			d.records.failed(err)
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

// goneFrom counts the known product folders that are gone from a root at present.
func (b *board) goneFrom(root string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for key, f := range b.folders {
		if key.Root == root && f.gone {
			n++
		}
	}
	return n
}

// awayRoots are those that could not be read since the start.
func (d *Daemon) awayRoots() map[*root]bool {
	away := map[*root]bool{}
	for _, r := range d.files.Roots() {
		if !r.Online && r.LastRead.IsZero() {
			away[d.board.roots[r.Path]] = true
		}
	}
	return away
}
