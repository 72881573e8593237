package daemon

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// roots are the watched roots by their paths.
type roots map[string]*reading.Root

func newRoot(w config.Watch, store *syncstate.Store) (*reading.Root, error) {
	remembered, err := store.Root(w.Path)
	if err != nil {
		return nil, err
	}
	ignores, err := ignoring(w)
	if err != nil {
		return nil, err
	}
	rules := plan.RulesOf(w)
	r := &reading.Root{
		Path: w.Path, Poll: w.Poll, Name: w.Name, Rules: rules, Digest: rules.Digest(w), Ignores: ignores,
		Volume: volumeOf(remembered.Volume), Mounts: mountsOf(remembered.Mounts), Aside: asideOf(remembered.Aside),
		Met:     remembered.Volume != "",
		Added:   remembered.Added,
		Readers: make(chan struct{}, reading.ReadersPerRoot),
	}
	r.Known.Store(remembered.Known)
	if w.Products != "" {
		r.Products = products.New(w.Path, w.Products, rules.Settle)
	}
	return r, nil
}

// ignoring finds the product folders that the configuration leaves alone. Nobody is shown them, and
// nothing waits for them. Their records stay for when they are no longer ignored, or get another name.
func ignoring(w config.Watch) (ignores func(folder string) bool, err error) {
	rules, err := names.New(w.Include, products.Ignored(w), w.Marker)
	return func(folder string) bool {
		return watcher.Level(folder) == w.Layout.Depth() && rules.HiddenAnywhere(folder)
	}, err
}

// Places are where product folders belong, by the path of their root, with the names of the layout's
// fields: /srv/shoots/project/sku.
func (d *Daemon) Places() map[string]string {
	places := map[string]string{}
	for root, r := range d.board.roots {
		places[root] = filepath.Join(root, r.Rules.Layout.Example())
	}
	return places
}

// rememberVolumes records the volumes of the roots, the drives that are mounted below them, and the
// folders that wait for their drive.
// After a restart too, another drive at the same place, or none, is then noticed.
func (all roots) rememberVolumes(w *watcher.Watcher, records *publish.Records) {
	for _, status := range w.Roots() {
		r := all[status.Path]
		volume, mounts, aside := r.Volume, w.Mounts(status.Path), w.Aside(status.Path)
		if status.Online {
			volume = status.Volume
		}
		if r.Met && volume == r.Volume && maps.Equal(mounts, r.Mounts) && slices.Equal(aside, r.Aside) {
			continue
		}
		err := records.Store.UpdateRoot(status.Path, func(record *syncstate.RootRecord) error {
			record.Volume, record.Mounts, record.Aside = volumeText(volume), recordedMounts(mounts), recordedAside(aside)
			record.Known, record.Added = record.Known || r.Known.Load(), r.Added
			return nil
		})
		if err != nil {
			records.Failed(err)
			return
		}
		r.Met, r.Volume, r.Mounts, r.Aside = true, volume, mounts, aside
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

// recordedAside is how the folders are recorded that wait for their drive.
func recordedAside(folders []string) (recorded [][]byte) {
	for _, folder := range folders {
		recorded = append(recorded, []byte(folder))
	}
	return recorded
}

// asideOf reads what recordedAside wrote.
func asideOf(recorded [][]byte) (folders []string) {
	for _, folder := range recorded {
		folders = append(folders, string(folder))
	}
	return folders
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

// away are the roots that could not be read since the start, by their states.
func (all roots) away(states []watcher.RootStatus) map[*reading.Root]bool {
	away := map[*reading.Root]bool{}
	for _, r := range states {
		if !r.Online && r.LastRead.IsZero() {
			away[all[r.Path]] = true
		}
	}
	return away
}

// productsLooked reports whether the products file of every readable root was read, or is held by
// another program.
func (all roots) productsLooked(readable func(root string) bool) bool {
	for _, r := range all {
		if r.Products != nil && !r.Products.Ready() && readable(r.Path) {
			return false
		}
	}
	return true
}
