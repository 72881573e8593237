package plan

import (
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A View is how far a station of a fleet may believe what it sees of a folder. Each mount has a cache,
// and a share may even be a copy that is brought up to date at times: another station may have
// published photos that this one does not see yet.
type View struct {
	// From is when every cache shows what was there when the record changed last.
	From time.Time
	// Seen: since this station took the work the folder was as its record has it, or a person
	// confirmed what is there.
	Seen bool
}

// planView holds a folder back that this station may see as it was before. Time alone does not make a
// view true that lacks what was published: that of a copy may be days old.
func (s Scene) planView() (next Step, holds bool) {
	view := s.Around.View
	switch {
	case view == nil || view.Seen || s.Facts.Snapshot.Idle || s.SeesRecorded():
		return Step{}, false
	case s.Facts.Snapshot.Err != nil, !s.Facts.Snapshot.Present && s.Facts.Snapshot.Absent.Reads == 0:
		return Step{}, false // nothing can be done for it anyway
	case s.isBehind():
		return NeedsPerson(status.Because(status.ViewBehind)), true
	case s.Now.Before(view.From):
		return Step{Action: Wait, State: status.Collecting, Cause: status.Because(status.ViewSettles), Until: view.From}, true
	}
	return Step{}, false
}

// SeesRecorded reports whether a folder is as its record has it: its photos and all that is said of them.
func (s Scene) SeesRecorded() bool {
	now, run, idle := s.Facts.Snapshot, s.Record.Run, s.Record.Idle
	switch {
	case now.Err != nil || !now.Present:
		return false
	case run.In(syncstate.Making):
		return areFiles(now.Frames, s.recorded())
	case run != nil || s.Record.Published == nil:
		return false
	}
	return s.Facts.Row.Err == nil && idle.Listing == ListingHash(now) && idle.Settings == s.Facts.Settings
}

// areFiles reports whether these are the recorded files.
func areFiles(now []watcher.File, recorded []syncstate.File) bool {
	present := byName(now)
	for _, f := range recorded {
		if !asShared(f).Same(asShared(FileOf(present[f.Name]))) {
			return false
		}
	}
	return len(now) == len(recorded) && len(recorded) > 0
}

// recorded are the photos with which the product is being made, or that are published.
func (s Scene) recorded() (files []syncstate.File) {
	switch run := s.Record.Run; {
	case run.In(syncstate.Making):
		for _, f := range run.Frames {
			files = append(files, f.File)
		}
	case s.Record.Published != nil:
		for _, f := range s.Record.Published.Frames {
			files = append(files, f.File)
		}
	}
	return files
}

// asShared is a file as all stations see it. What a computer recorded while it was alone has more.
func asShared(f syncstate.File) syncstate.File {
	f.ModTime, f.ID = watcher.AsShared(f.ModTime), ""
	return f
}

func byName(files []watcher.File) map[string]watcher.File {
	all := make(map[string]watcher.File, len(files))
	for _, f := range files {
		all[f.Name] = f
	}
	return all
}

// isBehind reports whether a folder lacks a recorded photo or has it older, or says something else of
// the same photos, and no file in it is newer than all that was there.
func (s Scene) isBehind() bool {
	now, idle, recorded := s.Facts.Snapshot, s.Record.Idle, s.recorded()
	if !now.Present || len(recorded) == 0 {
		return false
	}
	newest := time.Unix(0, idle.Newest)
	lacks, present := false, byName(now.Frames)
	for _, f := range recorded {
		was := watcher.AsShared(f.ModTime)
		if was.After(newest) {
			newest = was
		}
		now, there := present[f.Name]
		lacks = lacks || !there || watcher.AsShared(now.ModTime).Before(was)
	}
	others := len(now.Frames) == len(recorded) && len(now.Busy) == 0 &&
		idle.Listing != "" && idle.Listing != ListingHash(now) && idle.Settings == s.Facts.Settings
	return (lacks || others) && NewestIn(now) <= newest.UnixNano()
}

// NewestIn is when the newest photo of a folder was written, or the newest file that says something of
// them.
func NewestIn(s watcher.Snapshot) int64 {
	newest := max(watcher.Newest(s.Frames), watcher.Newest(s.Sidecars))
	if s.Marker != nil {
		newest = max(newest, s.Marker.ModTime.UnixNano())
	}
	return newest
}
