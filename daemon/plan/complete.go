package plan

import (
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// complete reports whether the folder is a whole set by the strongest evidence there is. If it is
// not, the step names the missing evidence.
func (set FrameSet) complete() (bool, Step) {
	s := set.scene
	if open := set.HeldUpBy(); len(open) > 0 {
		cause, until, quiet := status.List(status.Unsettled, open), set.patienceEnds(), set.becomesQuiet()
		return false, Step{Action: Wait, State: status.Collecting, Cause: cause, Until: until, QuietAt: quiet, looks: true}
	}
	if set.Count() == 0 {
		return false, set.planNoFrames()
	}
	expected := set.expected()
	if s.Facts.Rules.Marker != "" && s.Facts.Snapshot.Marker == nil {
		cause := counted(status.AwaitsMarker, set.Count(), expected)
		cause.Name = s.Facts.Rules.Marker
		return false, Step{Action: Idle, State: status.Collecting, Cause: cause}
	}
	if expected > 0 && set.Count() != expected {
		return false, set.wrongCount(set.Count(), expected)
	}
	if set.freshEvidence(expected) || s.isQuiet() {
		return true, Step{}
	}
	return false, s.waitQuiet(set.Count(), expected)
}

// freshEvidence reports whether the marker or the known count speaks for the frames as they are
// now. After a publication an old marker or an unchanged count proves nothing about a few new
// frames.
func (set FrameSet) freshEvidence(expected int) bool {
	s := set.scene
	published := s.Record.Published
	switch {
	case s.Facts.Rules.Marker == "" && expected == 0:
		return false
	case published == nil:
		return true
	case s.Facts.Rules.Marker != "":
		return !published.Marker.Same(FileOf(*s.Facts.Snapshot.Marker))
	}
	return set.compare(published).changed == set.Count()
}

func (set FrameSet) wrongCount(count, expected int) Step {
	s := set.scene
	tooFew := counted(status.TooFew, count, expected)
	tooFew.Parts = notTaken(s.Facts.Snapshot)
	switch {
	case s.Record.AsIs == syncstate.AsIsWhenQuiet:
		return s.waitQuiet(count, expected)
	case count > expected:
		return NeedsPerson(counted(status.TooMany, count, expected))
	case s.isQuiet(), s.Facts.Rules.Marker != "":
		return NeedsPerson(tooFew)
	}
	next := s.waitQuiet(count, expected)
	next.Cause = counted(status.AwaitsRest, count, expected)
	return next
}

// counted is a cause about a number of frames, and the expected number if it is known.
func counted(kind status.Kind, count, expected int) *status.Cause {
	return &status.Cause{Kind: kind, Count: count, Of: expected}
}

func (s Scene) isQuiet() bool {
	return s.Now.Sub(s.Facts.Snapshot.Changed) >= s.Facts.Rules.Quiet
}

func (s Scene) waitQuiet(count, expected int) Step {
	until := s.Facts.Snapshot.Changed.Add(s.Facts.Rules.Quiet)
	cause := counted(status.AwaitsQuiet, count, expected)
	cause.For = s.Facts.Rules.Quiet
	return Step{Action: Wait, State: status.Collecting, Until: until, QuietAt: until, Cause: cause, looks: true}
}

// becomesQuiet is the time at which a folder with changing frames has been quiet for long enough,
// if they change no more. It is zero when something else is missing too.
func (set FrameSet) becomesQuiet() time.Time {
	s := set.scene
	if len(set.broken) > 0 || len(set.busy) > 0 || s.Facts.Rules.Marker != "" || set.expected() > 0 {
		return time.Time{}
	}
	return s.Facts.Snapshot.Changed.Add(s.Facts.Rules.Quiet)
}

// BusyNow lists the temporary files that hold the set up. Each does so for some time after it was
// written to, a lasting one for as long as it is there. Once the marker or the known count shows a
// complete set, only temporary files of a frame hold it up.
func (s Scene) BusyNow() []watcher.Busy {
	if len(s.Facts.Snapshot.Busy) == 0 {
		return nil
	}
	there := s.seemsThere()
	var holding []watcher.Busy
	for _, busy := range s.Facts.Snapshot.Busy {
		if busy.Lasting || s.Now.Before(s.busyUntil(busy)) && (!there || busy.Frame != "") {
			holding = append(holding, busy)
		}
	}
	return holding
}

func (s Scene) busyUntil(busy watcher.Busy) time.Time {
	switch {
	case !s.seemsThere():
		return busy.Since.Add(busyPatience)
	case s.Facts.Network:
		return busy.Since.Add(s.Facts.Rules.Quiet + attributeCache)
	}
	return busy.Since.Add(s.Facts.Rules.Quiet)
}

// seemsThere reports whether all frames are there by the marker or the known count, even if they
// are still changing.
func (s Scene) seemsThere() bool {
	set := s.framesOf(s.Facts.Snapshot.Frames)
	return s.Facts.Rules.Marker != "" && s.Facts.Snapshot.Marker != nil || set.Count() > 0 && set.Count() == set.expected()
}

// patienceEnds is the time at which a broken file needs a person, or a temporary file no longer
// holds the set up.
func (set FrameSet) patienceEnds() time.Time {
	s := set.scene
	var first time.Time
	note := func(t time.Time) {
		if t.After(s.Now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	for _, r := range set.broken {
		note(r.Since.Add(BrokenPatience))
	}
	for _, busy := range set.busy {
		note(s.busyUntil(busy))
	}
	return first
}

// expected is the folder's known frame count; 0 when it is unknown.
func (set FrameSet) expected() int {
	s := set.scene
	switch {
	case s.Record.AsIs > 0 && s.Record.AsIs == set.Count():
		return s.Record.AsIs
	case s.Record.AsIs == syncstate.AsIsWhenQuiet && s.isQuiet():
		return set.Count()
	}
	return s.Facts.Rules.FullTurn(set.Whole)
}

// streams reports whether frames may be sent before the folder is complete. That needs a known
// count, names that need no position in front, and a product without a published revision. A
// reshoot replaces frame by frame, and mixes old and new frames. Once a form was given up, or must
// be, because a frame that may have been sent changed, the next one waits for the whole set. So
// does the comparison with a product that was found.
func (set FrameSet) streams() bool {
	expected, count := set.expected(), set.Count()
	if run := set.scene.Record.Run; run != nil && (run.GivenUp || set.diverges()) {
		return false
	}
	if set.scene.Record.Doubted && set.scene.Record.Product.UUID != "" {
		return false
	}
	return expected > 1 && count > 0 && count <= expected && set.scene.Record.Published == nil && !set.prefixed()
}
