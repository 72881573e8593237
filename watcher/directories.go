package watcher

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// troubled reports the directories below a root that are no product folders and still need a
// person. An unreadable directory may hide product folders, and the program takes no photos that
// lie at another depth than product folders. A Snapshot reports each such directory as a folder,
// with its path as Folder and the trouble as Err. It is not Present once the trouble has ended.
type troubled struct {
	root     Root
	disk     *disk
	folders  *folders
	out      *outbox
	reported directories
}

// report sends a Snapshot of each directory whose trouble began, changed or ended. Trouble ends only
// in directories that the reading covered.
func (t *troubled) report(ctx context.Context, wrong directories, covered func(dir string) bool) {
	for _, dir := range slices.Sorted(maps.Keys(wrong)) {
		if before, known := t.reported[dir]; !known || text(before) != text(wrong[dir]) {
			t.reported[dir] = wrong[dir]
			t.out.put(ctx, Snapshot{Root: t.root.Path, Folder: dir, Present: true, Err: wrong[dir]})
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(t.reported)) {
		if _, still := wrong[dir]; !still && covered(dir) {
			delete(t.reported, dir)
			t.out.put(ctx, Snapshot{Root: t.root.Path, Folder: dir, Absent: Absence{Since: time.Now(), Reads: 1}})
		}
	}
}

func (t *troubled) has(dir string) bool {
	_, known := t.reported[dir]
	return known
}

// text is the message of a directory's error; empty without an error.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// unreadable gives the directories above product folders that could not be read.
func (t *troubled) unreadable() []string {
	var all []string
	for dir, err := range t.reported {
		_, misplaced := errors.AsType[*MisplacedError](err)
		_, misnamed := errors.AsType[*NameError](err)
		if err != nil && !misplaced && !misnamed && Level(dir) < t.root.Depth {
			all = append(all, dir)
		}
	}
	return all
}

// recall restores a directory that an earlier process reported. The product folder above it then
// keeps the directory in its beside.
func (t *troubled) recall(dir string) {
	t.reported[dir] = nil
	if f := t.folderAbove(dir); f != nil {
		f.beside = &beside{below: directories{dir: nil}}
	}
}

// folderAbove gives the product folder above a directory; nil = none.
func (t *troubled) folderAbove(dir string) *folder {
	if Level(dir) <= t.root.Depth {
		return nil
	}
	return t.folders.all[t.root.productFolder(dir)]
}

// judge reports the directories that a reading of the tree came across. It returns the folders
// whose names the system takes for others: they are no product folders.
func (t *troubled) judge(ctx context.Context, r *reading) (misnamed []*folder) {
	w := &r.walk
	for _, h := range w.unknown {
		if dir, ok := t.disk.reportedFor(h); ok {
			w.wrong[dir] = h.err
		}
	}
	for dir, err := range w.wrong {
		_, is := errors.AsType[*NameError](err)
		if f := t.folders.all[dir]; f != nil && is { // known from an earlier process
			misnamed = append(misnamed, f)
		}
	}
	t.report(ctx, w.wrong, func(dir string) bool { return t.covers(r, dir) })
	return misnamed
}

// covers reports whether a reading shows the present state of a reported directory.
func (t *troubled) covers(r *reading, dir string) bool {
	w := &r.walk
	below := func(above string) bool { return above == "." || within(above, dir) }
	inUnknown := slices.ContainsFunc(w.unknown, func(h unknownDir) bool { return below(h.dir) && h.dir != dir })
	switch level := Level(dir); {
	case inUnknown:
		return false
	case w.isBranches():
		return slices.Contains(w.from, dir)
	case level > t.root.Depth: // the product folder above reports it
		f := t.folderAbove(dir)
		return w.detail == listed && (f == nil || f.seen != r.number)
	case denied(t.reported[dir]) != nil:
		return w.detail == listed // a scan opens no product folder
	}
	return true
}

// retryUnreadable reads directories again that could not be read, and gives the time of the next
// try.
func (t *tree) retryUnreadable(now time.Time) time.Time {
	if t.plan.retryAt.After(now) {
		return t.plan.retryAt
	}
	t.plan.retryAt = now.Add(pollDenied)
	for _, dir := range t.troubled.unreadable() {
		if dir == "." {
			t.plan.readWhole(now)
			continue
		}
		t.plan.readBranch(dir, false)
	}
	return t.plan.retryAt
}

// reportedFor gives the directory that is reported for an unknown one. The product folders report a
// drive that is away.
func (d *disk) reportedFor(h unknownDir) (dir string, ok bool) {
	if _, away := errors.AsType[*MountError](h.err); away {
		return "", false
	}
	dir = h.dir
	if e := denied(h.err); e != nil {
		if rel, err := filepath.Rel(d.root, e.Path); err == nil && filepath.IsLocal(rel) {
			dir = filepath.ToSlash(rel)
		}
	}
	return dir, true
}
