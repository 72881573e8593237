package watcher

import (
	"maps"
	"path"
	"slices"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
)

// takeHints turns hints into reads of folders and of the tree.
func (t *tree) takeHints(h events.Hints) {
	if h.From != nil && watchSet(h.From) != t.watches.set {
		return // of watches that were given up; a whole read follows
	}
	now := time.Now()
	if h.Lost != "" {
		t.lose(h.Lost)
	}
	if t.at.offline() {
		t.plan.surveyAt = sooner(t.plan.surveyAt, now)
		return
	}
	for _, below := range slices.Sorted(maps.Keys(h.Paths)) {
		t.takeHint(t.disk.composed(below), h.Paths[below], now)
	}
}

func (t *tree) takeHint(below string, c events.Change, now time.Time) {
	switch level := Level(below); {
	case below == ".":
		t.plan.surveyAt = now
	case level < t.root.Depth && c&events.Unwatched != 0:
		// The watches below a renamed directory go on under its old name.
		t.lose("a directory above product folders was renamed or removed")
	case level <= t.root.Depth && (t.folders.all[below] == nil && t.disk.mayBePhoto(below) || !t.disk.isPlain(path.Base(below))):
		if c&(events.Appeared|events.Gone) != 0 {
			t.plan.readBranch(path.Dir(below), false) // probably no directory, or one that cannot be read
		}
	case level < t.root.Depth && c&events.Appeared != 0:
		t.plan.readBranch(below, true)
	case level < t.root.Depth && c == events.Touched:
		t.plan.readBranch(below, false) // its rights may have changed
	case level == t.root.Depth && (c != events.Touched || t.folders.all[below] != nil):
		t.settler.hinted(below, "", now)
	case level == t.root.Depth+1:
		t.settler.hintedFile(path.Dir(below), path.Base(below), c, now)
	}
}

// mayBePhoto reports whether the path of something above product folders, or in place of one, has
// the name of a photo.
func (d *disk) mayBePhoto(below string) bool {
	k, _ := d.rules.Classify(path.Dir(below), path.Base(below))
	return k == names.Frame
}

// hintedFile leaves junk out. A file whose attributes alone changed stays still if a read finds it
// the same: indexers and virus scanners cause storms of such events.
func (s *settler) hintedFile(folder, name string, c events.Change, now time.Time) {
	k, _ := s.disk.rules.Classify(folder, name)
	other := k == names.Foreign || k == names.Photo
	if k == names.Unseen || other && c&(events.Appeared|events.Gone) == 0 {
		return
	}
	if other {
		name = ""
	}
	if (k == names.Frame || k == names.Busy) && c&(events.Appeared|events.Altered) != 0 {
		s.shots.wrote(folder, now.Add(shootingLasts))
	}
	if c == events.Touched {
		name = ""
	}
	s.hinted(folder, name, now)
}
