package plan

import (
	"slices"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// complete reports whether the folder is a whole set by the strongest evidence there is. If it is
// not, the step names the missing evidence.
func (j *judge) complete() (bool, Step) {
	count, expected := j.set.Count(), j.set.Expected
	if len(j.set.Open) > 0 {
		cause, until, quiet := status.List(status.Unsettled, j.set.Open), j.patienceEnds(), j.becomesQuiet()
		return false, Step{Action: Wait, State: status.Collecting, Cause: cause, Until: until, QuietAt: quiet}
	}
	if count == 0 {
		return false, j.planNoFrames()
	}
	if j.facts.Rules.Marker != "" && j.facts.Snapshot.Marker == nil {
		cause := counted(status.AwaitsMarker, count, expected)
		cause.Name = j.facts.Rules.Marker
		return false, Step{Action: Idle, State: status.Collecting, Cause: cause}
	}
	if expected > 0 && count != expected {
		return false, j.wrongCount(count, expected)
	}
	if j.freshEvidence() || j.isQuiet() {
		return true, Step{}
	}
	return false, j.waitQuiet(count, expected)
}

// freshEvidence reports whether the marker or the known count speaks for the frames as they are
// now. A marker from before a frame proves nothing, nor does an unchanged count where some of the
// frames took the place of others. Nor does a marker of the publication, or one that may have been
// there before the configuration named it.
func (j *judge) freshEvidence() bool {
	switch {
	case j.facts.Rules.Marker != "":
		return j.freshMarker(*j.facts.Snapshot.Marker)
	case !j.set.counted:
		return false
	}
	return j.freshCount()
}

// freshCount reports whether the frames, as many as are known to be wanted, come from one shoot. Those
// of a run that has the whole set do, and those that took the place of others do once all have. Of a set
// that is not live and that an earlier process saw, nobody knows which frames came first, and of what was
// found together only their times tell.
func (j *judge) freshCount() bool {
	run, as, count := j.record.Run, 0, j.set.Count()
	for _, f := range j.set.Whole {
		if j.about.sent(f) != nil {
			as++
		}
	}
	hadAll := run != nil && len(run.Frames) == count
	switch {
	case j.facts.Snapshot.Mixed, hadAll && as > 0 && as < count:
		return false
	case hadAll && as == count:
		return true
	case j.record.Published != nil && j.set.difference.changed < count:
		return false
	}
	return (j.record.Published != nil || j.cameSince()) && !j.foundMixed()
}

// cameSince reports whether this process saw all frames come.
func (j *judge) cameSince() bool { return !slices.ContainsFunc(j.set.Whole, j.facts.stood) }

// foundMixed reports whether a frame that was found together with others was written after one that
// comes behind it in the order, by settle and more: it may have taken the place of another.
func (j *judge) foundMixed() bool {
	newest := map[time.Time]time.Time{} // by when they were found
	for _, f := range j.set.Whole {
		if newest[f.Since].Sub(f.ModTime) >= j.facts.Rules.Settle {
			return true
		}
		if f.ModTime.After(newest[f.Since]) {
			newest[f.Since] = f.ModTime
		}
	}
	return false
}

// freshMarker reports whether the marker came after the frames, and is not that of the publication.
// Among files that one read found, those count as later that were written, or changed in any way, later.
func (j *judge) freshMarker(marker watcher.File) bool {
	published := j.record.Published
	later := func(f watcher.File) bool {
		if found := f.Since.Compare(marker.Since); found != 0 {
			return found > 0
		}
		return f.ModTime.After(marker.ModTime) || marker.Changed != 0 && f.Changed > marker.Changed
	}
	return !slices.ContainsFunc(j.set.Whole, later) &&
		(published == nil || published.Marker.Name == marker.Name && !published.Marker.Same(FileOf(marker)))
}

func (j *judge) wrongCount(count, expected int) Step {
	tooFew := counted(status.TooFew, count, expected)
	tooFew.Parts = notTaken(j.facts.Snapshot)
	switch {
	case j.record.Wishes.AsIs == syncstate.AsIsWhenQuiet:
		return j.waitQuiet(count, expected)
	case count > expected:
		return NeedsPerson(counted(status.TooMany, count, expected))
	case j.isQuiet(), j.facts.Rules.Marker != "":
		return NeedsPerson(tooFew)
	}
	next := j.waitQuiet(count, expected)
	next.Cause = counted(status.AwaitsRest, count, expected)
	return next
}

// counted is a cause about a number of frames, and the expected number if it is known.
func counted(kind status.Kind, count, expected int) *status.Cause {
	return &status.Cause{Kind: kind, Count: count, Of: expected}
}

func (j *judge) isQuiet() bool {
	return j.now.Sub(j.facts.Snapshot.Changed) >= j.facts.Rules.Quiet
}

func (j *judge) waitQuiet(count, expected int) Step {
	until := j.facts.Snapshot.Changed.Add(j.facts.Rules.Quiet)
	cause := counted(status.AwaitsQuiet, count, expected)
	cause.For = j.facts.Rules.Quiet
	return Step{Action: Wait, State: status.Collecting, Until: until, QuietAt: until, Cause: cause}
}

// becomesQuiet is the time at which a folder with changing frames has been quiet for long enough,
// if they change no more. It is zero when something else is missing too.
func (j *judge) becomesQuiet() time.Time {
	if len(j.set.Broken) > 0 || len(j.set.Busy) > 0 || j.facts.Rules.Marker != "" || j.set.Expected > 0 {
		return time.Time{}
	}
	return j.facts.Snapshot.Changed.Add(j.facts.Rules.Quiet)
}

// BusyNow lists the temporary files that hold a set up.
func BusyNow(facts Facts, record syncstate.Record, now time.Time) []watcher.Busy {
	return (&judge{facts: facts, record: record, now: now}).busy()
}

// busy lists the temporary files that hold the set up. Each does so for some time after it was
// written to, a lasting one for as long as it is there. Once the marker or the known count shows a
// complete set, only temporary files of a frame hold it up.
func (j *judge) busy() []watcher.Busy {
	if len(j.facts.Snapshot.Busy) == 0 {
		return nil
	}
	there := j.seemsThere()
	var holding []watcher.Busy
	for _, busy := range j.facts.Snapshot.Busy {
		if busy.Lasting || j.now.Before(j.busyUntil(busy)) && (!there || busy.Frame != "") {
			holding = append(holding, busy)
		}
	}
	return holding
}

func (j *judge) busyUntil(busy watcher.Busy) time.Time {
	switch {
	case !j.seemsThere():
		return busy.Since.Add(busyPatience)
	case j.facts.Network:
		return busy.Since.Add(j.facts.Rules.Quiet + attributeCache)
	}
	return busy.Since.Add(j.facts.Rules.Quiet)
}

// seemsThere reports whether all frames are there by the marker or the known count, even if they
// are still changing.
func (j *judge) seemsThere() bool {
	frames := j.facts.Snapshot.Frames
	expected, counted := j.expected(frames)
	return j.facts.Rules.Marker != "" && j.facts.Snapshot.Marker != nil || counted && len(frames) == expected
}

// patienceEnds is the time at which a broken file needs a person, or a temporary file no longer
// holds the set up.
func (j *judge) patienceEnds() time.Time {
	var first time.Time
	note := func(t time.Time) {
		if t.After(j.now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	for _, r := range j.set.Broken {
		note(r.Since.Add(BrokenPatience))
	}
	for _, busy := range j.set.Busy {
		note(j.busyUntil(busy))
	}
	return first
}

// expected is the folder's known number of images while it has these frames; 0 when it is unknown. It
// is counted where no frame is beside those that names count.
func (j *judge) expected(frames []watcher.File) (images int, counted bool) {
	asIs := j.record.Wishes.AsIs
	if asIs == syncstate.AsIsWhenQuiet && j.isQuiet() || asIs != "" && j.facts.IsContent(asIs) {
		images = len(j.facts.Snapshot.Frames)
		return images, images > 0
	}
	images, beside := j.facts.Rules.fullTurn(frames)
	return images, images > 0 && beside == 0
}
