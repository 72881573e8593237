package daemon

import (
	"errors"

	"spinsync/syncstate"
)

// A folder that a person wants first goes before all others of its root until it is published as it
// stands: a worker takes it first, and its frames get the first upload slots. It yields to a camera
// as others do, waits for what they wait for, and is complete no sooner.

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

// mayRush refuses what is not the name of one folder: of all of them none can go first.
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
