package daemon

import (
	"errors"
	"sync"

	"spinsync/syncstate"
)

// A folder that a person is in a hurry for goes before all others of its root until it is published as it stands: it is taken up
// first, and its frames are first at the upload lanes. It makes way for a camera as others do, waits for what they wait for, and is
// not complete any sooner.

// A rush is which folders go first. The nil rush is none.
type rush struct {
	following sync.Mutex // of two that follow at once the second sees what both recorded

	mu    sync.RWMutex
	first map[syncstate.Folder]bool
}

func (r *rush) has(key syncstate.Folder) bool {
	if r == nil {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.first[key]
}

func (r *rush) set(key syncstate.Folder, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first {
		r.first[key] = true
	} else {
		delete(r.first, key)
	}
}

func (r *rush) replace(first map[syncstate.Folder]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first = first
}

// followRush brings the rush up to date with what is recorded of a folder.
func (d *Daemon) followRush(key syncstate.Folder) {
	d.rush.following.Lock()
	defer d.rush.following.Unlock()
	head, err := d.store.Head(key)
	if err != nil || head.Rush == d.rush.has(key) {
		return
	}
	d.rush.set(key, head.Rush)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.announce()
}

// Rush has one product folder go before all others until it is published as it stands, or ends that.
func (d *Daemon) Rush(key syncstate.Folder, first bool) error {
	if err := mayRush(key); err != nil {
		return err
	}
	err := d.amend(key, func(r *syncstate.Record) error { r.Rush = first; return nil })
	d.followRush(key)
	if err != nil {
		return err
	}
	d.logRush(key, first)
	d.standInLine(key)
	d.lanes.reconsider()
	return nil
}

// mayRush refuses what is not the name of one folder: of all of them none can go first.
func mayRush(key syncstate.Folder) error {
	if key.Path == "" {
		return errors.New("only a product folder can go first; name one")
	}
	return nil
}

// standInLine puts a folder into the line that is its own by now.
func (d *Daemon) standInLine(key syncstate.Folder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.folders[key]
	if !ok {
		return
	}
	if !f.busy {
		d.queue.remove(f)
		d.requeue(f)
	}
	d.poke()
}

// RushRecorded is Daemon.Rush without a daemon.
func RushRecorded(store *syncstate.Store, key syncstate.Folder, first bool) error {
	if err := mayRush(key); err != nil {
		return err
	}
	return amendRecords(store, key, func(r *syncstate.Record) error { r.Rush = first; return nil })
}
