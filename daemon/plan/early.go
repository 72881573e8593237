package plan

import (
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

// EarlyPause is how long a frame stands unchanged before it is read early. A settle below a few of
// these leaves nothing to gain.
const EarlyPause = 100 * time.Millisecond

// Stood reports whether the folder was there when its root was first read, and has not changed for
// as long as settle, by its own time and those of its files. A wrong clock may say so of a folder
// that is being written, so nothing binding is concluded from it.
func (s Scene) Stood() bool {
	newest := s.Snapshot.Modified
	for _, f := range slices.Concat(s.Snapshot.Frames, s.Snapshot.Sidecars) {
		if f.ModTime.After(newest) {
			newest = f.ModTime
		}
	}
	return !s.Snapshot.Modified.IsZero() && s.Now.Sub(newest) >= s.Rules.Settle
}

// earlyAfter is the time for which a frame must have been seen unchanged before it is read early,
// and whether an early reading is worth while.
func (s Scene) earlyAfter() (pause time.Duration, worthWhile bool) {
	if s.Stood() {
		return 0, s.Hurry
	}
	return EarlyPause, s.Hurry && s.Rules.Settle >= 4*EarlyPause
}

// Foreseen is the scene as it will be if all frames come to rest as they are and as they were read
// early.
func (s Scene) Foreseen() Scene {
	s.Snapshot.Frames, s.Memo = AtRest(s.Snapshot.Frames), s.Memo.withoutFrames()
	s.Readings = maps.Clone(s.Readings)
	for name, r := range s.Readings {
		r.Early = false
		s.Readings[name] = r
	}
	return s
}

// planAhead plans for a set of which no frame is known to be at rest.
func (set FrameSet) planAhead(pending Step) Step {
	switch run := set.scene.Record.Run; {
	case !run.In(syncstate.Sending):
		return set.scene.planBeginning(pending)
	case set.scene.Foreseen().FrameSet().diverges():
		return pending // when it is at rest it needs another form
	}
	return set.planEarly(pending)
}

// planBeginning begins the run of a set that was complete before the first look, and only waits to
// be seen at rest.
func (s Scene) planBeginning(pending Step) Step {
	set := s.framesOf(s.Snapshot.Frames)
	if !s.Hurry || !s.Stood() || !set.streams() || set.Count() != set.expected() {
		return pending
	}
	if unread := s.movingFrames(0).unread; len(unread) > 0 {
		checking := status.About(status.Checking, len(unread))
		return Step{Action: Read, State: pending.State, Cause: checking, Frames: unread}
	}
	then := s.Foreseen()
	all := then.FrameSet()
	if ready, _ := all.complete(); !ready || all.Problem != nil || !all.streams() {
		return pending
	}
	next, _ := all.planForm(true, all.Count())
	next.Mode = Ahead
	return next
}

// planEarly looks for frames to send early while it waits for others. The run has a form, and no
// other frame to send.
func (set FrameSet) planEarly(pending Step) Step {
	s := set.scene
	pause, worthWhile := s.earlyAfter()
	if !worthWhile {
		return pending
	}
	moving := s.movingFrames(pause)
	if !moving.ripe.IsZero() && (pending.Until.IsZero() || moving.ripe.Before(pending.Until)) {
		pending.Until = moving.ripe
	}
	all := s.framesOf(slices.Concat(set.Whole, moving.sent, moving.whole))
	count := all.expected()
	switch {
	case all.Count() > count || !all.keepNames():
		return pending
	case len(moving.unread) > 0:
		return Step{Action: Read, State: pending.State, Cause: pending.Cause, Frames: moving.unread}
	case len(moving.whole) > 0:
		return Step{
			Action: Upload, State: status.Uploading, Frames: moving.whole,
			Cause: counted(status.Sending, len(s.Record.Run.Frames), count),
		}
	case set.allSent(count):
		pending.State, pending.Cause = status.Uploading, &status.Cause{Kind: status.AllSentWatched, For: s.Rules.Settle}
	}
	return pending
}

// allSent reports whether the whole set was sent as it stands, and only waits for certainty about
// frames that were sent early.
func (set FrameSet) allSent(count int) bool {
	s, about := set.scene, set.scene.evidence()
	return len(s.Snapshot.Frames) == count && len(set.Whole) < count && len(set.broken)+len(set.busy) == 0 &&
		!slices.ContainsFunc(s.Snapshot.Frames, func(f watcher.File) bool {
			sent := about.sent(f)
			return sent == nil || !sent.Uploaded
		})
}

// movingFrames are the frames that are not known to be still.
type movingFrames struct {
	sent          []watcher.File
	unread, whole []watcher.File // the others, by the result of an early reading
	ripe          time.Time      // when the next frame can be read early; zero for none
}

func (s Scene) movingFrames(pause time.Duration) movingFrames {
	var moving movingFrames
	about := s.evidence()
	for _, f := range s.Snapshot.Frames {
		r := s.Readings[f.Name]
		isRead := r.File.Same(FileOf(f))
		sent := about.sent(f)
		switch ripe := f.Since.Add(pause); {
		case f.Still || isVideo(f.Name):
		case s.UnderWay[f.Name], sent != nil && sent.Uploaded:
			moving.sent = append(moving.sent, f)
		case isRead && r.Whole:
			moving.whole = append(moving.whole, f)
		case isRead:
		case s.Now.Before(ripe):
			if moving.ripe.IsZero() || ripe.Before(moving.ripe) {
				moving.ripe = ripe
			}
		default:
			moving.unread = append(moving.unread, f)
		}
	}
	return moving
}

// keepNames reports whether every frame of the set is stored under its own name.
func (set FrameSet) keepNames() bool {
	set.arrange()
	return set.Problem == nil && !set.prefixed()
}

// AtRest are the frames as they are if none of them changes any more.
func AtRest(frames []watcher.File) []watcher.File {
	frames = slices.Clone(frames)
	for i := range frames {
		frames[i].Still = true
	}
	return frames
}
