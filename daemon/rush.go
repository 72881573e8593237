package daemon

import (
	"errors"

	"spinsync/syncstate"
)

// A folder that a person puts first goes before all others of its root until it is published as it
// stands: a worker takes it first, and its frames get the first upload slots. It yields to a
// camera, waits and becomes complete like every other folder.

// FollowPriority brings the priorities up to date with the record of a folder.
func (b *board) FollowPriority(key syncstate.Folder) {
	b.following.Lock()
	defer b.following.Unlock()
	head, err := b.Records.Head(key)
	if err != nil || head.Rush == b.priorities.Has(key) {
		return
	}
	b.priorities.Set(key, head.Rush)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.announce()
}

// Rush has one product folder go before all others until it is published as it stands, or ends
// that.
func (d *Daemon) Rush(key syncstate.Folder, first bool) error {
	if err := mayRush(key); err != nil {
		return err
	}
	err := d.amend(key, func(r *syncstate.Record) error { r.Rush = first; return nil })
	d.board.FollowPriority(key)
	if err != nil {
		return err
	}
	d.logRush(key, first)
	d.board.queue.Reconsider(key)
	d.Slots.Reconsider()
	d.board.poke()
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
