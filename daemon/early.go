package daemon

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// An upload binds nothing until the finish request, and the same key can be sent again. So the
// daemon sends whole frames early, before they are known to be at rest, if the count of the set is
// known. The line is then not idle while settle passes.
//
// A set begins at once if it was complete when its root was first read, and if the clock of the
// disk shows no change for as long as settle. A set that comes later may be only passing through,
// or get its name in a moment.
//
// The record marks frames that were sent early. Before the finish such a frame must be at rest, and
// is read a second time. Only a frame that had long stood is exempt, if the disk can tell that
// nothing touched it since. The daemon sends a frame again if its digest is not that of the bytes
// sent. A program that writes each frame twice would have most frames sent twice, so a folder with
// such a premature frame sends none early any more.

// earlyPause is how long a frame stands unchanged before it is read early. A settle below a few of
// these leaves nothing to gain.
const earlyPause = 100 * time.Millisecond

// mayHurry reports whether frames of the folder may be sent early. On a network drive the second
// reading costs more than the time that is gained.
func (j *job) mayHurry() bool { return !j.rash && !j.files.onNetwork(j.key.Root) }

// stood reports whether the folder was there when its root was first read, and has not changed for
// as long as settle, by its own time and those of its files. A wrong clock may say so of a folder
// that is being written, so nothing binding is concluded from it.
func (s scene) stood() bool {
	newest := s.snapshot.Modified
	for _, f := range slices.Concat(s.snapshot.Frames, s.snapshot.Sidecars) {
		if f.ModTime.After(newest) {
			newest = f.ModTime
		}
	}
	return !s.snapshot.Modified.IsZero() && s.now.Sub(newest) >= s.rules.settle
}

// earlyAfter is the time for which a frame must have been seen unchanged before it is read early,
// and whether an early reading is worth while.
func (s scene) earlyAfter() (pause time.Duration, worthWhile bool) {
	if s.stood() {
		return 0, s.hurry
	}
	return earlyPause, s.hurry && s.rules.settle >= 4*earlyPause
}

// foreseen is the scene as it will be if all frames come to rest as they are and as they were read
// early.
func (s scene) foreseen() scene {
	s.snapshot.Frames, s.gathered = atRest(s.snapshot.Frames), nil
	s.readings = maps.Clone(s.readings)
	for name, r := range s.readings {
		r.early = false
		s.readings[name] = r
	}
	return s
}

// planAhead plans for a set of which no frame is known to be at rest.
func (s scene) planAhead(g gathering, pending step) step {
	switch run := s.record.Run; {
	case run == nil || run.Form == nil:
		return s.planBeginning(pending)
	case s.diverges(s.foreseen().gather()):
		return pending // when it is at rest it needs another form
	}
	return s.planEarly(g, pending)
}

// planBeginning begins the run of a set that was complete before the first look, and only waits to
// be seen at rest.
func (s scene) planBeginning(pending step) step {
	set := gathering{whole: s.snapshot.Frames}
	if !s.hurry || !s.stood() || !s.streams(set) || set.count() != s.expected(set) {
		return pending
	}
	if unread := s.hurried(0).unread; len(unread) > 0 {
		return step{action: read, state: pending.state, cause: about(status.Checking, len(unread)), frames: unread}
	}
	then := s.foreseen()
	all := then.gather()
	if ready, _ := then.complete(all); !ready || all.problem != nil || !then.streams(all) {
		return pending
	}
	next, _ := then.planForm(all, true, all.count())
	next.ahead = true
	return next
}

// planEarly looks for frames to send early while it waits for others. The run has a form, and no
// other frame to send.
func (s scene) planEarly(g gathering, pending step) step {
	pause, worthWhile := s.earlyAfter()
	if !worthWhile {
		return pending
	}
	h := s.hurried(pause)
	if !h.ripe.IsZero() && (pending.until.IsZero() || h.ripe.Before(pending.until)) {
		pending.until = h.ripe
	}
	all := gathering{whole: slices.Concat(g.whole, h.sent, h.whole)}
	count := s.expected(all)
	switch {
	case all.count() > count || !s.keepNames(all):
		return pending
	case len(h.unread) > 0:
		return step{action: read, state: pending.state, cause: pending.cause, frames: h.unread}
	case len(h.whole) > 0:
		return step{
			action: upload, state: Uploading, frames: h.whole, count: count,
			cause: s.counted(status.Sending, len(s.record.Run.Frames), count),
		}
	case s.allSent(g, count):
		pending.state, pending.cause = Uploading, &status.Cause{Kind: status.AllSentWatched, For: s.rules.settle}
	}
	return pending
}

// allSent reports whether the whole set was sent as it stands, and only waits for certainty about
// frames that were sent early.
func (s scene) allSent(g gathering, count int) bool {
	return len(s.snapshot.Frames) == count && len(g.whole) < count && len(g.broken)+len(g.busy) == 0 &&
		!slices.ContainsFunc(s.snapshot.Frames, func(f watcher.File) bool {
			sent := s.runFrame(f)
			return sent == nil || !sent.Uploaded
		})
}

// hurried are frames that are not known to be still.
type hurried struct {
	sent          []watcher.File
	unread, whole []watcher.File // the others, by the result of an early reading
	ripe          time.Time      // when the next frame can be read early; zero for none
}

func (s scene) hurried(pause time.Duration) hurried {
	var h hurried
	for _, f := range s.snapshot.Frames {
		r, isRead := s.readings[f.Name]
		isRead = isRead && r.file.Same(identity(f))
		sent := s.runFrame(f)
		switch ripe := f.Since.Add(pause); {
		case f.Still || isVideo(f.Name):
		case s.underWay[f.Name], sent != nil && sent.Uploaded:
			h.sent = append(h.sent, f)
		case isRead && r.whole:
			h.whole = append(h.whole, f)
		case isRead:
		case s.now.Before(ripe):
			if h.ripe.IsZero() || ripe.Before(h.ripe) {
				h.ripe = ripe
			}
		default:
			h.unread = append(h.unread, f)
		}
	}
	return h
}

// keepNames reports whether every frame of the set is stored under its own name.
func (s scene) keepNames(all gathering) bool {
	all.whole = slices.Clone(all.whole)
	all.arrange(s)
	return all.problem == nil && !all.prefixed()
}

// sentEarly reports whether this file was, or may have been, sent before it was still, so that it
// must be read a second time.
func (s scene) sentEarly(f watcher.File) bool {
	sent := s.runFrame(f)
	return sent != nil && sent.Early && !s.untouched(f)
}

// untouched reports whether a frame that had long stood when it was sent has not changed in any way
// since. The disk cannot tell that of a frame that was being written: a program that writes through
// mapped memory leaves no trace for some time.
func (s scene) untouched(f watcher.File) bool {
	was := s.touches[f.Name]
	return was.stood && was.changed != 0 && was.changed == f.Changed
}

// agrees reports whether the frame, as it was read at rest, equals the bytes sent.
func (s scene) agrees(sent syncstate.RunFrame) bool {
	return bytes.Equal(s.readings[sent.Name].digest, sent.Digest)
}

// mayBeSentAgain reports whether a frame that was sent early, and has changed since, does no harm.
// It does none if it is in the folder and its first upload has ended, so that its key can be sent
// again.
func (s scene) mayBeSentAgain(sent syncstate.RunFrame) bool {
	return sent.Early && slices.ContainsFunc(s.snapshot.Frames, func(f watcher.File) bool {
		return f.Name == sent.Name && (sent.Uploaded || sent.Same(identity(f)))
	})
}

// wasRash notes that a frame was premature: it was sent early, and came to rest with other content.
func (j *job) wasRash(sent []syncstate.RunFrame) {
	j.rash = j.rash || slices.ContainsFunc(sent, func(f syncstate.RunFrame) bool { return f.Early })
}
