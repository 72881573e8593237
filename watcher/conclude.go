package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/watcher/volume"
)

// finish draws the conclusions from a reading of the tree.
func (t *tree) finish(ctx context.Context, r *reading) {
	p := &t.plan
	p.reading = false
	took := r.end.Sub(r.start)
	t.planScans(r, took)
	if r.err != nil {
		t.fail(r.err)
		return
	}
	if r.isBranches() {
		t.judgeDirectories(ctx, r)
		return
	}
	t.judgeMounts(r)
	t.judgeDirectories(ctx, r)
	lost := t.lost(ctx, r)
	if !r.isWhole() {
		p.suspect = p.suspect || slices.ContainsFunc(lost, func(f *folder) bool { return f.missed == nil })
		p.hasten(r.end)
		return
	}
	p.lastWhole, p.took = r.end, took
	if why := t.emptied(r, lost); why != "" {
		t.refuse(r.on, why)
		p.wholeAt = r.end.Add(p.gap())
		return
	}
	t.conclude(ctx, r, lost)
	if t.volume.IsZero() || t.trust.accepts(r.on) {
		t.volume = r.on.Identity
	}
	t.trust.accepted.root = nil
	t.goOnline()
	p.wholeAt = r.end.Add(cmp.Or(t.root.Rescan, p.nextWhole(t.watches.missed, t.watches.Complete())))
	if t.watches.wanted(t.at.on) && !t.watches.lazy {
		p.wholeAt = sooner(p.wholeAt, later(t.watches.retry.at, r.end.Add(p.gap())))
	}
	p.hasten(r.end)
}

// lost gives the folders that were known before a reading and that it should have met. Of those
// below a directory that could not be read nothing is known, and a folder that the configuration
// hides is not gone. A folder that an event told of since the reading began may have come behind it:
// the look that is due decides.
func (t *tree) lost(ctx context.Context, r *reading) []*folder {
	var lost []*folder
	for _, f := range t.folders {
		if f.seen == r.number || f.aside || f.live != nil && f.live.hinted[1].After(r.start) {
			continue
		}
		if i := slices.IndexFunc(r.unknown, func(h unknownDir) bool { return within(h.dir, f.path) }); i >= 0 {
			if f.missed == nil {
				t.failed(ctx, f, r.unknown[i].err)
			}
			continue
		}
		if !t.disk.rules.HiddenAnywhere(f.path) {
			lost = append(lost, f)
		}
	}
	slices.SortFunc(lost, func(a, b *folder) int { return strings.Compare(a.path, b.path) })
	return lost
}

// emptied says why a root in which no product folder is left is not believed, or "".
func (t *tree) emptied(r *reading, lost []*folder) string {
	had := 0
	for _, f := range lost {
		if f.missed == nil && (f.told || f.born == 0) {
			had++
		}
	}
	if all, _ := t.survivors(r); had == 0 || all > 0 || t.trust.accepts(r.on) {
		return ""
	}
	return fmt.Sprintf("holds no product folder any more, and %d were known: connect the drive, or put them back", had)
}

// conclude counts the absence of the folders that a whole read of a healthy root did not find.
func (t *tree) conclude(ctx context.Context, r *reading, lost []*folder) {
	if t.strange(r) {
		for _, f := range lost {
			if f.missed == nil {
				f.aside = true
				t.drop(f)
			}
		}
		return
	}
	for _, f := range lost {
		if t.count(f, r) {
			t.tell(ctx, f)
		}
		t.plan.suspect = t.plan.suspect || f.missed.Reads < 2
	}
}

// count counts a whole read that did not find a folder, unless the last one was just before.
func (t *tree) count(f *folder, r *reading) bool {
	if f.missed == nil {
		t.drop(f)
		f.missed = &missed{Absence: Absence{Since: r.start}}
	} else if r.start.Sub(f.missed.last) < absenceGap {
		return false
	}
	f.missed.Reads++
	f.missed.last = r.end
	return true
}

// strange reports whether a root holds none of the folders known from before and nothing proves
// that it is still the same volume: another memory card in the same slot. Its folders count, but
// the others are not gone.
func (t *tree) strange(r *reading) bool {
	_, known := t.survivors(r)
	return known == 0 && !t.trust.accepts(r.on) && (t.volume.IsZero() || !r.on.Sure)
}

// mounted notes a drive that a reading of the tree came across. The drive is reported before the
// folders on it.
func (t *tree) mounted(r *reading, dir string, on volume.Volume) {
	r.mounts[dir] = on
	if before, known := t.status.getMounts()[dir]; !known || before.IsZero() && !on.IsZero() {
		t.status.setMount(dir, on.Identity)
	}
}

// judgeMounts counts each directory that a reading found unmounted as unknown: the drive went away,
// not the product folders.
func (t *tree) judgeMounts(r *reading) {
	before, read := t.trust.untrusted.mounts, slices.Clone(r.unknown)
	t.trust.untrusted.mounts = map[string]unmountedDir{}
	for _, h := range read {
		if other, is := errors.AsType[*MountError](h.err); is {
			r.untrusted[h.dir] = other.Why
		}
	}
	for dir := range r.known {
		if slices.ContainsFunc(read, func(h unknownDir) bool { return within(h.dir, dir) }) && r.untrusted[dir] == "" {
			continue
		}
		was, suspected := before[dir]
		if !suspected {
			was.since = r.number
		}
		on, mounted := r.mounts[dir]
		switch why := t.mountTrouble(r, dir, was.since); {
		case why != "" && why != r.accepted[dir].why:
			t.trust.untrusted.mounts[dir] = unmountedDir{why, was.since}
			r.unknown = append(r.unknown, unknownDir{dir, t.disk.mountError(dir, why)})
		case !mounted && !r.passedOver(dir):
			t.status.dropMount(dir)
		case why != "":
			t.status.setMount(dir, on.Identity)
		}
	}
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

// isUnmounted reports whether a folder cannot be read because its drive is away.
func (f *folder) isUnmounted() bool {
	if f.live == nil {
		return false
	}
	_, is := errors.AsType[*MountError](f.live.err)
	return is
}

// judgeDirectories tells of the directories that a reading of the tree came across.
func (t *tree) judgeDirectories(ctx context.Context, r *reading) {
	for _, h := range r.unknown {
		if dir, told := t.disk.barred(h); told {
			r.wrong[dir] = h.err
		}
	}
	for dir, err := range r.wrong {
		_, misnamed := errors.AsType[*NameError](err)
		if f := t.folders[dir]; f != nil && misnamed { // known from an earlier process
			t.drop(f)
			delete(t.folders, dir)
		}
	}
	t.tellDirectories(ctx, r.wrong, func(dir string) bool {
		below := func(above string) bool { return above == "." || within(above, dir) }
		inUnknown := slices.ContainsFunc(r.unknown, func(h unknownDir) bool { return below(h.dir) && h.dir != dir })
		switch level := Level(dir); {
		case inUnknown:
			return false
		case r.isBranches():
			return slices.Contains(r.from, dir)
		case level > t.root.Depth:
			return r.detail == listed && !t.seenAbove(dir, r.number)
		case denied(t.directories[dir]) != nil:
			return r.detail == listed // a scan opens no product folder
		}
		return true
	})
}

// lookAtBarred has directories that cannot be read tried again, and gives the time to do so next.
func (t *tree) lookAtBarred(now time.Time) time.Time {
	if t.plan.barredAt.After(now) {
		return t.plan.barredAt
	}
	t.plan.barredAt = now.Add(pollDenied)
	for dir, err := range t.directories {
		_, misplaced := errors.AsType[*MisplacedError](err)
		_, misnamed := errors.AsType[*NameError](err)
		if misplaced || misnamed || err == nil || Level(dir) >= t.root.Depth {
			continue
		}
		if dir == "." {
			t.plan.readWhole(now)
			continue
		}
		t.plan.readBranch(dir, false)
	}
	return t.plan.barredAt
}
