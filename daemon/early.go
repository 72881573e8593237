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

// Until the finish request an upload binds nothing, and the same key can be sent again. So of a set
// of known count a frame that is whole is sent before it is known to have come to rest, and the
// line is not idle while settle passes. A set that was there as a whole when its root was first
// read, and by the clock of the disk was not touched for as long as settle, is begun at once; one
// that comes later may be only passing through, or get its name in a moment. What was sent early is
// marked in the record. Before the finish such a frame must have come to rest, and is read a second
// time, unless it had long stood and the disk can tell that it was not touched since: if its digest
// is not that of the bytes sent, it is sent again. A program that writes each frame twice would
// have most frames sent twice, so a folder in which that happened is not hurried any more.

// earlyPause is how long a frame stands unchanged before it is read early. A settle below a few of
// these leaves nothing to gain.
const earlyPause = 100 * time.Millisecond

// mayHurry reports whether frames of the folder may be sent early. On a network drive the second
// reading costs more than the time that is gained.
func (j *job) mayHurry() bool { return !j.rash && !j.d.onNetwork(j.key.Root) }

// stood reports whether the folder was there when its root was first read, and as it is for as long
// as settle, by its own time and those of its files. A clock that is wrong may say so of one that
// is being written: nothing that binds is concluded from it.
func (s scene) stood() bool {
	newest := s.snapshot.Modified
	for _, f := range slices.Concat(s.snapshot.Frames, s.snapshot.Sidecars) {
		if f.ModTime.After(newest) {
			newest = f.ModTime
		}
	}
	return !s.snapshot.Modified.IsZero() && s.now.Sub(newest) >= s.rules.settle
}

// earlyAfter is how long a frame must have been seen unchanged before it is read early, and whether
// that is worth while.
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

// planAhead goes on with a set of which no frame is known to be at rest.
func (s scene) planAhead(g gathering, pending step) step {
	switch run := s.record.Run; {
	case run == nil || run.Form == nil:
		return s.planBeginning(pending)
	case s.diverges(s.foreseen().gather()):
		return pending // when it is at rest it needs another form
	}
	return s.planEarly(g, pending)
}

// planBeginning begins the run of a set that is complete, and had stood so before anybody looked:
// all that it waits for is to be seen at rest.
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

// planEarly looks for frames to send early while others are waited for. There is a form, and
// nothing else to be sent.
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
		return step{action: upload, state: Uploading, frames: h.whole, count: count, cause: s.counted(status.Sending, len(s.record.Run.Frames), count)}
	case s.allSent(g, count):
		pending.state, pending.cause = Uploading, &status.Cause{Kind: status.AllSentWatched, For: s.rules.settle}
	}
	return pending
}

// allSent reports whether the whole set was sent as it stands, though some of it too early to be
// certain, which is all that is waited for.
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
	unread, whole []watcher.File // of the others, by what reading them early told
	ripe          time.Time      // when the next one has been seen unchanged for long enough to be read; zero for none
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
// is to be read a second time.
func (s scene) sentEarly(f watcher.File) bool {
	sent := s.runFrame(f)
	return sent != nil && sent.Early && !s.untouched(f)
}

// untouched reports whether a frame that had long stood when it was sent was not changed in any way
// since. Of one that was being written then nobody knows that: who writes into memory that the file
// is mapped to leaves no trace for some time.
func (s scene) untouched(f watcher.File) bool {
	was := s.touches[f.Name]
	return was.stood && was.changed != 0 && was.changed == f.Changed
}

// agrees reports whether the frame, as it was read at rest, is what was sent.
func (s scene) agrees(sent syncstate.RunFrame) bool {
	return bytes.Equal(s.readings[sent.Name].digest, sent.Digest)
}

// mayBeSentAgain reports whether a frame that was sent early, and is not at rest as it was, does no
// harm: it is in the folder, and can be sent again under its key because nothing of the first time
// is under way any more.
func (s scene) mayBeSentAgain(sent syncstate.RunFrame) bool {
	return sent.Early && slices.ContainsFunc(s.snapshot.Frames, func(f watcher.File) bool {
		return f.Name == sent.Name && (sent.Uploaded || sent.Same(identity(f)))
	})
}

// wasRash notes that something sent early was not what the folder came to hold.
func (j *job) wasRash(sent []syncstate.RunFrame) {
	j.rash = j.rash || slices.ContainsFunc(sent, func(f syncstate.RunFrame) bool { return f.Early })
}
