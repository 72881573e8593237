package plan

import (
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/manifest"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Reading is the result of reading one frame. It is valid for exactly the file it names.
type Reading struct {
	File     syncstate.File
	Whole    bool      // as far as it was read; the upload shows the remainder
	Broken   string    // why it is not whole
	Since    time.Time // when it was read; if broken, since when it has been as it was read
	Glanced  time.Time // when a glance found it broken last; zero where all of it was read
	Changed  int64     // the file's last change then, as its drive reports it; 0 = unknown
	Captured time.Time
	Content  string // media type
	Digest   []byte // syncstate.NewDigest; nil when it was not asked for
	XMP      *alttext.Packet
}

// Evidence is the knowledge about single files: from reading them, from the run that sends them,
// and from the published revision.
type evidence struct {
	readings  map[string]Reading
	order     manifest.Order
	run       *syncstate.Run
	published *syncstate.Published
	names     map[string]int // index into the published frames
}

func evidenceOf(facts Facts, record syncstate.Record) evidence {
	about := evidence{readings: facts.Readings, order: facts.Rules.Order, run: record.Run, published: record.Published}
	if about.published != nil {
		about.names = make(map[string]int, len(about.published.Frames))
		for i, f := range about.published.Frames {
			about.names[f.Name] = i
		}
	}
	return about
}

// read is the reading of a frame, and whether it is of this very file.
func (e evidence) read(f watcher.File) (Reading, bool) {
	r, ok := e.readings[f.Name]
	return r, ok && r.File.Same(FileOf(f))
}

// known reports whether this very file was found whole before, in this run or for the published
// revision.
func (e evidence) known(f watcher.File) bool {
	if e.order == manifest.Captured && e.capturedAt(f).IsZero() {
		return false
	}
	return e.sent(f) != nil || e.publishedAs(f) != nil
}

func (e evidence) sent(f watcher.File) *syncstate.RunFrame {
	if e.run == nil {
		return nil
	}
	file := FileOf(f)
	for i := range e.run.Frames {
		if e.run.Frames[i].Same(file) {
			return &e.run.Frames[i]
		}
	}
	return nil
}

func (e evidence) publishedAs(f watcher.File) *syncstate.Frame {
	i, ok := e.names[f.Name]
	if !ok || !e.published.Frames[i].Same(FileOf(f)) {
		return nil
	}
	return &e.published.Frames[i]
}

// capturedAt is a frame's capture time, if it was read from this very file.
func (e evidence) capturedAt(f watcher.File) time.Time {
	if r, isRead := e.read(f); isRead {
		return r.Captured
	}
	if sent := e.sent(f); sent != nil {
		return sent.Captured
	}
	if published := e.publishedAs(f); published != nil {
		return published.Captured
	}
	return time.Time{}
}

// CapturedAt is a frame's capture time, if it was read from this very file.
func (set Set) CapturedAt(f watcher.File) time.Time { return set.about.capturedAt(f) }
