package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spinsync/watcher/names"
)

// Some directories are no product folders, and a person has to hear of them all the same. An
// unreadable directory may hide product folders, and the program takes no photos that lie at
// another depth than product folders. A Snapshot reports each such directory as a folder, with its
// path as Folder and the trouble as Err. It is not Present once the trouble has ended.

// A MisplacedError says that photos lie in a directory that is no product folder by its depth.
type MisplacedError struct {
	Photos int
	First  string // the name of one
}

func (e *MisplacedError) Error() string {
	return fmt.Sprintf("holds %d photos and is no product folder", e.Photos)
}

// Level counts the directories of a path below the root; the root is ".".
func Level(below string) int {
	if below == "." || below == "" {
		return 0
	}
	return strings.Count(below, "/") + 1
}

// nameOf is how a directory is told of.
func nameOf(below string) string { return path.Clean("./" + below) }

// directories are those that a reading found something wrong with, and what.
type directories map[string]error

// branchOf is a directory as a walk begins with it.
func branchOf(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// text is the message of a directory's error; empty without an error.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// tellDirectories sends a Snapshot of each directory whose trouble began, changed or ended. Trouble
// ends only in directories that the reading covered.
func (s *settler) tellDirectories(ctx context.Context, wrong directories, covered func(dir string) bool) {
	for _, dir := range slices.Sorted(maps.Keys(wrong)) {
		if before, told := s.directories[dir]; !told || text(before) != text(wrong[dir]) {
			s.directories[dir] = wrong[dir]
			s.send(ctx, Snapshot{Root: s.Path, Folder: dir, Present: true, Err: wrong[dir]})
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(s.directories)) {
		if _, still := wrong[dir]; !still && covered(dir) {
			delete(s.directories, dir)
			s.send(ctx, Snapshot{Root: s.Path, Folder: dir, Absent: Absence{Since: time.Now(), Reads: 1}})
		}
	}
}

// judgeDirectories tells of the directories that a reading of the tree came across.
func (t *tree) judgeDirectories(ctx context.Context, r *reading) {
	for _, h := range r.holes {
		if dir, told := t.disk.barred(h); told {
			r.wrong[dir] = h.err
		}
	}
	t.tellDirectories(ctx, r.wrong, func(dir string) bool {
		below := func(above string) bool { return above == "" || dir != "." && within(above, dir) }
		inHole := slices.ContainsFunc(r.holes, func(h hole) bool { return below(h.dir) && h.dir != dir })
		switch level := Level(dir); {
		case inHole || !slices.ContainsFunc(r.from, below):
			return false
		case r.shallow:
			return slices.Contains(r.from, branchOf(dir))
		case level > t.Depth:
			return r.detail == listed && !t.seenAbove(dir, r.number)
		case denied(t.directories[dir]) != nil:
			return r.detail == listed // a scan opens no product folder
		}
		return true
	})
}

// seenAbove reports whether a reading met the product folder above a directory, which tells of the
// directory itself.
func (s *settler) seenAbove(dir string, number uint32) bool {
	f := s.folders[s.productFolder(dir)]
	return f != nil && f.seen == number
}

// barred gives the directory that a person hears of because of a hole. A drive that is away is told
// by its product folders.
func (d *disk) barred(h hole) (dir string, told bool) {
	if _, stray := errors.AsType[*MountError](h.err); stray {
		return "", false
	}
	dir = h.dir
	if e := denied(h.err); e != nil {
		if rel, err := filepath.Rel(d.root, e.Path); err == nil && filepath.IsLocal(rel) {
			dir = filepath.ToSlash(rel)
		}
	}
	return nameOf(dir), true
}

// lookAtBarred has directories that cannot be read tried again, and gives the time to do so next.
func (t *tree) lookAtBarred(now time.Time) time.Time {
	if t.plan.barredAt.After(now) {
		return t.plan.barredAt
	}
	t.plan.barredAt = now.Add(pollDenied)
	for dir, err := range t.directories {
		if _, misplaced := errors.AsType[*MisplacedError](err); misplaced || err == nil || Level(dir) >= t.Depth {
			continue
		}
		if dir == "." {
			t.plan.readWhole(now)
			continue
		}
		t.plan.branches[dir] = true
	}
	return t.plan.barredAt
}

// misplaced tells of the photos among the entries of a directory above product folders; nil without
// any.
func (d *disk) misplaced(dir string, entries []fs.DirEntry) error {
	var files []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			files = append(files, e.Name())
		}
	}
	return d.countPhotos(dir, files)
}

func (d *disk) countPhotos(dir string, files []string) error {
	var found MisplacedError
	for _, name := range files {
		if k, _ := d.rules.Classify(nameOf(dir), name); k == names.Frame {
			if found.Photos == 0 {
				found.First = strings.Clone(name)
			}
			found.Photos++
		}
	}
	if found.Photos == 0 {
		return nil
	}
	return &found
}

// recallDirectory restores a directory that an earlier process reported. The product folder above
// it then keeps the directory in its beside.
func (s *settler) recallDirectory(dir string) {
	s.directories[dir] = nil
	if Level(dir) <= s.Depth {
		return
	}
	if f := s.folders[s.productFolder(dir)]; f != nil {
		f.beside = &beside{below: directories{dir: nil}}
	}
}

// productFolder is the one above a directory that lies deeper.
func (r *Root) productFolder(dir string) string {
	return strings.Join(strings.Split(dir, "/")[:r.Depth], "/")
}
