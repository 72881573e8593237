package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Step is the next thing owed for a product folder, and what people are told meanwhile.
type Step struct {
	Action Action
	State  status.State
	Cause  *status.Cause
	Detail string    // of the failed request that the cause comes from
	Until  time.Time // of a wait
	Frames []watcher.File
	Digest bool      // of a read: the digest is wanted too
	Count  int       // of a create or reupload: how many images to announce
	Host   bool      // of a wait: for a host, which is told in the log by itself
	Ahead  bool      // it is for the frames once all have come to rest; see scene.foreseen
	Aside  bool      // of a read: it is done while the folder waits for something else
	Quiet  time.Time // of a wait for quiet: when it ends, if nothing changes; else zero
	Before bool      // people see the earlier reason; see scene.asBefore
	again  time.Time // of a wait for something else: when the frames may be complete
}

// Looks reports whether a step only finds out how a folder stands.
func (s Step) Looks() bool { return Actions[s.Action].looks }

// Due is when a folder that came to rest or waits is to be planned anew although nothing happened;
// zero for never.
func (s Step) Due() time.Time {
	switch {
	case s.Action != Wait || s.Until.IsZero():
		return s.again
	case s.again.IsZero() || s.Until.Before(s.again):
		return s.Until
	}
	return s.again
}

// A Scene is everything that plan decides from: a product folder as it stands, the work that was
// done for it, and the rules.
type Scene struct {
	Now      time.Time
	Rules    Rules
	Snapshot watcher.Snapshot
	Readings map[string]Reading // of frames, by name; each valid for the file it names
	Record   syncstate.Record

	NameInShell         string        // the folder, as a command takes it
	Wanted              Product       // what the folder and the configuration say the product is
	Row                 products.Row  // what the products file says of the folder
	Awaited             *status.Cause // the products file, which has to come to rest first
	Mistake             *status.Cause // why that cannot be said; a person must act
	Unreadable          error         // why that cannot be said for the time being
	Outside             bool          // by its depth it is no product folder
	Offline             *status.Cause // why nothing below the root can be read at present
	Unread              bool          // a sidecar was not read: a missing text is not withdrawn
	Texts               alttext.Texts // what the sidecars say, nil when they were not read yet
	Clock               time.Duration // what to add to now for the service's clock
	PausedAll, ManyGone bool
	Stopped             bool             // a person was told to act because of these very files
	MaybeMoved          bool             // a folder that is gone may be there under another name
	Resumed             bool             // an earlier process began the run
	Network             bool             // the folder lies on a network drive
	Hurry               bool             // frames may be sent before they are known to be still
	BlindUntil          time.Time        // frames could not be read, and are not tried before
	FirstLook           time.Time        // at a folder from an earlier process; zero for a new one
	UnderWay            map[string]bool  // frames that are being sent
	Touches             map[string]Touch // of frames that were sent
	LongestPoll         time.Duration

	PublishedNames *NameIndex
	// Gathered holds the result of gather for all readers; nil: each call gathers anew.
	Gathered **FrameSet
}

// Next decides the next step. It is pure: the same scene gives the same step.
func Next(s Scene) Step {
	if s.Outside {
		return s.planDirectory()
	}
	next := s.PlanOwed()
	switch {
	case s.PausedAll:
		return s.planPaused(next, status.Because(status.AllPaused))
	case s.Record.Paused:
		return s.planPaused(next, status.Because(status.FolderPaused))
	}
	return next
}

// PlanOwed plans the owed step of a folder as if it were not paused.
func (s Scene) PlanOwed() Step {
	switch {
	case s.waitsForRetry():
		return s.meanwhile(s.PlanRetry())
	case s.followsRun():
		return s.planFinished()
	case !s.Snapshot.Present:
		return s.planAbsent()
	case s.Record.Removal != "" || !s.Record.Verified.IsZero():
		return Step{Action: Welcome, State: status.Collecting, Cause: status.Because(status.Back)}
	case DriveAway(s.Snapshot):
		away := &status.Cause{
			Kind: status.DriveAway, Said: s.Snapshot.Err.Error(), Remedy: status.HowToAccept(s.Snapshot.Root),
		}
		return Step{Action: Rest, State: status.Retrying, Cause: away}
	case s.Snapshot.Err != nil:
		return s.planUnreadable()
	case !s.Record.DeleteSent.IsZero():
		return Step{Action: Reclaim, State: status.Processing, Cause: status.Because(status.BackSeeking)}
	case s.Unreadable != nil:
		next := unreadable(s.Unreadable)
		next.Action, next.Until = Wait, s.Now.Add(AccessPause)
		return next
	case s.Awaited != nil:
		return Step{
			Action: Wait, State: status.Collecting, Cause: s.Awaited,
			Until: s.Now.Add(max(s.Rules.Settle, ChangedPause)),
		}
	case s.Mistake != nil:
		return NeedsPerson(s.Mistake)
	case s.Snapshot.Idle && s.Record.Published != nil && s.Record.Run == nil:
		return s.restPublished() // a request for more refreshes the snapshot first
	case s.Record.Verify && s.Record.Published != nil && s.Record.Run == nil:
		return Step{Action: Verify, State: status.Processing, Cause: status.Because(status.LookingForView)}
	}
	g := s.FrameSet()
	next, owed := s.planContent(g)
	if !owed {
		next, owed = s.planDescription(g)
	}
	switch {
	case !owed:
		return s.restPublished()
	case s.Offline != nil:
		return Step{Action: Wait, State: status.Retrying, Cause: s.Offline, Until: s.Now.Add(offlinePause)}
	}
	return s.asBefore(g, next)
}

// followsRun reports whether the finish of the run was sent. A finish without an answer that a backup
// tells of must not be sent again: it would end an upload of a later time.
func (s Scene) followsRun() bool {
	run := s.Record.Run
	return run != nil && !run.FinishSent.IsZero() && !(s.Record.Unreconciled && run.FinishAcked.IsZero())
}

// restPublished is the step of a folder for which nothing is owed. The status tells when it has
// another number of frames than a full turn, but calls no person: a person accepted it as it is, or
// gave the number after the publication.
func (s Scene) restPublished() Step {
	expected, published := s.Record.Expected, s.Record.Published
	if !s.Snapshot.Idle {
		expected = s.Announced(s.Snapshot.Frames)
	}
	if published == nil || expected == 0 || expected == published.Images {
		return Step{Action: Rest, State: status.Published}
	}
	return Step{Action: Rest, State: status.Published, Cause: s.counted(status.OtherNumber, published.Images, expected)}
}

// waitsForRetry reports whether a recorded failure still holds the folder back. A failure that
// waits for a person is over as soon as the folder has another content. A wait is over when the
// clock was set back since it began, because the time that has passed is not known.
func (s Scene) waitsForRetry() bool {
	t := s.Record.Trouble
	if t == nil {
		return false
	}
	if t.NextTry.IsZero() {
		return s.isContent(t.Listing)
	}
	if t.Person && s.Snapshot.Present && !s.isContent(t.Listing) {
		return false
	}
	return !s.Now.Before(t.At) && s.Pending(t.NextTry, max(outcome.LongestRetry, s.LongestPoll))
}

// Pending reports whether a recorded time is still to come. A time farther away than the longest
// pause is over: it was recorded by a clock that was ahead.
func (s Scene) Pending(until time.Time, longest time.Duration) bool {
	left := until.Sub(s.Now)
	return left > 0 && left <= longest
}

func (s Scene) PlanRetry() Step {
	t := s.Record.Trouble
	switch {
	case t.NextTry.IsZero():
		return Step{Action: Rest, State: status.Attention, Cause: t.Cause, Detail: t.Detail}
	case t.Person:
		return Step{Action: Wait, State: status.Attention, Cause: t.Cause, Detail: t.Detail, Until: t.NextTry}
	}
	return Step{Action: Wait, State: status.Retrying, Cause: t.Cause, Detail: t.Detail, Until: t.NextTry}
}

// planFinished sees a run through after its finish was sent. The folder's content plays no part any
// more: what arrives later belongs to the next run.
func (s Scene) planFinished() Step {
	run := s.Record.Run
	state := Step{State: status.Processing, Cause: status.About(status.AtWork, len(run.Frames))}
	switch {
	case run.FinishAcked.IsZero():
		state.Action = ConfirmFinish
	case run.Finished > 0:
		state.Action = Collect
	case s.Pending(run.NextPoll, s.LongestPoll):
		state.Action, state.Until = Wait, run.NextPoll
		return s.meanwhile(state)
	default:
		state.Action = Poll
	}
	return state
}

// planContent plans the work on frames: it reads them, compares them with the published ones, and
// sends the missing ones.
func (s Scene) planContent(g FrameSet) (Step, bool) {
	if g.Problem != nil {
		return NeedsPerson(g.Problem), true
	}
	if len(g.Unread) > 0 {
		return s.planReading(g), true
	}
	if s.isWatchedAgain(g) {
		return Step{Action: Wait, State: status.Published}, true
	}
	if len(g.Unsettled()) == 0 && s.Record.Unreconciled && s.Record.Product.UUID != "" {
		return stepToReconcile, true
	}
	if s.Record.Run == nil && len(g.Unsettled()) == 0 && s.Record.Published != nil {
		switch change := g.compare(s.Record.Published); {
		case len(change.unsure) > 0:
			return Step{
				Action: Read, State: status.Collecting, Cause: status.About(status.Comparing, len(change.unsure)),
				Frames: change.unsure, Digest: true,
			}, true
		case change.touched:
			return Step{Action: Note, State: status.Published}, true
		case change.none():
			return Step{}, false
		}
	}
	return s.planRun(g), true
}

// isWatchedAgain reports whether the frames are the published ones, and unsettled only because the
// watcher has not seen them at rest yet. That happens after a restart, or when a text comes beside
// them.
func (s Scene) isWatchedAgain(g FrameSet) bool {
	return s.standsPublished() && !s.Record.Unreconciled && len(g.again) > 0 && len(g.again) == len(g.Unsettled())
}

// planReading reads the frames that are not known to be whole. A set that was sent stays uploading
// while it is read once more.
func (s Scene) planReading(g FrameSet) Step {
	next := Step{
		Action: Read, State: status.Collecting, Cause: status.About(status.Checking, len(g.Unread)),
		Frames: g.Unread, Digest: s.wantsDigest(g.Unread),
	}
	if next.Digest && s.allSent(g, s.expected(FrameSet{Whole: s.Snapshot.Frames})) {
		next.State, next.Cause = status.Uploading, status.About(status.ComparingSent, len(g.Unread))
	}
	return next
}

// wantsDigest reports whether a reading is to compare frames with the bytes that were sent early.
func (s Scene) wantsDigest(unread []watcher.File) bool {
	return slices.ContainsFunc(unread, s.sentEarly)
}

// planRun leads a run from its start to the finish request.
func (s Scene) planRun(g FrameSet) Step {
	if s.Resumed && s.Record.Run != nil && s.Record.Run.Form != nil {
		return Step{Action: Resume, State: status.Uploading, Cause: status.Because(status.CheckingUpload)}
	}
	ready, pending := s.complete(g)
	switch {
	case !ready && pending.State == status.Attention:
		return pending
	case !ready && !s.streams(g):
		return s.planAhead(g, pending)
	}
	count := g.Count()
	if !ready {
		count = s.expected(g)
	}
	if next, owed := s.planForm(g, ready, count); owed {
		return next
	}
	if todo := s.missing(g); len(todo) > 0 {
		return Step{
			Action: Upload, State: status.Uploading, Frames: todo, Count: count,
			Cause: s.counted(status.Sending, g.Count()-len(todo), count),
		}
	}
	if !ready {
		return s.planEarly(g, pending)
	}
	return Step{Action: Finish, State: status.Uploading, Cause: status.Because(status.AllSent), Frames: g.Whole}
}

// stepToReconcile comes before any other work on an unreconciled folder.
var stepToReconcile = Step{Action: Reconcile, State: status.Processing, Cause: status.Because(status.LookingAtView)}

// planForm makes sure that there is a product and a valid form for exactly these frames.
func (s Scene) planForm(g FrameSet, ready bool, count int) (Step, bool) {
	run := s.Record.Run
	switch {
	case s.Record.Unreconciled:
		return stepToReconcile, true
	case s.Record.Product.UUID == "" && s.Record.Project.UUID == "":
		return Step{Action: FindProject, State: status.Uploading, Cause: status.Because(status.FindingProject)}, true
	case s.Record.Product.UUID == "":
		return Step{Action: Create, State: status.Uploading, Cause: status.Because(status.Creating), Count: count}, true
	case run == nil, run.Form == nil, s.diverges(g), ready && run.Images != count:
		return Step{Action: Reupload, State: status.Uploading, Cause: status.Because(status.Reuploading), Count: count}, true
	case s.formExpires(g, run):
		return Step{Action: EndForm, State: status.Uploading, Cause: status.Because(status.FormTooOld)}, true
	}
	return Step{}, false
}

// planDescription is about all that is not frames: the product's fields and the alt texts.
func (s Scene) planDescription(g FrameSet) (Step, bool) {
	switch {
	case s.Record.Published == nil:
		return Step{}, false
	case s.FieldsDiffer():
		return Step{Action: Update, State: status.Processing, Cause: status.Because(status.UpdatingFields)}, true
	case s.Texts == nil:
		return Step{Action: ReadTexts, State: status.Processing, Cause: status.Because(status.ReadingTexts), Frames: g.Whole}, true
	}
	if n := len(s.AltChanges()); n > 0 || len(s.Record.AltIntent) > 0 {
		return Step{Action: Describe, State: status.Processing, Cause: status.About(status.SettingTexts, n)}, true
	}
	return Step{}, false
}

// An AltChange is an image whose alt texts are to be replaced by want.
type AltChange struct {
	Frame  int // index into the published frames
	Want   map[string]string
	Stored map[string]string // what the service made of it; nil before its answer
}

func (s Scene) AltChanges() []AltChange {
	var changes []AltChange
	for i, f := range s.Record.Published.Frames {
		service := WithCarried(f.Alt, f.AltCarry)
		want, _ := alttext.Merge(f.AltSet, s.saidAnew(f, service), service)
		if !maps.Equal(want, f.Alt) {
			changes = append(changes, AltChange{Frame: i, Want: want})
		}
	}
	return changes
}

// saidAnew are the folder's texts for a frame, without those that spinsync has set and the service
// does not hold: another user took them away, or the service refuses them.
func (s Scene) saidAnew(f syncstate.Frame, service map[string]string) map[string]string {
	said := s.FrameTexts(f.Name)
	maps.DeleteFunc(said, func(locale, text string) bool { return f.AltSet[locale] == text && service[locale] == "" })
	if s.Unread {
		for locale, text := range f.AltSet {
			if _, ok := said[locale]; !ok && service[locale] == text {
				said[locale] = text
			}
		}
	}
	return said
}

func (s Scene) FrameTexts(name string) map[string]string {
	said := map[string]string{}
	for locale, text := range s.Texts[name] {
		said[locale] = text.Value
	}
	return said
}

// WithCarried lays the texts of a frame's previous image below those of its new one.
func WithCarried(service, carried map[string]string) map[string]string {
	all := maps.Clone(carried)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, service)
	return all
}

func NeedsPerson(cause *status.Cause) Step {
	return Step{Action: Rest, State: status.Attention, Cause: cause}
}

// Besides is the cause of a published folder together with its smaller defects: photos that are no
// frames, and sidecars that make no sense. It is nil for nothing.
func (s Scene) Besides(known *status.Cause, problems []alttext.Problem) *status.Cause {
	var parts []status.Cause
	if known != nil {
		parts = append(parts, *known)
	}
	parts = append(parts, s.notTaken()...)
	if len(problems) > 0 {
		parts = append(parts, status.Cause{Kind: status.TextProblems, Said: ProblemsInShort(problems)})
	}
	if len(parts) == 0 {
		return nil
	}
	return &status.Cause{Kind: status.Besides, Parts: parts}
}

// isContent reports whether the folder and its row are as recorded. While the row is not known, the
// folder alone counts.
func (s Scene) isContent(recorded string) bool {
	if errors.Is(s.Row.Err, products.ErrBeingWritten) {
		recorded, _, _ = strings.Cut(recorded, "+")
		return recorded == ListingHash(s.Snapshot)
	}
	return recorded == ListingHash(s.Snapshot)+s.Row.Digest
}

// ProblemsInShort is the first problem, and how many more there are.
func ProblemsInShort(problems []alttext.Problem) string {
	switch n := len(problems); n {
	case 0:
		return ""
	case 1:
		return problems[0].String()
	default:
		return fmt.Sprintf("%s (and %d more)", problems[0], n-1)
	}
}

// TextsOnTheWay are the alt texts that others wrote and that new images may still lack, by file.
func (s Scene) TextsOnTheWay() map[string]map[string]string {
	texts := map[string]map[string]string{}
	for name, f := range PublishedFrames(s.Record.Published) {
		if len(f.AltCarry) > 0 {
			texts[name] = f.AltCarry
		}
	}
	if s.Record.Run != nil {
		maps.Copy(texts, s.Record.Run.Carry)
	}
	return texts
}

// BeginsReupload reports whether a reupload starts from the present state of the service. Otherwise
// the readings of the earlier run serve.
func (s Scene) BeginsReupload() bool {
	return s.Record.Run == nil || s.Record.Run.Started.IsZero() || s.Resumed
}

// FieldsDiffer reports whether the product's fields are not known to be as wanted.
func (s Scene) FieldsDiffer() bool {
	return s.Record.Updating || !s.Wanted.SameFields(s.Record.Product)
}

// DriveAway reports whether a folder cannot be read for want of the drive that it was on.
func DriveAway(s watcher.Snapshot) bool {
	_, is := errors.AsType[*watcher.MountError](s.Err)
	return is
}
