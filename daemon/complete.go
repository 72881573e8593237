package daemon

import (
	"time"

	"spinsync/daemon/manifest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// complete reports whether the folder is a whole set by the strongest evidence there is. If it is
// not, the step names the missing evidence.
func (s scene) complete(g gathering) (bool, step) {
	if open := g.unsettled(); len(open) > 0 {
		cause := status.List(status.Unsettled, open)
		if s.onlyWatched(g) {
			cause = s.counted(status.Watched, len(s.snapshot.Frames), s.expected(g))
			cause.For = s.rules.settle
		}
		until, quiet := s.patienceEnds(g), s.becomesQuiet(g)
		return false, step{action: wait, state: Collecting, cause: cause, until: until, quiet: quiet}
	}
	if g.count() == 0 {
		return false, s.planNoFrames()
	}
	expected := s.expected(g)
	if s.rules.marker != "" && s.snapshot.Marker == nil {
		cause := s.counted(status.AwaitsMarker, g.count(), expected)
		cause.Name = s.rules.marker
		return false, step{action: rest, state: Collecting, cause: cause}
	}
	if expected > 0 && g.count() != expected {
		return false, s.wrongCount(g.count(), expected)
	}
	if s.freshEvidence(g, expected) || s.isQuiet() {
		return true, step{}
	}
	return false, s.waitQuiet(g.count(), expected)
}

// onlyWatched reports whether nothing changes in the folder, so that it only waits for the watcher
// to see it at rest.
func (s scene) onlyWatched(g gathering) bool {
	return s.stood() && len(g.broken)+len(g.unread)+len(g.busy) == 0
}

// freshEvidence reports whether the marker or the known count speaks for the frames as they are
// now. After a publication an old marker or an unchanged count says nothing about a few new frames.
func (s scene) freshEvidence(g gathering, expected int) bool {
	published := s.record.Published
	switch {
	case s.rules.marker == "" && expected == 0:
		return false
	case published == nil:
		return true
	case s.rules.marker != "":
		return !published.Marker.Same(identity(*s.snapshot.Marker))
	}
	return g.compare(published).changed == g.count()
}

func (s scene) wrongCount(count, expected int) step {
	tooFew := s.counted(status.TooFew, count, expected)
	tooFew.Parts = s.notTaken()
	switch {
	case s.record.AsIs == syncstate.AsIsWhenQuiet:
		return s.waitQuiet(count, expected)
	case count > expected:
		return attention(s.counted(status.TooMany, count, expected))
	case s.isQuiet(), s.rules.marker != "", s.saidBefore(tooFew):
		return attention(tooFew)
	}
	next := s.waitQuiet(count, expected)
	next.cause = s.counted(status.AwaitsRest, count, expected)
	return next
}

// counted is a cause about a number of frames, and the expected number if it is known.
func (s scene) counted(kind status.Kind, count, expected int) *status.Cause {
	return &status.Cause{Kind: kind, Count: count, Of: expected}
}

func (s scene) isQuiet() bool {
	return s.now.Sub(s.snapshot.Changed) >= s.rules.quiet
}

func (s scene) waitQuiet(count, expected int) step {
	until := s.snapshot.Changed.Add(s.rules.quiet)
	cause := s.counted(status.AwaitsQuiet, count, expected)
	cause.For = s.rules.quiet
	return step{action: wait, state: Collecting, until: until, quiet: until, cause: cause}
}

// becomesQuiet is the time at which a folder with changing frames has been quiet for long enough,
// if they change no more. It is zero when something else is missing too.
func (s scene) becomesQuiet(g gathering) time.Time {
	if len(g.broken) > 0 || len(g.busy) > 0 || s.rules.marker != "" || s.expected(g) > 0 {
		return time.Time{}
	}
	return s.snapshot.Changed.Add(s.rules.quiet)
}

// busyNow lists the temporary files that hold the set up. Each does so for some time after it was
// written to. Once the marker or the known count shows a complete set, only temporary files that
// stand for a frame hold it up.
func (s scene) busyNow() []watcher.Busy {
	if len(s.snapshot.Busy) == 0 {
		return nil
	}
	there := s.seemsThere()
	var holding []watcher.Busy
	for _, busy := range s.snapshot.Busy {
		if s.now.Before(s.busyUntil(busy)) && (!there || busy.Frame != "") {
			holding = append(holding, busy)
		}
	}
	return holding
}

func (s scene) busyUntil(busy watcher.Busy) time.Time {
	switch {
	case !s.seemsThere():
		return busy.Since.Add(busyPatience)
	case s.network:
		return busy.Since.Add(s.rules.quiet + attributeCache)
	}
	return busy.Since.Add(s.rules.quiet)
}

// seemsThere reports whether all frames are there by the marker or the known count, even if they
// are still changing.
func (s scene) seemsThere() bool {
	set := gathering{whole: s.snapshot.Frames}
	set.findVideo(s)
	return s.rules.marker != "" && s.snapshot.Marker != nil || set.count() > 0 && set.count() == s.expected(set)
}

// patienceEnds is the time at which a broken file becomes a matter for a person, or a temporary
// file no longer holds the set up.
func (s scene) patienceEnds(g gathering) time.Time {
	var first time.Time
	note := func(t time.Time) {
		if t.After(s.now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	for _, r := range g.broken {
		note(r.since.Add(brokenPatience))
	}
	for _, busy := range g.busy {
		note(s.busyUntil(busy))
	}
	return first
}

// expected is the folder's known frame count; 0 when it is unknown.
func (s scene) expected(g gathering) int {
	switch {
	case g.video:
		return 1
	case s.record.AsIs > 0 && s.record.AsIs == g.count():
		return s.record.AsIs
	case s.record.AsIs == syncstate.AsIsWhenQuiet && s.isQuiet():
		return g.count()
	}
	return s.announced(g.whole)
}

// announced is the number of frames of a full turn by sync.toml, product.toml or the names of the
// frames; 0 when none of them tells it.
func (s scene) announced(frames []watcher.File) int {
	switch {
	case len(frames) == 1 && isVideo(frames[0].Name):
		return 1
	case s.rules.frames > 0:
		return s.rules.frames
	}
	names := make([]string, 0, len(frames))
	for _, f := range frames {
		names = append(names, f.Name)
	}
	n, _ := manifest.Total(names)
	return n
}

// streams reports whether frames may be sent before the folder is complete. That needs a known
// count, names that need no position in front, and a product without a published revision. A
// reshoot replaces frame by frame, so old and new frames cannot be told apart.
func (s scene) streams(g gathering) bool {
	expected := s.expected(g)
	return expected > 1 && g.count() > 0 && g.count() <= expected && s.record.Published == nil && !g.prefixed()
}
