package watcher

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// Some directories are no product folders, and a person has to hear of them all the same. An
// unreadable directory may hide product folders, and the program takes no photos that lie at
// another depth than product folders. A Snapshot reports each such directory as a folder, with its
// path as Folder and the trouble as Err. It is not Present once the trouble has ended.

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
			s.send(ctx, Snapshot{Root: s.root.Path, Folder: dir, Present: true, Err: wrong[dir]})
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(s.directories)) {
		if _, still := wrong[dir]; !still && covered(dir) {
			delete(s.directories, dir)
			s.send(ctx, Snapshot{Root: s.root.Path, Folder: dir, Absent: Absence{Since: time.Now(), Reads: 1}})
		}
	}
}

// seenAbove reports whether a reading met the product folder above a directory, which tells of the
// directory itself.
func (s *settler) seenAbove(dir string, number uint32) bool {
	f := s.folders[s.root.productFolder(dir)]
	return f != nil && f.seen == number
}

// recallDirectory restores a directory that an earlier process reported. The product folder above
// it then keeps the directory in its beside.
func (s *settler) recallDirectory(dir string) {
	s.directories[dir] = nil
	if Level(dir) <= s.root.Depth {
		return
	}
	if f := s.folders[s.root.productFolder(dir)]; f != nil {
		f.beside = &beside{below: directories{dir: nil}}
	}
}

// takeBeside takes in what a listing found beside frames, and reports whether the photos that are
// not taken are others than before.
func (s *settler) takeBeside(ctx context.Context, f *folder, l listing) (news bool) {
	before := f.beside
	f.beside = l.beside
	if below := before.directories(); below != nil || l.beside.directories() != nil {
		s.tellDirectories(ctx, l.beside.directories(), func(dir string) bool { return within(f.path, dir) })
	}
	return !before.notTaken().Same(l.beside.notTaken())
}

// barred gives the directory that is reported for an unknown one. The product folders report a drive
// that is away.
func (d *disk) barred(h unknownDir) (dir string, told bool) {
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
