package daemon

import (
	"cmp"
	"errors"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Retry makes a folder act now: it ends waits and what held it for a person. The word adds what the
// person said with it. The zero Folder means all. A root alone means that it is right as it stands
// at this time, although it is offline as another volume than before or as emptied, or a drive
// below it is away; nothing else accepts a root.
func (d *Daemon) Retry(key syncstate.Folder, word Word) error {
	if isRoot(key) && word != NotMade {
		return d.acceptRoot(key.Root)
	}
	d.Service.Breakers.Retry()
	d.Service.Permissions.Forget()
	return d.do(retry(key, word), d.lookAnew)
}

func isRoot(key syncstate.Folder) bool { return key.Root != "" && key.Path == "" }

func (d *Daemon) acceptRoot(path string) error {
	for _, r := range d.Files.Roots() {
		if r.Path == path && r.Untrusted {
			d.Files.Accept(path)
			return nil
		}
	}
	return errNotUntrusted
}

var errNotUntrusted = errors.New("there is nothing to accept: the root is not on another volume, " +
	"not emptied, and no drive below it is away")

// Pause keeps a folder, or all with the zero Folder, from being worked on until Resume.
func (d *Daemon) Pause(key syncstate.Folder) error {
	return d.logged("paused", key, d.do(pause(key), d.board.revisit))
}

// Resume ends a pause. Resuming all ends the pauses of single folders too.
func (d *Daemon) Resume(key syncstate.Folder) error {
	paused := key == syncstate.Folder{}
	d.board.with(key, func(f *folder) { paused = f.status.Paused })
	err := d.do(resume(key), d.board.revisit)
	if !paused {
		return err
	}
	return d.logged("resumed", key, err)
}

// Prioritize has one product folder go before all others until it is published as it stands, or
// ends that.
func (d *Daemon) Prioritize(key syncstate.Folder, first bool) error {
	err := d.do(prioritize(key, first), d.lookAnew)
	d.board.FollowPriority(key)
	word := "takes its turn"
	if first {
		word = "goes first"
	}
	if err := d.logged(word, key, err); err != nil {
		return err
	}
	d.board.queue.Reconsider(key)
	d.board.wake.send()
	return nil
}

// logged logs a verb that had no error.
func (d *Daemon) logged(word string, key syncstate.Folder, err error) error {
	if err == nil {
		d.Log.Info(word, "folder", cmp.Or(key.Path, "all"))
	}
	return err
}

// lookAnew has the watcher read a folder again, and plans it.
func (d *Daemon) lookAnew(key syncstate.Folder, r syncstate.Record) {
	d.Files.Refresh(key.Root, key.Path)
	d.board.revisit(key, r)
}

// do changes the records that a person named, and calls then for each.
func (d *Daemon) do(v verb, then func(syncstate.Folder, syncstate.Record)) error {
	if err := v.begin(d.Records.Store); err != nil {
		return d.notSaved(err)
	}
	if v.allPaused != nil {
		d.board.paused.Store(*v.allPaused)
	}
	next := prospect{allPaused: d.board.paused.Load(), queued: status.Resumed}
	return d.change(v.key, func(r *syncstate.Record) { v.change(r, next) }, then)
}

// change changes the records a person named, and calls then for each. Of all records those that are
// damaged are left out.
func (d *Daemon) change(
	key syncstate.Folder, change func(*syncstate.Record), then func(syncstate.Folder, syncstate.Record),
) error {
	keys, err := d.board.named(key)
	if err != nil {
		return err
	}
	for _, k := range keys {
		var changed syncstate.Record
		noted := d.board.noting(k, change)
		err := d.Records.Update(k, func(r *syncstate.Record) error {
			noted(r)
			changed = *r
			return nil
		})
		if err != nil && !(key == (syncstate.Folder{}) && errors.Is(err, syncstate.ErrDamaged)) {
			return d.notSaved(err)
		}
		then(k, changed)
	}
	d.board.wake.send()
	return nil
}

// notSaved has a state file that failed under a verb opened again: no folder may have anything to
// record soon that would meet with it.
func (d *Daemon) notSaved(err error) error {
	if d.Records.Err() != nil {
		d.Records.Failed(err)
	}
	return err
}

// SetUpload replaces the [upload] settings of the configuration. Uploads under way go on at the new
// rate within seconds.
func (d *Daemon) SetUpload(u config.Upload) {
	d.Throttle.Configure(u)
	d.Slots.Configure(u)
}

// PasswordChanged ends all waits for the service at once: its client has another password now.
func (d *Daemon) PasswordChanged() {
	d.Service.Breakers.Retry()
	d.board.mu.Lock()
	for _, f := range d.board.folders {
		f.dirty = f.dirty || f.busy // its worker may have met with the old password
	}
	d.board.mu.Unlock()
	d.board.queue.Hurry()
	d.board.wake.send()
}
