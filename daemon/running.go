package daemon

import (
	"cmp"
	"errors"

	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// Do does what a person asks for a folder, or for all with the zero Folder.
func (d *Daemon) Do(v Verb, key syncstate.Folder) error {
	if v.acceptsRoot(key) { // of this computer
		differed := d.fleet != nil && d.fleet.Accept(key.Root)
		if err := d.acceptRoot(key.Root); err != nil && !differed {
			return err
		}
		return nil
	}
	if d.isStandby() {
		return errors.New(d.fleet.Now().GiveItAt())
	}
	done, then := "", d.lookAnew
	switch v {
	case Retry, RetryAsIs, RetryNotMade:
		d.service.Breakers.Retry()
		d.allowRuns(key)
		if key.Path != "" {
			d.board.publisher.Views.Believe(key)
		}
	case Pause:
		done, then = "paused", d.board.revisit
	case Resume:
		then = d.board.revisit
		if d.isPaused(key) {
			done = "resumed"
		}
	case Prioritize:
		done, then = "goes first", d.reprioritize
	case EndPriority:
		done, then = "takes its turn", d.reprioritize
	}
	err := d.record(v, key, then)
	if err == nil && done != "" {
		d.Log.Info(done, "folder", cmp.Or(key.Path, "all"))
	}
	return err
}

// allowRuns lets runs begin again in the project of a folder, or in all with the zero Folder, though
// the images were not listed there.
func (d *Daemon) allowRuns(key syncstate.Folder) {
	if key == (syncstate.Folder{}) {
		d.service.Memory.RefusedLists.Forget()
		return
	}
	if head, err := d.records.Store.Record(key); err == nil {
		d.service.Memory.RefusedLists.End(head.Project.UUID)
	}
}

func (d *Daemon) acceptRoot(path string) error {
	for _, r := range d.files.Watcher.Roots() {
		if r.Path == path && r.Untrusted {
			d.files.Watcher.Accept(path)
			return nil
		}
	}
	return errNotUntrusted
}

var errNotUntrusted = errors.New("there is nothing to accept: the watched folder is not on another volume, " +
	"not emptied, and no drive below it is away")

// isPaused reports whether a folder is paused alone. For the zero Folder it is true.
func (d *Daemon) isPaused(key syncstate.Folder) bool {
	paused := key == syncstate.Folder{}
	d.board.folders.with(key, func(f *folder) { paused = !f.paused.IsZero() })
	return paused
}

// lookAnew has the watcher read a folder again, and plans it.
func (d *Daemon) lookAnew(key syncstate.Folder) {
	d.files.Watcher.Refresh(key.Root, key.Path)
	d.board.revisit(key)
}

// reprioritize is lookAnew for a folder whose priority changed; its place in the queue follows.
func (d *Daemon) reprioritize(key syncstate.Folder) {
	d.lookAnew(key)
	d.board.queue.Reconsider(key)
}

// record changes the records that a person named, and calls then for each.
func (d *Daemon) record(v Verb, key syncstate.Folder, then func(syncstate.Folder)) error {
	if err := v.begin(d.records.Store, key); err != nil {
		return d.notSaved(err)
	}
	named := key != syncstate.Folder{}
	if !named && (v == Pause || v == Resume) {
		if err := d.board.readPause(); err != nil {
			return d.notSaved(err)
		}
	}
	return d.change(key, func(r *syncstate.Record) { v.change(r, named) }, then)
}

// change changes the records a person named, and calls then for each.
func (d *Daemon) change(
	key syncstate.Folder, change func(*syncstate.Record), then func(syncstate.Folder),
) error {
	keys, err := d.board.named(key)
	if err != nil {
		return err
	}
	for _, k := range keys {
		amend := d.board.amending(k, change)
		err := d.records.Update(k, func(r *syncstate.Record) error {
			amend(r)
			return nil
		})
		if err != nil {
			return d.notSaved(err)
		}
		then(k)
	}
	d.board.wake.send()
	return nil
}

// notSaved has a state file that failed under a verb opened again: no folder may have anything to
// record soon that would meet with it.
func (d *Daemon) notSaved(err error) error {
	if d.records.Store.Err() != nil {
		d.records.Failed(err)
	}
	return err
}

// SetUpload replaces the [upload] settings of the configuration. Uploads under way go on at the new
// rate within seconds.
func (d *Daemon) SetUpload(u config.Upload) {
	d.throttle.Configure(u)
	d.slots.Configure(u)
}

// PasswordChanged ends all waits for the service at once: its client has another password now.
func (d *Daemon) PasswordChanged() {
	d.service.Breakers.Retry()
	for f := range d.board.folders.each {
		f.dirty = f.dirty || f.busy // its worker may have met with the old password
	}
	d.board.queue.EndWaits()
	d.board.wake.send()
}
