package daemon

import (
	"maps"
	"slices"
	"time"

	"spinsync/syncstate"
	"spinsync/watcher"
)

// A person at a turntable waits to hear that the set is complete, and every frame whole and read.
// This table signal does not depend on the upload: it also comes for a paused folder, and while the
// service is away.

// meanwhile has the frames read of a folder that waits for something else.
func (s scene) meanwhile(next step) step {
	if !s.snapshot.Present || s.snapshot.Idle || s.snapshot.Err != nil || s.offline != nil {
		return next
	}
	g := s.gather()
	switch ready, pending := s.complete(g); {
	case len(g.unread) > 0 && s.now.Before(s.blindUntil):
		next.again = s.blindUntil
	case len(g.unread) > 0:
		return step{
			action: read, state: next.state, cause: next.cause, until: next.until,
			frames: g.unread, digest: s.wantsDigest(g.unread), aside: true,
		}
	case !ready && pending.action == wait:
		next.again = pending.until
	}
	return next
}

// isSet reports whether the folder is a complete set of frames that are whole and read, published
// or not. For an incomplete set it also returns the gathering.
func (s scene) isSet() (bool, gathering) {
	if s.snapshot.Idle || s.standsPublished() {
		return true, gathering{}
	}
	g := s.gather()
	ready, _ := s.complete(g)
	return ready && g.problem == nil, g
}

// brokenFrames says why frames are not whole, by name.
func (g gathering) brokenFrames() map[string]string {
	reasons := map[string]string{}
	for _, r := range g.broken {
		reasons[r.file.Name] = r.broken
	}
	return reasons
}

// standsPublished reports whether the frames are the published ones; other files beside them play
// no part.
func (s scene) standsPublished() bool {
	p := s.record.Published
	return p != nil && s.record.Run == nil && len(s.busyNow()) == 0 && len(p.Frames) == len(s.snapshot.Frames) &&
		!slices.ContainsFunc(s.snapshot.Frames, func(f watcher.File) bool { return s.publishedFrame(f) == nil })
}

// arrival is when a frame that is not published last came or changed, as far as this process saw
// it; zero for never. Frames that stood in a known folder at its first look count by the time of
// the file.
func (s scene) arrival() time.Time {
	var newest time.Time
	for _, f := range s.snapshot.Frames {
		at := f.Since
		if !at.After(s.firstLook) && f.ModTime.Before(at) {
			at = f.ModTime
		}
		if at.After(newest) && s.publishedFrame(f) == nil {
			newest = at
		}
	}
	return newest
}

// look notes when a folder that an earlier process knew was first looked at.
func (j *job) look() {
	if !j.recalled || j.snapshot.Idle || !j.snapshot.Present || len(j.snapshot.Frames) == 0 {
		return
	}
	j.recalled = false
	for _, f := range j.snapshot.Frames {
		if f.Since.After(j.firstLook) {
			j.firstLook = f.Since
		}
	}
}

// A condition is how the frames of a folder stand.
type condition struct {
	arrival  time.Time // see scene.arrival
	settled  int       // frames; -1 as before
	complete bool      // a whole set, each frame read
	torn     string    // the frame that has to be made again; empty for none
	broken   map[string]string
}

// notice puts on display how the frames stand.
func (j *job) notice(s scene) {
	if !s.snapshot.Present || s.snapshot.Err != nil {
		return
	}
	complete, g := s.isSet()
	c := condition{arrival: s.arrival(), settled: -1, complete: complete, torn: g.torn, broken: g.brokenFrames()}
	if !s.snapshot.Idle {
		c.settled = s.settled()
	}
	j.board.notice(j.key, c)
}

func (b *board) notice(key syncstate.Folder, c condition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok {
		return
	}
	if c.settled < 0 {
		c.settled = f.status.Frames.Settled
	}
	if f.status.Frames.Settled == c.settled && f.status.Complete == c.complete &&
		f.status.Torn == c.torn && maps.Equal(f.broken, c.broken) && !c.arrival.After(f.status.Arrived) {
		return
	}
	f.status.Frames.Settled, f.status.Complete, f.status.Torn, f.broken = c.settled, c.complete, c.torn, c.broken
	if c.arrival.After(f.status.Arrived) {
		f.status.Arrived = c.arrival.Round(0).UTC()
	}
	b.announce()
}
