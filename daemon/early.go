package daemon

import (
	"bytes"
	"slices"
	"time"

	"spinsync/syncstate"
	"spinsync/watcher"
)

// Until the finish request an upload binds nothing, and the same key can be sent again. So of a set of known count a frame
// that is whole is sent before it is known to have come to rest, and the line is not idle while settle passes. What was sent
// early is marked in the record. Before the finish such a frame must have come to rest, and is read a second time: if its
// digest is not that of the bytes sent, it is sent again. A program that writes each frame twice would have most frames sent
// twice, so a folder in which that happened is not hurried any more.

// earlyPause is how long a frame stands unchanged before it is read early. A settle below a few of these leaves nothing to gain.
const earlyPause = 100 * time.Millisecond

// mayHurry reports whether frames of the folder may be sent early. On a network drive the second reading costs more than
// the time that is gained.
func (j *job) mayHurry() bool {
	return !j.rash && j.root.watch.Settle >= 4*earlyPause && !j.d.onNetwork(j.key.Root)
}

// planEarly looks for frames to send early while others are waited for. There is a form, and nothing else to be sent.
func (s scene) planEarly(g gathering, pending step) step {
	if !s.hurry {
		return pending
	}
	var unread, todo []watcher.File
	for _, f := range s.snapshot.Frames {
		r, isRead := s.readings[f.Name]
		isRead = isRead && r.file.Same(identity(f))
		sent := s.runFrame(f)
		switch ripe := f.Since.Add(earlyPause); {
		case f.Still || s.underWay[f.Name] || isVideo(f.Name) || sent != nil && sent.Uploaded:
		case isRead && r.whole:
			todo = append(todo, f)
		case isRead:
		case s.now.Before(ripe):
			if pending.until.IsZero() || ripe.Before(pending.until) {
				pending.until = ripe
			}
		default:
			unread = append(unread, f)
		}
	}
	count := s.expected(g)
	switch {
	case g.count()+len(todo) > count || !s.keepNames(g, todo):
		return pending
	case len(unread) > 0:
		return step{action: read, state: pending.state, reason: pending.reason, frames: unread}
	case len(todo) > 0:
		return step{action: upload, state: Uploading, frames: todo, count: count, reason: progress(len(s.record.Run.Frames), count)}
	}
	return pending
}

// keepNames reports whether no frame needs another stored name because of those that are to come.
func (s scene) keepNames(g gathering, todo []watcher.File) bool {
	all := gathering{whole: slices.Concat(g.whole, todo)}
	all.arrange(s)
	return all.problem == "" && !all.prefixed()
}

// sentEarly reports whether this file was, or may have been, sent before it was still.
func (s scene) sentEarly(f watcher.File) bool {
	sent := s.runFrame(f)
	return sent != nil && sent.Early
}

// agrees reports whether the frame, as it was read at rest, is what was sent.
func (s scene) agrees(sent syncstate.RunFrame) bool {
	return bytes.Equal(s.readings[sent.Name].digest, sent.Digest)
}

// mayBeSentAgain reports whether a frame that was sent early, and is not at rest as it was, does no harm: it is in the folder,
// and can be sent again under its key because nothing of the first time is under way any more.
func (s scene) mayBeSentAgain(sent syncstate.RunFrame) bool {
	return sent.Early && slices.ContainsFunc(s.snapshot.Frames, func(f watcher.File) bool {
		return f.Name == sent.Name && (sent.Uploaded || sent.Same(identity(f)))
	})
}

// wasRash notes that something sent early was not what the folder came to hold.
func (j *job) wasRash(sent []syncstate.RunFrame) {
	j.rash = j.rash || slices.ContainsFunc(sent, func(f syncstate.RunFrame) bool { return f.Early })
}
