package daemon

import (
	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

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

// ExportStore calls yield for each known product folder, by root and folder. It holds one folder's
// images at a time. A folder without a product has the name that it recorded, or that its path
// gives by the configured layout.
func ExportStore(c *config.Config, store *syncstate.Store, yield func(status.ExportedProduct) error) error {
	return exportStore(c, store, func(key syncstate.Folder, r syncstate.Record) string {
		return status.Sentence(r.Cause, recordedCommands(c, store, key))
	}, yield)
}

func exportStore(
	c *config.Config, store *syncstate.Store,
	reason func(syncstate.Folder, syncstate.Record) string, yield func(status.ExportedProduct) error,
) error {
	roots := map[string]plan.Rules{}
	for _, w := range c.Watch {
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
		exported := status.Exported(key, record)
		exported.Reason = reason(key, record)
		if exported.UUID == "" {
			nameBy(&exported, roots[key.Root])
		}
		if err := yield(exported); err != nil {
			return err
		}
	}
	return store.Err()
}

// Export lists every known product folder with its published images, one call of yield for each, by
// root and folder.
func (d *Daemon) Export(yield func(status.ExportedProduct) error) error {
	return exportStore(d.config, d.Records.Store, d.newestReason, yield)
}

// newestReason is why a folder is in its recorded state. The state file has the cause with which
// the state began.
func (d *Daemon) newestReason(key syncstate.Folder, r syncstate.Record) string {
	d.board.mu.Lock()
	defer d.board.mu.Unlock()
	cause := r.Cause
	if f, ok := d.board.folders[key]; ok && f.status.State == status.State(r.State) {
		cause = f.status.Cause
	}
	return status.Sentence(cause, func(verb string) string { return status.CommandFor(verb, d.board.shellName(key)) })
}
