package plan

import (
	"bytes"
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
	Captured time.Time
	Content  string // media type
	Digest   []byte // SHA-256; nil when it was not asked for
	XMP      *alttext.Packet
	Early    bool // it was read before it was still, and must be read again at rest
}

// Evidence is the knowledge about single files: from reading them, from the run that sends them,
// and from the published revision.
type evidence struct {
	readings  map[string]Reading
	touches   map[string]Touch
	order     manifest.Order
	run       *syncstate.Run
	published *syncstate.Published
	names     *nameIndex // of published; may be nil
}

func (s Scene) evidence() evidence {
	return evidence{
		readings: s.Readings, touches: s.Touches, order: s.Rules.Order,
		run: s.Record.Run, published: s.Record.Published, names: s.Memo.index(),
	}
}

// read is the reading of a still frame, if it holds for the frame as it stands. A frame that was
// sent early is read again at rest.
func (e evidence) read(f watcher.File) (Reading, bool) {
	r := e.readings[f.Name]
	if r.Early || !r.File.Same(FileOf(f)) {
		return Reading{}, false
	}
	return r, !e.sentEarly(f) || !r.Whole || r.Digest != nil && !r.Since.Before(f.Since)
}

// known reports whether this very file was found whole before, in this run or for the published
// revision.
func (e evidence) known(f watcher.File) bool {
	if e.order == manifest.Captured && e.capturedAt(f).IsZero() || e.sentEarly(f) {
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

// sentEarly reports whether this file was, or may have been, sent before it was still, so that it
// must be read a second time.
func (e evidence) sentEarly(f watcher.File) bool {
	sent := e.sent(f)
	return sent != nil && sent.Early && !e.untouched(f)
}

// untouched reports whether a frame that had long stood when it was sent has not changed in any way
// since. The disk cannot tell that of a frame that was being written: a program that writes through
// mapped memory leaves no trace for some time.
func (e evidence) untouched(f watcher.File) bool {
	was := e.touches[f.Name]
	return was.Stood && was.Changed != 0 && was.Changed == f.Changed
}

// disproves reports whether a frame that was sent early was not found at rest with the bytes sent.
func (e evidence) disproves(sent syncstate.RunFrame, f watcher.File) bool {
	return e.sentEarly(f) && !bytes.Equal(e.readings[f.Name].Digest, sent.Digest)
}

// nameIndex finds published frames by the names of their files. A nil one is made anew for each
// question.
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
