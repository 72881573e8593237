package daemon

import (
	"errors"
	"fmt"
	"path/filepath"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher/volume"
)

// The functions here are the verbs of a Daemon for when none runs: they change the records alone,
// and the next daemon acts on them. As there, the zero Folder means all.

// RetryRecorded is Daemon.Retry without a daemon.
func RetryRecorded(store *syncstate.Store, key syncstate.Folder, word Word) error {
	if isRoot(key) && word != NotMade {
		return acceptRecorded(store, key.Root)
	}
	v := retry(key, word)
	return v.recordWith(store, func(r *syncstate.Record) {
		if isStopped(status.State(r.State)) {
			status.SetState(r, status.Queued, status.Because(status.TriedNext))
		}
	})
}

// PauseRecorded is Daemon.Pause without a daemon.
func PauseRecorded(store *syncstate.Store, key syncstate.Folder) error {
	return pause(key).record(store)
}

// ResumeRecorded is Daemon.Resume without a daemon.
func ResumeRecorded(store *syncstate.Store, key syncstate.Folder) error {
	return resume(key).record(store)
}

// PrioritizeRecorded is Daemon.Prioritize without a daemon.
func PrioritizeRecorded(store *syncstate.Store, key syncstate.Folder, first bool) error {
	return prioritize(key, first).record(store)
}

func (v verb) record(store *syncstate.Store) error {
	return v.recordWith(store, func(*syncstate.Record) {})
}

// recordWith changes the records that a person named, and then has people told what the next daemon
// will do.
func (v verb) recordWith(store *syncstate.Store, tell func(*syncstate.Record)) error {
	if err := v.begin(store); err != nil {
		return err
	}
	all, err := syncstate.AllPaused.Read(store)
	if err != nil {
		return err
	}
	next := prospect{allPaused: all, queued: status.TriedNext}
	return amendRecords(store, v.key, func(r *syncstate.Record) {
		v.change(r, next)
		tell(r)
		switch {
		case all:
			status.PauseRecord(r, status.Because(status.AllPaused))
		case r.Paused:
			status.PauseRecord(r, status.Because(status.FolderPaused))
		}
	})
}

// acceptRecorded records what the root and the directories below it stand on at this time. That it
// is empty is for a running daemon to accept.
func acceptRecorded(store *syncstate.Store, root string) error {
	before, err := store.Root(root)
	if err != nil {
		return err
	}
	on, err := volume.Survey(root)
	if err != nil {
		return fmt.Errorf("the root %s %w", root, err)
	}
	mounts := stillMounted(root, before.Mounts)
	if volumeOf(before.Volume) == on.Identity && len(mounts) == len(before.Mounts) {
		return fmt.Errorf("the root %s is on the same volume as before; "+
			"to accept it as emptied, try again while `spinsync run` runs", root)
	}
	return store.UpdateRoot(root, func(r *syncstate.RootRecord) error {
		r.Volume, r.Mounts = volumeText(on.Identity), mounts
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

// amendRecords changes the records a person named, and makes the next daemon look at their folders
// although nothing on the disk changed. Of all records those that are damaged are left out.
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
			r.Listing = ""
			change(r)
			return nil
		})
		if key != (syncstate.Folder{}) || !errors.Is(err, syncstate.ErrDamaged) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
