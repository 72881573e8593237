package watcher

import (
	"errors"
	"os"

	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// Drives may be mounted below a root: on product folders, or on directories above them. When one of
// them goes away an empty directory stays, or none, while the root is well. So the watcher
// remembers the drives below a root, too. The folders of a drive are not gone until all of them are
// found on the root's own volume, or a person accepts it.

const unmounted = "was the mount point of a drive that is gone"

// mountOf is mountAt for a directory below the root, which may hang.
func (d *disk) mountOf(below string) (on volume.Volume, mounted bool) {
	_ = d.readings.during(d.path(below), func() error {
		on, mounted = d.mountAt(d.path(below))
		return nil
	})
	return on, mounted
}

// mountError is of a directory below the root.
func (d *disk) mountError(below, why string) error { return &MountError{d.path(below), why} }

// mountsOver are those of the mounts that a folder lies on.
func mountsOver(mounts map[string]volume.Identity, folder string) map[string]volume.Identity {
	over := map[string]volume.Identity{}
	for dir, v := range mounts {
		if within(dir, folder) {
			over[dir] = v
		}
	}
	return over
}

// blameMounts returns a MountError if a drive was replaced, or is away, and that may explain what
// was read of a folder on it.
func (d *disk) blameMounts(folder string, mounts map[string]volume.Identity, l listing, err error) error {
	for dir, before := range mounts {
		on, mounted := d.mountOf(dir)
		lacks := IsGone(err) || err == nil && dir == folder && l.blank()
		if why := before.Differs(on.Identity); mounted && why != "" {
			return d.mountError(dir, why)
		}
		if !mounted && lacks {
			return d.mountError(dir, unmounted)
		}
	}
	return err
}

// mayExist reports whether a directory is at a folder's place by its very name, or may be on a
// drive that is away.
func (d *disk) mayExist(folder string, mounts map[string]volume.Identity) bool {
	err := d.readings.during(d.path(folder), func() error {
		info, err := recall(d, Standing, folder, func() (os.FileInfo, error) { return os.Lstat(d.path(folder)) })
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return nofollow.ErrNoDir
		}
		return d.spelled(folder)
	})
	_, away := errors.AsType[*MountError](d.blameMounts(folder, mountsOver(mounts, folder), listing{}, err))
	return err == nil || away
}

// readFolder reads one product folder afresh. The files named in open are opened and asked through
// the handle, because the attributes that a network drive keeps in its cache may be a minute old.
// The mounts are those that the folder lies on.
func (d *disk) readFolder(
	folder string, on volume.Volume, mounts map[string]volume.Identity, open []string,
) (listing, error) {
	l, err := d.readAfresh(folder, on, open)
	return l, d.blameMounts(folder, mounts, l, err)
}
