package daemon

import (
	"errors"
	"fmt"
	"path/filepath"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher/volume"
)

// DoRecorded is Daemon.Do for when no daemon runs. It changes the records alone, and the status
// shows what the next daemon will do.
func DoRecorded(store *syncstate.Store, v Verb, key syncstate.Folder) error {
	if v.acceptsRoot(key) {
		return acceptRecorded(store, key.Root)
	}
	if err := v.begin(store, key); err != nil {
		return err
	}
	return amendRecords(store, key, func(r *syncstate.Record) {
		v.change(r, key != syncstate.Folder{})
		if v.isRetry() && isStopped(status.State(r.Shown.State)) {
			status.SetState(r, status.Queued, status.Because(status.TriedNext))
		}
	})
}

// acceptRecorded records the present volume of the root and its mounts. Only a running daemon can
// accept an empty root.
func acceptRecorded(store *syncstate.Store, root string) error {
	before, err := store.Root(root)
	if err != nil {
		return err
	}
	on, err := volume.Survey(root)
	if err != nil {
		return fmt.Errorf("the watched folder %s %w", root, err)
	}
	mounts := stillMounted(root, before.Mounts)
	if volumeOf(before.Volume) == on.Identity && len(mounts) == len(before.Mounts) && len(before.Aside) == 0 {
		return fmt.Errorf("the watched folder %s is on the same volume as before; "+
			"to accept it as emptied, try again while `spinsync run` runs", root)
	}
	return store.UpdateRoot(root, func(r *syncstate.RootRecord) error {
		r.Volume, r.Mounts, r.Aside = volumeText(on.Identity), mounts, nil
		return nil
	})
}

// stillMounted are those of the drives below a root that are there.
func stillMounted(root string, recorded []syncstate.Mount) []syncstate.Mount {
	var there []syncstate.Mount
	for _, m := range recorded {
		on, mounted := volume.MountedAt(filepath.Join(root, filepath.FromSlash(string(m.Dir))))
		if mounted && on.Identity == volumeOf(m.Volume) {
			there = append(there, m)
		}
	}
	return there
}

// amendRecords changes the records a person named, and has the next daemon check their folders
// although nothing on the disk changed.
func amendRecords(store *syncstate.Store, key syncstate.Folder, change func(*syncstate.Record)) error {
	var amended []syncstate.Folder
	for known := range store.Heads() {
		if key == known || key == (syncstate.Folder{}) {
			amended = append(amended, known)
		}
	}
	if err := store.Err(); err != nil {
		return err
	}
	if len(amended) == 0 && key != (syncstate.Folder{}) {
		return errUnknownFolder
	}
	var errs []error
	for _, k := range amended {
		err := store.Update(k, func(r *syncstate.Record) error {
			r.Idle.Listing = ""
			change(r)
			return nil
		})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
