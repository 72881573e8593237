package daemon

import (
	"cmp"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
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
	p := status.ProductOf(key, record)
	if p.Since.IsZero() {
		p.Since = status.WholeSecond(time.Now())
	}
	if p.State == "" && record.Run == nil && !b.isOnDisk(key) {
		b.folders.drop(key, func() { b.queue.Remove(key) })
		return
	}
	b.folders.withNew(key, func() *folder { return b.newFolder(key) }, func(f *folder) {
		f.status, f.paused = p, record.Wishes.Paused
	})
	b.folders.changed()
}

func (b *board) isOnDisk(key syncstate.Folder) (is bool) {
	b.folders.with(key, func(f *folder) { is = f.newest != nil && f.newest.Present || f.idle != nil })
	return is
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
	return cmp.Or(d.unsaved(), d.service.Breakers.Status(d.config.Service.BaseURL).Trouble), offline
}

// noteMounts notes which drives are there. One that came back may show what was there before.
func (d *Daemon) noteMounts() {
	if d.fleet == nil {
		return
	}
	for _, r := range d.files.Watcher.Roots() {
		if !r.Unread {
			d.fleet.Views.Mounted(r.Path, r.Online)
		}
	}
}

// Sever breaks off all requests: what has not left by then never does.
func (d *Daemon) Sever() { d.service.Client.Sever() }

// setActive notes which station each folder is shown with, and reports whether it is another one.
func (d *display) setActive(station string) (another bool) {
	before := d.active.Swap(&station)
	return before == nil || *before != station
}

// ofFleet adds to a status what only a folder of a fleet has.
func (d *display) ofFleet(p *status.ProductStatus) {
	if root, station := d.roots[p.Root], d.active.Load(); root != nil && station != nil {
		p.Name, p.Station = root.Name, *station
	}
}
