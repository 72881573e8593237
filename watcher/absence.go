package watcher

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spinsync/watcher/volume"
)

// absence decides, after a reading of the tree, which product folders are gone. A folder that only
// its drive, or the whole root, took along is not.
type absence struct {
	folders *folders
	disk    *disk
	trust   *trust
	status  *statusBox // has the mounts below the root
}

// notMet gives the folders that were known before a reading and that it should have met: those that
// are lost, and those below a directory that could not be read, about which nothing is known. A
// folder of which an event came since the reading began may have come behind it: the next read of
// it decides.
func (a *absence) notMet(r *reading) (lost, unknown []*folder) {
	for _, f := range a.folders.all {
		if f.seen == r.number || f.aside || f.live != nil && f.live.hinted[1].After(r.start) {
			continue
		}
		if r.unknownAbove(f.path) == nil {
			lost = append(lost, f)
		} else if f.missed == nil {
			unknown = append(unknown, f)
		}
	}
	slices.SortFunc(lost, func(a, b *folder) int { return strings.Compare(a.path, b.path) })
	return lost, unknown
}

// survivors counts the folders that a reading met, and those among them that were known before it. One
// that is back from another drive, and could not be read, does not count.
func (a *absence) survivors(r *reading) (all, known int) {
	for _, f := range a.folders.all {
		if f.seen == r.number {
			all++
			if f.born < r.number && !f.aside {
				known++
			}
		}
	}
	return all, known
}

// emptied is why a root in which no product folder is left is not believed, or "".
func (a *absence) emptied(r *reading, lost []*folder) string {
	had := 0
	for _, f := range lost {
		if f.missed == nil && (f.reported || f.born == 0) {
			had++
		}
	}
	if all, _ := a.survivors(r); had == 0 || all > 0 || a.trust.accepts(r.walk.on) {
		return ""
	}
	return fmt.Sprintf("holds no product folder any more, and %d were known: connect the drive, or put them back", had)
}

// strange reports whether a root holds none of the folders known from before and nothing proves
// that it is still the same volume: another memory card in the same slot. Its folders count, but
// the others are not gone.
func (a *absence) strange(r *reading) bool {
	_, known := a.survivors(r)
	return known == 0 && !a.trust.accepts(r.walk.on) && (a.trust.volume.IsZero() || !r.walk.on.Sure)
}

// mounted notes a drive that a reading of the tree came across. The drive is reported before the
// folders on it.
func (a *absence) mounted(r *reading, dir string, on volume.Volume) {
	r.mounts[dir] = on
	if before, known := a.status.getMounts()[dir]; !known || before.IsZero() && !on.Identity.IsZero() {
		a.status.setMount(dir, on.Identity)
	}
}

// judgeMounts counts each directory that a reading found unmounted as unknown: the drive went away,
// not the product folders.
func (a *absence) judgeMounts(r *reading) {
	w := &r.walk
	before, read := a.trust.untrusted.mounts, slices.Clone(w.unknown)
	a.trust.untrusted.mounts = map[string]unmountedDir{}
	for _, h := range read {
		if other, is := errors.AsType[*MountError](h.err); is {
			r.untrusted[h.dir] = other.Why
		}
	}
	for dir := range w.known {
		if slices.ContainsFunc(read, func(h unknownDir) bool { return within(h.dir, dir) }) && r.untrusted[dir] == "" {
			continue
		}
		was, suspected := before[dir]
		if !suspected {
			was.since = r.number
		}
		on, mounted := r.mounts[dir]
		switch why := a.mountTrouble(r, dir, was.since); {
		case why != "" && why != w.accepted[dir].why:
			a.trust.untrusted.mounts[dir] = unmountedDir{why, was.since}
			w.unknown = append(w.unknown, unknownDir{dir, a.disk.mountError(dir, why)})
		case !mounted && !r.passedOver(dir):
			a.status.dropMount(dir)
		case why != "":
			a.status.setMount(dir, on.Identity)
		}
	}
}

// mountTrouble is why a directory with a drive is not believed after a reading, or "". A directory
// without its drive is believed when it holds all product folders that were known before a reading:
// a person moved them to the root's own volume. A directory with its drive is judged as a root is.
func (a *absence) mountTrouble(r *reading, dir string, before uint32) string {
	on, mounted := r.mounts[dir]
	all, known, left := a.countBelow(r, dir, before)
	switch was := r.walk.known[dir]; {
	case r.untrusted[dir] != "":
		return r.untrusted[dir]
	case mounted && was.Differs(on.Identity) != "": // which a person has accepted
		return was.Differs(on.Identity)
	case left == known, mounted && left > 0, mounted && all > 0 && on.Sure:
		return ""
	case mounted:
		return "holds none of the product folders that were known"
	}
	return unmounted
}

// countBelow counts the product folders that a reading found at or below a directory, those known
// there before another one, and those that are both. Without the drive, a folder that was missed
// once may have been on the drive when it went.
func (a *absence) countBelow(r *reading, dir string, before uint32) (all, known, left int) {
	_, mounted := r.mounts[dir]
	for _, f := range a.folders.all {
		missed := f.missed != nil && (mounted || f.missed.absent.Reads > 1)
		if !within(dir, f.path) || f.aside || missed {
			continue
		}
		found := f.seen == r.number && !f.isUnmounted()
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
