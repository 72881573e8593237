package daemon

import (
	"maps"
	"slices"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A step is the next thing owed for a product folder, and what people are told meanwhile.
type step struct {
	action action
	state  State
	cause  *status.Cause
	detail string    // of the failed request that the cause comes from
	until  time.Time // of a wait
	frames []watcher.File
	digest bool      // of a read: the digest is wanted too
	count  int       // of a create or reupload: how many images to announce
	host   bool      // of a wait: for a host, which is told in the log by itself
	ahead  bool      // it is for the frames once all have come to rest; see scene.foreseen
	aside  bool      // of a read: it is done while the folder waits for something else
	quiet  time.Time // of a wait for quiet: when it ends, if nothing changes; else zero
	before bool      // people see the earlier reason; see scene.asBefore
	again  time.Time // of a wait for something else: when the frames may be complete
}

// looks reports whether a step only finds out how a folder stands.
func (s step) looks() bool { return actions[s.action].looks }

// due is when a folder that came to rest or waits is to be planned anew although nothing happened;
// zero for never.
func (s step) due() time.Time {
	switch {
	case s.action != wait || s.until.IsZero():
		return s.again
	case s.again.IsZero() || s.until.Before(s.again):
		return s.until
	}
	return s.again
}

// A scene is everything that plan decides from: a product folder as it stands, the work that was
// done for it, and the rules.
type scene struct {
	now      time.Time
	rules    rules
	snapshot watcher.Snapshot
	readings map[string]reading // of frames, by name; each valid for the file it names
	record   syncstate.Record

	nameInShell         string        // the folder, as a command takes it
	wanted              product       // what the folder and the configuration say the product is
	row                 products.Row  // what the products file says of the folder
	awaited             *status.Cause // the products file, which has to come to rest first
	mistake             *status.Cause // why that cannot be said; a person must act
	unreadable          error         // why that cannot be said for the time being
	outside             bool          // by its depth it is no product folder
	offline             *status.Cause // why nothing below the root can be read at present
	unread              bool          // a sidecar was not read: a missing text is not withdrawn
	texts               alttext.Texts // what the sidecars say, nil when they were not read yet
	clock               time.Duration // what to add to now for the service's clock
	pausedAll, manyGone bool
	stopped             bool             // a person was told to act because of these very files
	maybeMoved          bool             // a folder that is gone may be there under another name
	resumed             bool             // an earlier process began the run
	network             bool             // the folder lies on a network drive
	hurry               bool             // frames may be sent before they are known to be still
	blindUntil          time.Time        // frames could not be read, and are not tried before
	firstLook           time.Time        // at a folder from an earlier process; zero for a new one
	underWay            map[string]bool  // frames that are being sent
	touches             map[string]touch // of frames that were sent
	longestPoll         time.Duration

	publishedNames *nameIndex
	// gathered holds the result of gather for all readers; nil: each call gathers anew.
	gathered **gathering
}

// plan decides the next step. It is pure: the same scene gives the same step.
func plan(s scene) step {
	if s.outside {
		return s.planDirectory()
	}
	next := s.planOwed()
	switch {
	case s.pausedAll:
		return s.planPaused(next, because(status.AllPaused))
	case s.record.Paused:
		return s.planPaused(next, because(status.FolderPaused))
	}
	return next
}

// planOwed plans the owed step of a folder as if it were not paused.
func (s scene) planOwed() step {
	switch {
	case s.waitsForRetry():
		return s.meanwhile(s.planRetry())
	case s.followsRun():
		return s.planFinished()
	case !s.snapshot.Present:
		return s.planAbsent()
	case s.record.Removal != "" || !s.record.Verified.IsZero():
		return step{action: welcome, state: Collecting, cause: because(status.Back)}
	case strayed(s.snapshot):
		away := &status.Cause{
			Kind: status.DriveAway, Said: s.snapshot.Err.Error(), Remedy: status.HowToAccept(s.snapshot.Root),
		}
		return step{action: rest, state: Retrying, cause: away}
	case s.snapshot.Err != nil:
		return s.planUnreadable()
	case !s.record.DeleteSent.IsZero():
		return step{action: reclaim, state: Processing, cause: because(status.BackSeeking)}
	case s.unreadable != nil:
		next := unreadable(s.unreadable)
		next.action, next.until = wait, s.now.Add(accessPause)
		return next
	case s.awaited != nil:
		return step{
			action: wait, state: Collecting, cause: s.awaited,
			until: s.now.Add(max(s.rules.settle, changedPause)),
		}
	case s.mistake != nil:
		return attention(s.mistake)
	case s.snapshot.Idle && s.record.Published != nil && s.record.Run == nil:
		return s.restPublished() // a request for more refreshes the snapshot first
	case s.record.Verify && s.record.Published != nil && s.record.Run == nil:
		return step{action: verify, state: Processing, cause: because(status.LookingForView)}
	}
	g := s.gather()
	next, owed := s.planContent(g)
	if !owed {
		next, owed = s.planDescription(g)
	}
	switch {
	case !owed:
		return s.restPublished()
	case s.offline != nil:
		return step{action: wait, state: Retrying, cause: s.offline, until: s.now.Add(offlinePause)}
	}
	return s.asBefore(g, next)
}

// followsRun reports whether the finish of the run was sent. A finish without an answer that a backup
// tells of must not be sent again: it would end an upload of a later time.
func (s scene) followsRun() bool {
	run := s.record.Run
	return run != nil && !run.FinishSent.IsZero() && !(s.record.Unreconciled && run.FinishAcked.IsZero())
}

// restPublished is the step of a folder for which nothing is owed. The status tells when it has
// another number of frames than a full turn, but calls no person: a person accepted it as it is, or
// gave the number after the publication.
func (s scene) restPublished() step {
	expected, published := s.record.Expected, s.record.Published
	if !s.snapshot.Idle {
		expected = s.announced(s.snapshot.Frames)
	}
	if published == nil || expected == 0 || expected == published.Images {
		return step{action: rest, state: Published}
	}
	return step{action: rest, state: Published, cause: s.counted(status.OtherNumber, published.Images, expected)}
}

// waitsForRetry reports whether a recorded failure still holds the folder back. A failure that
// waits for a person is over as soon as the folder has another content. A wait is over when the
// clock was set back since it began, because the time that has passed is not known.
func (s scene) waitsForRetry() bool {
	t := s.record.Trouble
	if t == nil {
		return false
	}
	if t.NextTry.IsZero() {
		return s.isContent(t.Listing)
	}
	if t.Person && s.snapshot.Present && !s.isContent(t.Listing) {
		return false
	}
	return !s.now.Before(t.At) && s.pending(t.NextTry, max(longestRetry, s.longestPoll))
}

// pending reports whether a recorded time is still to come. A time farther away than the longest
// pause is over: it was recorded by a clock that was ahead.
func (s scene) pending(until time.Time, longest time.Duration) bool {
	left := until.Sub(s.now)
	return left > 0 && left <= longest
}

func (s scene) planRetry() step {
	t := s.record.Trouble
	switch {
	case t.NextTry.IsZero():
		return step{action: rest, state: Attention, cause: t.Cause, detail: t.Detail}
	case t.Person:
		return step{action: wait, state: Attention, cause: t.Cause, detail: t.Detail, until: t.NextTry}
	}
	return step{action: wait, state: Retrying, cause: t.Cause, detail: t.Detail, until: t.NextTry}
}

// planFinished sees a run through after its finish was sent. The folder's content plays no part any
// more: what arrives later belongs to the next run.
func (s scene) planFinished() step {
	run := s.record.Run
	state := step{state: Processing, cause: about(status.AtWork, len(run.Frames))}
	switch {
	case run.FinishAcked.IsZero():
		state.action = confirmFinish
	case run.Finished > 0:
		state.action = collect
	case s.pending(run.NextPoll, s.longestPoll):
		state.action, state.until = wait, run.NextPoll
		return s.meanwhile(state)
	default:
		state.action = poll
	}
	return state
}

// planContent plans the work on frames: it reads them, compares them with the published ones, and
// sends the missing ones.
func (s scene) planContent(g gathering) (step, bool) {
	if g.problem != nil {
		return attention(g.problem), true
	}
	if len(g.unread) > 0 {
		return s.planReading(g), true
	}
	if s.isWatchedAgain(g) {
		return step{action: wait, state: Published}, true
	}
	if len(g.unsettled()) == 0 && s.record.Unreconciled && s.record.Product.UUID != "" {
		return stepToReconcile, true
	}
	if s.record.Run == nil && len(g.unsettled()) == 0 && s.record.Published != nil {
		switch change := g.compare(s.record.Published); {
		case len(change.unsure) > 0:
			return step{
				action: read, state: Collecting, cause: about(status.Comparing, len(change.unsure)),
				frames: change.unsure, digest: true,
			}, true
		case change.touched:
			return step{action: note, state: Published}, true
		case change.none():
			return step{}, false
		}
	}
	return s.planRun(g), true
}

// isWatchedAgain reports whether the frames are the published ones, and unsettled only because the
// watcher has not seen them at rest yet. That happens after a restart, or when a text comes beside
// them.
func (s scene) isWatchedAgain(g gathering) bool {
	return s.standsPublished() && !s.record.Unreconciled && len(g.again) > 0 && len(g.again) == len(g.unsettled())
}

// planReading reads the frames that are not known to be whole. A set that was sent stays uploading
// while it is read once more.
func (s scene) planReading(g gathering) step {
	next := step{
		action: read, state: Collecting, cause: about(status.Checking, len(g.unread)),
		frames: g.unread, digest: s.wantsDigest(g.unread),
	}
	if next.digest && s.allSent(g, s.expected(gathering{whole: s.snapshot.Frames})) {
		next.state, next.cause = Uploading, about(status.ComparingSent, len(g.unread))
	}
	return next
}

// wantsDigest reports whether a reading is to compare frames with the bytes that were sent early.
func (s scene) wantsDigest(unread []watcher.File) bool {
	return slices.ContainsFunc(unread, s.sentEarly)
}

// planRun leads a run from its start to the finish request.
func (s scene) planRun(g gathering) step {
	if s.resumed && s.record.Run != nil && s.record.Run.Form != nil {
		return step{action: resume, state: Uploading, cause: because(status.CheckingUpload)}
	}
	ready, pending := s.complete(g)
	switch {
	case !ready && pending.state == Attention:
		return pending
	case !ready && !s.streams(g):
		return s.planAhead(g, pending)
	}
	count := g.count()
	if !ready {
		count = s.expected(g)
	}
	if next, owed := s.planForm(g, ready, count); owed {
		return next
	}
	if todo := s.missing(g); len(todo) > 0 {
		return step{
			action: upload, state: Uploading, frames: todo, count: count,
			cause: s.counted(status.Sending, g.count()-len(todo), count),
		}
	}
	if !ready {
		return s.planEarly(g, pending)
	}
	return step{action: finish, state: Uploading, cause: because(status.AllSent), frames: g.whole}
}

// stepToReconcile comes before any other work on an unreconciled folder.
var stepToReconcile = step{action: reconcile, state: Processing, cause: because(status.LookingAtView)}

// planForm makes sure that there is a product and a valid form for exactly these frames.
func (s scene) planForm(g gathering, ready bool, count int) (step, bool) {
	run := s.record.Run
	switch {
	case s.record.Unreconciled:
		return stepToReconcile, true
	case s.record.Product.UUID == "" && s.record.Project.UUID == "":
		return step{action: findProject, state: Uploading, cause: because(status.FindingProject)}, true
	case s.record.Product.UUID == "":
		return step{action: create, state: Uploading, cause: because(status.Creating), count: count}, true
	case run == nil, run.Form == nil, s.diverges(g), ready && run.Images != count:
		return step{action: reupload, state: Uploading, cause: because(status.Reuploading), count: count}, true
	case s.formExpires(g, run):
		return step{action: endForm, state: Uploading, cause: because(status.FormTooOld)}, true
	}
	return step{}, false
}

// planDescription is about all that is not frames: the product's fields and the alt texts.
func (s scene) planDescription(g gathering) (step, bool) {
	switch {
	case s.record.Published == nil:
		return step{}, false
	case s.fieldsDiffer():
		return step{action: update, state: Processing, cause: because(status.UpdatingFields)}, true
	case s.texts == nil:
		return step{action: readTexts, state: Processing, cause: because(status.ReadingTexts), frames: g.whole}, true
	}
	if n := len(s.altChanges()); n > 0 || len(s.record.AltIntent) > 0 {
		return step{action: describe, state: Processing, cause: about(status.SettingTexts, n)}, true
	}
	return step{}, false
}

// An altChange is an image whose alt texts are to be replaced by want.
type altChange struct {
	frame  int // index into the published frames
	want   map[string]string
	stored map[string]string // what the service made of it; nil before its answer
}

func (s scene) altChanges() []altChange {
	var changes []altChange
	for i, f := range s.record.Published.Frames {
		service := withCarried(f.Alt, f.AltCarry)
		want, _ := alttext.Merge(f.AltSet, s.saidAnew(f, service), service)
		if !maps.Equal(want, f.Alt) {
			changes = append(changes, altChange{frame: i, want: want})
		}
	}
	return changes
}

// saidAnew are the folder's texts for a frame, without those that spinsync has set and the service
// does not hold: another user took them away, or the service refuses them.
func (s scene) saidAnew(f syncstate.Frame, service map[string]string) map[string]string {
	said := s.frameTexts(f.Name)
	maps.DeleteFunc(said, func(locale, text string) bool { return f.AltSet[locale] == text && service[locale] == "" })
	if s.unread {
		for locale, text := range f.AltSet {
			if _, ok := said[locale]; !ok && service[locale] == text {
				said[locale] = text
			}
		}
	}
	return said
}

func (s scene) frameTexts(name string) map[string]string {
	said := map[string]string{}
	for locale, text := range s.texts[name] {
		said[locale] = text.Value
	}
	return said
}

// withCarried lays the texts of a frame's previous image below those of its new one.
func withCarried(service, carried map[string]string) map[string]string {
	all := maps.Clone(carried)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, service)
	return all
}

func attention(cause *status.Cause) step {
	return step{action: rest, state: Attention, cause: cause}
}

// because is a cause without arguments.
func because(kind status.Kind) *status.Cause { return &status.Cause{Kind: kind} }

// about is a cause about so many frames.
func about(kind status.Kind, frames int) *status.Cause {
	return &status.Cause{Kind: kind, Count: frames}
}
