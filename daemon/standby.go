package daemon

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A standby has the whole daemon, but for its workers: it watches, and shows what the active station
// decides as its own state file follows. The daemon of an epoch is another one, made from that file.

func (d *Daemon) isStandby() bool { return d.fleet != nil && d.fleet.Standby }

// Drained reports, once Run has ended, whether no worker was left at a drive that does not answer.
func (d *Daemon) Drained() bool { return d.drained.Load() }

// Followed shows the folders whose records another station has changed; none means all.
func (d *Daemon) Followed(keys []syncstate.Folder) {
	if !d.isStandby() {
		return
	}
	if keys == nil {
		keys = d.board.folders.keys()
		for key := range d.records.Store.Heads() {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		d.board.showRecorded(key)
	}
	if err := d.board.readPause(); err != nil {
		d.Log.Error("the state file cannot be read", "error", err)
	}
}

// showRecorded shows a folder as its record has it, or drops one without a record that is not on the
// disk either.
func (b *board) showRecorded(key syncstate.Folder) {
	record, err := b.publisher.Records.Store.Head(key)
	if err != nil || b.roots[key.Root] == nil || b.roots[key.Root].Ignores(key.Path) {
		return
	}
	p := b.display.recorded(key, record)
	if p.State == "" && record.Run == nil && !b.isOnDisk(key) {
		b.folders.drop(key, func() { b.queue.Remove(key) })
		return
	}
	b.folders.withNew(key, func() *folder { return b.newFolder(key) }, func(f *folder) {
		if p.State == f.status.State && p.State != status.Published {
			p.Since = f.status.Since
		}
		f.status, f.paused = p, record.Wishes.Paused
	})
	b.folders.changed()
}

func (b *board) isOnDisk(key syncstate.Folder) (is bool) {
	b.folders.with(key, func(f *folder) { is = f.newest != nil && f.newest.Present || f.idle != nil })
	return is
}

// awaitOthers waits until the active station has published what this one sees, for as long as a folder
// comes to rest within passPatience.
func (p *pass) awaitOthers(ctx context.Context) error {
	p.d.files.Watcher.Rescan()
	published := map[syncstate.Folder]bool{}
	for since := p.started; ; {
		if now := p.d.fleet.Now(); now.Trouble != "" {
			return fmt.Errorf("%s; %w", now.Trouble, ErrUnpublished)
		}
		before := len(published)
		all, err := p.d.arePublished(published)
		switch {
		case err != nil:
			return err
		case all && p.d.allRead(p.started):
			p.d.Followed(nil) // the last one may not be shown yet
			return p.verdict()
		case len(published) > before:
			since = time.Now()
		case time.Since(since) > passPatience:
			return ErrUnpublished
		}
		select {
		case <-time.After(20 * passBeat):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// arePublished adds the folders that are published as they are here to those that were, and reports whether
// these are all that hold photos and are not paused.
func (d *Daemon) arePublished(published map[syncstate.Folder]bool) (all bool, err error) {
	var seen []watcher.Snapshot
	for f := range d.board.folders.each {
		if f.newest != nil && f.newest.Present && len(f.newest.Frames)+len(f.newest.Busy) > 0 && !published[f.key] &&
			f.root.Rules.Places(f.key.Path) && !d.board.folders.pauseOf(f).Holds() {
			seen = append(seen, *f.newest)
		}
	}
	all = true
	for _, s := range seen {
		key := syncstate.Folder{Root: s.Root, Path: s.Folder}
		r, err := d.records.Store.Record(key)
		if err != nil {
			return false, err
		}
		root := d.board.roots[key.Root]
		row := root.Products.Row(key.Path, r.Product.SKU)
		facts := plan.Facts{Snapshot: s, Row: row, Settings: root.SettingsOf(row)}
		if r.Run == nil && r.Unread == nil && (plan.Scene{Record: r, Facts: facts}).SeesRecorded() {
			published[key] = true
		} else {
			all = false
		}
	}
	return all, nil
}

// Health is why the daemon could not publish, empty while it could, and the roots that it cannot read:
// whether another tree is there.
func (d *Daemon) Health() (trouble string, offline map[string]bool) {
	offline = map[string]bool{}
	for _, r := range d.files.RootStatus() {
		if r.Offline() {
			offline[r.Path] = r.Untrusted
		}
	}
	return cmp.Or(d.unsaved(), d.serviceStatus().Trouble), offline
}

// serviceStatus is how the service does. A standby asks nothing of it.
func (d *Daemon) serviceStatus() status.ServiceStatus {
	if d.isStandby() {
		return status.ServiceStatus{URL: d.config.Service.BaseURL}
	}
	return d.service.Breakers.Status(d.config.Service.BaseURL)
}

// noteMounts notes which drives are there. One that came back may show what was there before. Once all of it was
// read, the folders that are as they were recorded are believed.
func (d *Daemon) noteMounts() {
	if d.fleet == nil {
		return
	}
	for _, r := range d.files.Watcher.Roots() {
		if !r.Unread && d.fleet.Views.Mounted(r.Path, r.Online) {
			d.back = append(d.back, r.Path)
		}
	}
	if len(d.back) == 0 || !d.files.Watcher.Delivered() {
		return
	}
	for _, path := range d.back {
		rest, _ := newProductsFiles(d.board).judge(d.board.roots[path])
		d.fleet.Views.Believe(rest...)
	}
	d.back = nil
}

// Sever breaks off all requests: what has not left by then never does.
func (d *Daemon) Sever() { d.service.Client.Sever() }

// fleetNow is the fleet as people are shown it, and from now on each folder with its active station; nil at a
// computer alone.
func (d *Daemon) fleetNow() *status.Fleet {
	if d.fleet == nil {
		return nil
	}
	now := d.fleet.Now()
	d.board.display.active.Store(&now.Active)
	return &now
}

// recorded is the status of a folder by its record. A standby shows what was decided alone.
func (d *display) recorded(key syncstate.Folder, r syncstate.Record) status.ProductStatus {
	p := status.ProductOf(key, r)
	if d.standby {
		p = status.DecidedOf(key, r)
	}
	if p.Since.IsZero() {
		p.Since = status.WholeSecond(time.Now())
	}
	return p
}

// ofFleet adds to a status what only a folder of a fleet has. A standby does not know how far the work on
// a folder is.
func (d *display) ofFleet(p *status.ProductStatus) {
	station := d.active.Load()
	if station == nil { // at a computer alone
		return
	}
	root := d.roots[p.Root]
	if root == nil {
		return
	}
	p.Name, p.Station = root.Name, *station
	switch {
	case !d.standby || p.State == status.Published || p.State == status.Attention:
	case *station == "":
		p.Cause = status.Because(status.AtNoStation)
	default:
		p.Cause = &status.Cause{Kind: status.AtStation, Name: *station}
	}
}
