package daemon

import (
	"reflect"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Status is the status of all roots and folders.
func (d *Daemon) Status() status.Status {
	status, _ := d.StatusSince(status.Status{})
	return status
}

// StatusSince is the status, and whether it is the same as an earlier one. When no folder changed
// since then and no worker had one, it takes the products from the earlier status: at rest it takes
// no time, however many folders there are.
func (d *Daemon) StatusSince(before status.Status) (current status.Status, same bool) {
	current = status.Status{
		Started: d.started, Paused: !d.board.folders.allPaused().IsZero(),
		Service: d.serviceStatus(), Roots: d.files.RootStatus(),
		UploadLimit: d.throttle.Limit(time.Now()), AccessKeyFields: d.service.AccessKeys.Found(),
	}
	current.StateFile = d.unsaved()
	if current.Fleet = d.fleetNow(); current.Fleet != nil && (before.Fleet == nil || before.Fleet.Active != current.Fleet.Active) {
		before = status.Status{} // which shows each folder with another station
	}
	current.Settings, _ = d.settings.Load().(string)
	if d.board.display.list(&current, before) {
		current.Recovery = before.Recovery
		return current, sameBesideProducts(before, current)
	}
	current.Recovery = stillDoubted(current.Products)
	return current, false
}

func sameBesideProducts(a, b status.Status) bool {
	a.Products, b.Products = nil, nil
	return reflect.DeepEqual(a, b)
}

// ShowSettings shows in the status which settings of sync.toml are not in force; empty when all
// are.
func (d *Daemon) ShowSettings(text string) {
	d.settings.Store(status.OneLine(text))
	d.board.folders.changed()
}

// Changed returns a channel that is closed at the next change of the status.
func (d *Daemon) Changed() <-chan struct{} { return d.board.folders.nextChange() }

// Export lists every known product folder with its published images, one call of yield for each, by
// root and folder.
func (d *Daemon) Export(yield func(status.ExportedProduct) error) error {
	_ = d.fleetNow() // whose active station each entry has
	return exportStore(d.config, d.records.Store, d.recordedProduct, yield)
}

// recordedProduct is the status of a folder in its recorded state. The state file has the cause with
// which the state began; the newest one is on display.
func (d *Daemon) recordedProduct(key syncstate.Folder, r syncstate.Record) status.ProductStatus {
	p := d.board.display.recorded(key, r)
	d.board.folders.with(key, func(f *folder) {
		if f.status.State == p.State {
			p.Cause = f.status.Cause
		}
	})
	p = withState(p)
	d.board.display.ofFleet(&p)
	p = status.Pause{Folder: r.Wishes.Paused, All: d.board.folders.allPaused()}.Over(p)
	d.board.display.word(&p)
	return p
}
