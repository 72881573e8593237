package plan

import (
	"slices"
	"time"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// The table signal shows a person at a turntable that the set is complete, with every frame whole
// and read. It does not depend on the upload: it also comes for a paused folder, and while the
// service is away.

// IsWholeSet reports whether the folder is a complete set of frames that are whole and read,
// published or not.
func (s Scene) IsWholeSet() bool {
	return s.Facts.Snapshot.Idle || s.standsPublished() || s.Set.Ready && s.Set.Problem == nil
}

// WrongCount is why a person must see to the number of frames; nil where it is right, or may still
// become so.
func (set Set) WrongCount() *status.Cause {
	if set.awaits.State == status.Attention {
		return set.awaits.Cause
	}
	return nil
}

// BrokenFrames is why frames are not whole, by name.
func (set Set) BrokenFrames() map[string]string {
	reasons := map[string]string{}
	for _, r := range set.Broken {
		reasons[r.File.Name] = r.Broken
	}
	return reasons
}

// standsPublished reports whether the frames are the published ones, without a run or a temporary
// file that holds them up.
func (s Scene) standsPublished() bool {
	p, about := s.Record.Published, s.Set.about
	return p != nil && s.Record.Run == nil && len(s.Set.Busy) == 0 && len(p.Frames) == len(s.Facts.Snapshot.Frames) &&
		!slices.ContainsFunc(s.Facts.Snapshot.Frames, func(f watcher.File) bool { return about.publishedAs(f) == nil })
}

// Arrival is when a frame that is not published last came or changed, as far as this process saw
// it; zero for never. Frames that the first read found in a known folder count by the time of the
// file.
func (s Scene) Arrival() time.Time {
	about := s.Set.about
	return s.newest(func(f watcher.File) bool { return about.publishedAs(f) == nil })
}

// Shot is when the last frame came that the run has and the publication before it has not; zero for
// none.
func (s Scene) Shot() time.Time {
	about := s.Set.about
	return s.newest(func(f watcher.File) bool { return about.publishedAs(f) == nil && about.sent(f) != nil })
}

// Resting counts the frames that are not expected to change any more. A still frame that is not
// read yet is among them: most likely it is whole.
func (s Scene) Resting() int {
	n, about := 0, s.Set.about
	for _, f := range s.Facts.Snapshot.Frames {
		r, isRead := about.read(f)
		if broken := isRead && !r.Whole; !broken && (f.Still || about.known(f)) {
			n++
		}
	}
	return n
}

// newest is when the last of these frames came or changed; zero for none.
func (s Scene) newest(of func(watcher.File) bool) time.Time {
	var newest time.Time
	for _, f := range s.Facts.Snapshot.Frames {
		at := f.Since
		if s.Facts.stood(f) && f.ModTime.Before(at) {
			at = f.ModTime
		}
		if at.After(newest) && of(f) {
			newest = at
		}
	}
	return newest
}
