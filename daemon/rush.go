package daemon

import (
	"errors"

	"spinsync/syncstate"
)

// A folder that a person puts first goes before all others of its root until it is published as it
// stands: a worker takes it first, and its frames get the first upload slots. It yields to a
// camera, waits and becomes complete like every other folder.

// followPriority brings the priorities up to date with the record of a folder.
func (d *Daemon) followPriority(key syncstate.Folder) {
	d.following.Lock()
	defer d.following.Unlock()
	head, err := d.store.Head(key)
	if err != nil || head.Rush == d.priorities.Has(key) {
		return
	}
	d.priorities.Set(key, head.Rush)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.announce()
}

// Rush has one product folder go before all others until it is published as it stands, or ends
// that.
func (d *Daemon) Rush(key syncstate.Folder, first bool) error {
	if err := mayRush(key); err != nil {
		return err
	}
	err := d.amend(key, func(r *syncstate.Record) error { r.Rush = first; return nil })
	d.followPriority(key)
	if err != nil {
		return err
	}
	d.logRush(key, first)
	d.queue.Reconsider(key)
	d.slots.Reconsider()
	d.poke()
	return nil
}

// mayRush refuses a key that does not name one folder: among all folders none can go first.
func mayRush(key syncstate.Folder) error {
	if key.Path == "" {
		return errors.New("only a product folder can go first; name one")
	}
	return nil
}

// RushRecorded is Daemon.Rush without a daemon.
func RushRecorded(store *syncstate.Store, key syncstate.Folder, first bool) error {
	if err := mayRush(key); err != nil {
		return err
	}
	return amendRecords(store, key, func(r *syncstate.Record) error { r.Rush = first; return nil })
}
