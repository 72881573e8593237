package watcher

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// Drives may be mounted below a root: on product folders, or on directories above them. When such a
// drive goes away an empty directory stays, or none, while the root is well. So the watcher
// remembers the drives below a root beside the root's own volume. The folders of a drive are not
// gone until all of them are found on the root's own volume, or a person says so.

// A MountError is why a folder cannot be read on whose directory, or on one above it, something
// else stands than the drive that was mounted there. Accept believes what stands there.
type MountError struct {
	Dir string // the mount point
	Why string // completes the sentence that begins with it
}

func (e *MountError) Error() string { return e.Dir + " " + e.Why }

const unmounted = "is where a drive was mounted, which is gone"

// mountOf is mountAt for a directory below the root, which may hang.
func (d *disk) mountOf(below string) (on volume.Volume, mounted bool) {
	_ = d.ops.during(d.path(below), func() error {
		on, mounted = d.mountAt(d.path(below))
		return nil
	})
	return on, mounted
}

// mountError is of a directory below the root.
func (d *disk) mountError(below, why string) error { return &MountError{d.path(below), why} }

// within reports whether a path is a directory or lies below it.
func within(dir, path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

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

// blameMounts says that a drive was replaced, or is gone, if what a look at a folder on it found
// may come from that.
func (d *disk) blameMounts(folder string, mounts map[string]volume.Identity, l listing, err error) error {
	for dir, before := range mounts {
		on, mounted := d.mountOf(dir)
		lacks := errors.Is(err, fs.ErrNotExist) || err == nil && dir == folder && l.blank()
		if why := before.Differs(on.Identity); mounted && why != "" {
			return d.mountError(dir, why)
		}
		if !mounted && lacks {
			return d.mountError(dir, unmounted)
		}
	}
	return err
}

// blank reports whether a listing has no frame.
func (l listing) blank() bool { return !l.bare && len(l.files[names.Frame]) == 0 }

// mayStand reports whether a directory is at a folder's place, or may be on a drive that is away.
func (d *disk) mayStand(folder string, mounts map[string]volume.Identity) bool {
	err := d.ops.during(d.path(folder), func() error {
		info, err := os.Lstat(d.path(folder))
		if err == nil && !info.IsDir() {
			return nofollow.ErrNoDir
		}
		return err
	})
	_, away := errors.AsType[*MountError](d.blameMounts(folder, mountsOver(mounts, folder), listing{}, err))
	return err == nil || away
}

// cross tells of the drive that is mounted at a directory. It comes after the directory was read,
// which makes a drive be mounted that is mounted on demand. Another drive than before is an error.
func (w *walk) cross(dir string) (mounted bool, err error) {
	on, mounted := w.mountOf(dir)
	if !mounted {
		return false, nil
	}
	if why := w.known[dir].Differs(on.Identity); why != "" && w.accepted[dir].why != why {
		return true, w.mountError(dir, why)
	}
	w.mounted(dir, on)
	return true, nil
}

// crossFolder is cross for a product folder. One on which a drive was mounted, and that is an empty
// directory now, is an error too.
func (w *walk) crossFolder(folder string, l listing) error {
	mounted, err := w.cross(folder)
	_, known := w.known[folder]
	if !mounted && known && l.blank() && w.accepted[folder].why != unmounted {
		return w.mountError(folder, unmounted)
	}
	return err
}

// mounted notes a drive that a reading of the tree came across. The drive is reported before the
// folders on it.
func (t *tree) mounted(r *reading, dir string, on volume.Volume) {
	r.mounts[dir] = on
	if before, known := t.status.getMounts()[dir]; !known || before.IsZero() && !on.IsZero() {
		t.status.setMount(dir, on.Identity)
	}
}

// judgeMounts makes a hole of each directory that a reading found to be a stray: the drive went
// away, not the product folders.
func (t *tree) judgeMounts(r *reading) {
	before, read := t.trust.untrusted.mounts, slices.Clone(r.holes)
	t.trust.untrusted.mounts = map[string]stray{}
	for _, h := range read {
		if other, is := errors.AsType[*MountError](h.err); is {
			r.untrusted[h.dir] = other.Why
		}
	}
	for dir := range r.known {
		if slices.ContainsFunc(read, func(h hole) bool { return within(h.dir, dir) }) && r.untrusted[dir] == "" {
			continue
		}
		was, doubted := before[dir]
		if !doubted {
			was.since = r.number
		}
		on, mounted := r.mounts[dir]
		switch why := t.mountTrouble(r, dir, was.since); {
		case why != "" && why != r.accepted[dir].why:
			t.trust.untrusted.mounts[dir] = stray{why, was.since}
			r.holes = append(r.holes, hole{dir, t.disk.mountError(dir, why)})
		case !mounted && !r.passedOver(dir):
			t.status.dropMount(dir)
		case why != "":
			t.status.setMount(dir, on.Identity)
		}
	}
}

// passedOver reports whether a reading did not survey the mount at a directory.
func (r *reading) passedOver(dir string) bool {
	return r.detail != listed && strings.Count(dir, "/")+1 == r.depth
}

// mountTrouble says why a directory with a drive is not believed after a reading, or "". A
// directory without its drive is believed when it holds all product folders that were known before
// a reading: a person moved them to the root's own volume. A directory with its drive is judged as
// a root is.
func (t *tree) mountTrouble(r *reading, dir string, before uint32) string {
	on, mounted := r.mounts[dir]
	all, known, left := t.standing(r, dir, before)
	switch {
	case r.untrusted[dir] != "":
		return r.untrusted[dir]
	case mounted && r.known[dir].Differs(on.Identity) != "": // which a person has accepted
		return r.known[dir].Differs(on.Identity)
	case left == known, mounted && left > 0, mounted && all > 0 && on.Sure:
		return ""
	case mounted:
		return "holds none of the product folders that were known"
	}
	return unmounted
}

// standing counts the product folders that a reading found at or below a directory, those known
// there before another one, and those that are both. Without the drive, a folder that was missed
// once may have been on the drive when it went.
func (t *tree) standing(r *reading, dir string, before uint32) (all, known, left int) {
	_, mounted := r.mounts[dir]
	for _, f := range t.folders {
		missed := f.missed != nil && (mounted || f.missed.Reads > 1)
		if !within(dir, f.path) || f.aside || missed || t.disk.rules.HiddenAnywhere(f.path) {
			continue
		}
		found := f.seen == r.number && !f.strayed()
		if found {
			all++
		}
		if f.born < before {
			known++
			if found {
				left++
			}
		}
	}
	return all, known, left
}

// strayed reports whether a folder cannot be read for want of the drive that it was on.
func (f *folder) strayed() bool {
	if f.live == nil {
		return false
	}
	_, is := errors.AsType[*MountError](f.live.err)
	return is
}
