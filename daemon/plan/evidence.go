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
	Digest   []byte // SHA-256; nil when it was not asked for
	XMP      *alttext.Packet
}

// Evidence is the knowledge about single files: from reading them, from the run that sends them,
// and from the published revision.
type evidence struct {
	readings  map[string]Reading
	order     manifest.Order
	run       *syncstate.Run
	published *syncstate.Published
	names     *nameIndex // of published; may be nil
}

func (s Scene) evidence() evidence {
	return evidence{
		readings: s.Facts.Readings, order: s.Facts.Rules.Order, run: s.Record.Run, published: s.Record.Published, names: s.Memo.index(),
	}
}

// read is the reading of a frame, and whether it is of this very file.
func (e evidence) read(f watcher.File) (Reading, bool) {
	r := e.readings[f.Name]
	return r, r.File.Same(FileOf(f))
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
	i, ok := e.names.find(e.published, f.Name)
	if !ok || !e.published.Frames[i].Same(FileOf(f)) {
		return nil
	}
	return &e.published.Frames[i]
}

// capturedAt is a frame's capture time, if it was read from this very file.
func (e evidence) capturedAt(f watcher.File) time.Time {
	if r := e.readings[f.Name]; r.File.Same(FileOf(f)) {
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

// nameIndex finds published frames by the names of their files. A nil one is made again for each
// search.
type nameIndex struct {
	of *syncstate.Published
	at map[string]int // index into its frames
}

func (n *nameIndex) find(published *syncstate.Published, name string) (i int, ok bool) {
	if n == nil {
		n = new(nameIndex)
	}
	if published != nil && n.of != published {
		n.of, n.at = published, make(map[string]int, len(published.Frames))
		for i, f := range published.Frames {
			n.at[f.Name] = i
		}
	}
	i, ok = n.at[name]
	return i, ok && published != nil
}

// CapturedAt is a frame's capture time, if it was read from this very file.
func (s Scene) CapturedAt(f watcher.File) time.Time { return s.evidence().capturedAt(f) }
