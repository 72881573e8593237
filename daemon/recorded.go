package daemon

import (
	"path/filepath"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// The functions here show what the state file holds, for when no daemon runs.

// RecordedStatus is the status as far as the configuration and a state file have it, without a
// daemon. Started is zero. No root is online; each shows its last volume. Without a state file
// store is nil.
func RecordedStatus(c *config.Config, store *syncstate.Store) (s status.Status, err error) {
	s.Service.URL = c.Service.BaseURL
	ignores := map[string]func(folder string) bool{} // by watched root
	for _, w := range c.Watch {
		if ignores[w.Path], err = ignoring(w); err != nil {
			return s, err
		}
		s.Roots = append(s.Roots, watcher.RootStatus{Path: w.Path, Unread: true, Reason: "no daemon is running"})
	}
	if store == nil {
		return s, nil
	}
	for i, r := range s.Roots {
		record, err := store.Root(r.Path)
		if err != nil {
			return s, err
		}
		s.Roots[i].Volume = volumeOf(record.Volume)
	}
	all, err := syncstate.AllPaused.Read(store)
	if err != nil {
		return s, err
	}
	s.Paused = !all.IsZero()
	for key, record := range store.Heads() {
		if ignored, watched := ignores[key.Root]; watched && !ignored(key.Path) {
			s.Products = append(s.Products, recordedProduct(c, store, all, key, record))
		}
	}
	if err := store.Err(); err != nil {
		return s, err
	}
	s.AccessKeyFields, err = syncstate.AccessKeyFields.Read(store)
	s.Recovery = stillDoubted(s.Products)
	return s, err
}

// recordedProduct is the status of a folder as far as its record has it. All is since when all
// folders are paused.
func recordedProduct(
	c *config.Config, store *syncstate.Store, all time.Time, key syncstate.Folder, r syncstate.Record,
) status.ProductStatus {
	p := status.Pause{Folder: r.Wishes.Paused, All: all}.Over(withState(status.ProductOf(key, r)))
	for _, w := range c.Watch {
		if w.Path == key.Root {
			p.Name = w.Name
		}
	}
	p.Reason = status.Sentence(p.Cause, recordedCommands(c, store, key))
	return p
}

// recordedCommands write commands for the folder of a state file. Its name has the root in front
// where another watched root has a folder of the same name.
func recordedCommands(c *config.Config, store *syncstate.Store, key syncstate.Folder) status.Command {
	return func(verb string) string {
		name := key.Path
		for _, w := range c.Watch {
			twin, err := store.Head(syncstate.Folder{Root: w.Path, Path: key.Path})
			if w.Path != key.Root && err == nil && twin.Shown.State != "" {
				name = filepath.ToSlash(key.Root) + "/" + key.Path
			}
		}
		return status.CommandFor(verb, status.ShellWord(name))
	}
}

// ExportStore calls yield for each known product folder, by root and folder. It holds one folder's
// images at a time. A folder without a product has the name that it recorded, or that its path
// gives by the configured layout. One that sync.toml leaves alone is listed for its product.
func ExportStore(c *config.Config, store *syncstate.Store, yield func(status.ExportedProduct) error) error {
	all, err := syncstate.AllPaused.Read(store)
	if err != nil {
		return err
	}
	return exportStore(c, store, func(key syncstate.Folder, r syncstate.Record) status.ProductStatus {
		return recordedProduct(c, store, all, key, r)
	}, yield)
}

func exportStore(
	c *config.Config, store *syncstate.Store,
	shown func(syncstate.Folder, syncstate.Record) status.ProductStatus, yield func(status.ExportedProduct) error,
) error {
	roots, ignores := map[string]plan.Rules{}, map[string]func(folder string) bool{}
	for _, w := range c.Watch {
		var err error
		if ignores[w.Path], err = ignoring(w); err != nil {
			return err
		}
		roots[w.Path] = plan.RulesOf(w)
	}
	for key := range store.Heads() {
		record, err := store.Record(key)
		if err != nil {
			return err
		}
		if r := roots[key.Root]; record.Product.UUID == "" && len(r.Layout.String()) > 0 && !r.Places(key.Path) {
			continue // a directory that is no product folder
		}
		as := shown(key, record)
		if ignored, watched := ignores[key.Root]; !watched || ignored(key.Path) {
			if record.Product.UUID == "" {
				continue
			}
			as.State, as.Reason = status.Missing, status.Sentence(status.Because(status.LeftAlone), status.AnyFolder)
		}
		exported := status.Exported(as, record)
		if exported.UUID == "" {
			nameBy(&exported, roots[key.Root])
		}
		if err := yield(exported); err != nil {
			return err
		}
	}
	return store.Err()
}

// nameBy fills empty fields from the path. A path that does not fit the layout fills none.
func nameBy(p *status.ExportedProduct, r plan.Rules) {
	named, err := r.ProductOf(p.Folder, config.Product{})
	if err != nil {
		return
	}
	if p.SKU == "" {
		p.Title, p.SKU, p.Manufacturer, p.Year = named.Title, named.SKU, named.Manufacturer, status.Optional(named.Year)
	}
	if p.Project == (status.ExportedProject{}) {
		p.Project.Title = named.Project
	}
}
