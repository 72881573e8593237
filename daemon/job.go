package daemon

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A job is the work on one product folder. At most one worker runs it at a time, and that worker
// owns all of it.
type job struct {
	*publisher
	key      syncstate.Folder
	root     *root
	snapshot watcher.Snapshot
	readings map[string]reading
	news     chan struct{} // holds one: a snapshot came while a worker had the folder

	file     productFile
	row      products.Row // of the products file
	texts    alttext.Texts
	textsOf  watcher.Fingerprint // the listing the texts were read from
	problems []alttext.Problem

	listed       time.Time        // when the recorded alt texts were last read from the service
	refused      map[int64]string // by image, why its texts are refused; until all others are set
	refusedTimes int              // how often in a row some were left
	described    int              // images whose texts were set, and the log does not know yet

	asked   time.Time      // the newest status request
	told    *ProductStatus // not recorded yet
	began   time.Time      // when the run began that was published last
	product product        // what the folder says it is; zero when that is not known
	warned  string         // of the sidecars, as the log has it

	arrived []arrival        // frames that the state file had no room for
	touches map[string]touch // by name, of the frames that were sent and are not finished

	rash    bool          // a frame that was sent early had to be sent again
	amended *atomic.Int32 // the folder's
	planned int32         // amended, when the step was planned
	begun   bool          // a run has begun that has not ended
	resumed bool          // an earlier process began the run, not held against the service yet

	recalled     bool      // an earlier process knew the folder, and this process did not look yet
	firstLook    time.Time // at a recalled folder
	unknownSince time.Time // when the service was first seen to process an unknown upload
	blindUntil   time.Time // frames could not be read, and are not tried before
}

// stepsInARow bounds how long one folder keeps others from their turn.
const stepsInARow = 64

// work takes the steps that are owed until the folder must wait or rests, and returns that last
// step.
func (j *job) work(ctx context.Context) step {
	var last step
	err := outcome.Guard(func() error {
		last = j.takeSteps(ctx)
		return nil
	})
	if outcome.Is(err, outcome.Panicked) {
		last = j.park(outcome.Of(err))
	}
	if j.told != nil {
		if err := j.updatePatiently(func(*syncstate.Record) error { return nil }); err != nil {
			return j.notRecorded(err)
		}
	}
	return last
}

func (j *job) takeSteps(ctx context.Context) step {
	for range stepsInARow {
		j.snapshot, j.planned = j.board.latest(j.key, j.snapshot), j.amended.Load()
		s, err := j.scene()
		if err != nil {
			return j.notRecorded(err)
		}
		next := plan(s)
		if next.action == rest || next.action == wait {
			return j.settle(s, next)
		}
		if stop := j.take(ctx, s, next); stop != nil {
			return *stop
		}
		if ctx.Err() != nil {
			return next
		}
	}
	return step{action: wait, state: Queued, until: time.Now()}
}

// scene gathers everything that the next step is decided from.
func (j *job) scene() (scene, error) {
	if err := j.markArrived(); err != nil {
		return scene{}, err
	}
	record, err := j.records.Record(j.key)
	if err != nil {
		return scene{}, err
	}
	j.doubt(&record)
	j.look()
	j.begun = record.Run != nil
	s := scene{
		now: time.Now(), nameInShell: j.board.nameInShell(j.key), rules: j.root.rules,
		snapshot: j.snapshot, readings: j.readings, record: record,
		pausedAll: j.board.allPaused(), clock: j.service.clock(), resumed: j.resumed,
		manyGone:   !j.snapshot.Present && j.board.goneFrom(j.key.Root) > 1,
		maybeMoved: !j.snapshot.Present && j.board.maybeMoved(j.key),
		hurry:      record.Published == nil && j.mayHurry(),
		network:    j.files.onNetwork(j.key.Root),
		offline:    j.files.offline(j.key.Root), longestPoll: max(j.poll.First, j.poll.Max),
		blindUntil: j.blindUntil, firstLook: j.firstLook, touches: j.touches,
		publishedNames: new(nameIndex), gathered: new(*gathering),
		stopped: j.isStopped(&record),
	}
	if record.Run != nil {
		s.longestPoll = j.polls.LongestPause(record.Run.Images, s.longestPoll)
	}
	if j.textsOf == j.snapshot.Fingerprint {
		s.texts = j.texts
		s.unread = slices.ContainsFunc(j.problems, func(p alttext.Problem) bool { return p.Unread })
	}
	s.rules, s.wanted, s.row, err = j.identify(&record)
	j.row = s.row
	if s.outside = !s.rules.places(j.key.Path); s.outside {
		s.rules.frames = 0
	}
	switch {
	case errors.Is(err, products.ErrBeingWritten):
		s.awaited = &status.Cause{Kind: status.AwaitsFile, Said: err.Error()}
	case errors.As(err, new(unreadError)):
		s.unreadable = err
	case err != nil:
		s.mistake = &status.Cause{Kind: status.Mistake, Said: oneLine(err.Error())}
	}
	return s, nil
}

// take does one step. It returns a last step when the folder cannot go on.
func (j *job) take(ctx context.Context, s scene, next step) *step {
	if soonest := j.asked.Add(j.poll.First); s.asksStatus(next.action) && time.Now().Before(soonest) {
		return &step{action: wait, state: next.state, cause: next.cause, until: soonest, before: next.before}
	}
	if host, op := j.breakerOf(s, next.action); host != nil {
		if blocked := host.shut(time.Now(), op); blocked != nil {
			return j.holdBack(s, next, blocked)
		}
	}
	j.tell(next, s)
	err := j.do(ctx, s, next)
	switch {
	case outcome.Is(err, outcome.Panicked):
		last := j.park(outcome.Of(err))
		return &last
	case err == nil && actions[next.action].ends:
		// There is no record any more to go on with.
		return &step{action: rest, state: Missing, cause: next.cause}
	case err == nil && next.aside:
		return nil // the reason of the wait is not over
	case err == nil:
		return j.succeed(s)
	case interrupted(ctx, err):
		return &next
	case outcome.Is(err, outcome.Changed):
		return j.lookAgain(ctx)
	case outcome.OfHost(err) != nil:
		return j.holdBack(s, next, outcome.OfHost(err))
	case s.record.Unreconciled && s.record.Run != nil && outcome.Needs(err, status.ProductGone):
		return j.change(func(r *syncstate.Record) { r.Run = nil }) // the folder may have another product
	}
	j.logAnswer(err)
	if next.action == read {
		j.blindUntil = time.Now().Add(unreadPause)
	}
	if next.aside {
		j.log.Warn("a frame cannot be read", "folder", j.key.Path, "error", err)
		return nil // the wait of the folder goes on
	}
	if blocked := j.service.breakers.blames(time.Now(), err); blocked != nil {
		return j.holdBack(s, next, blocked)
	}
	level := slog.LevelWarn
	if before := s.record.Trouble; outcome.NoAccess(err) != nil ||
		before != nil && before.Detail == outcome.DetailOf(err) && before.Cause.Is(outcome.CauseOf(err).Kind) {
		level = slog.LevelDebug // it is told by the state, or was told at the last try
	}
	j.log.Log(ctx, level, "step failed", "folder", j.key.Path, "step", next.action, "error", err)
	return j.fail(s, err)
}

// logAnswer shows those who look closely what came in place of the service's answer.
func (j *job) logAnswer(err error) {
	var remote *apiclient.Error
	if errors.As(err, &remote) && remote.Sample != "" {
		j.log.Debug("an answer was not understood",
			"folder", j.key.Path, "call", remote.Op, "status", remote.Status, "answer", remote.Sample)
	}
}

// lookAgain has the folder read anew before anything else is planned. What the watcher knew was
// older than what the step came upon, and would lead to the same step at once.
func (j *job) lookAgain(ctx context.Context) *step {
	_, _ = j.files.Look(ctx, j.key.Root, j.key.Path) // a failure is told by a snapshot
	return &step{action: wait, state: Queued, until: time.Now().Add(changedPause)}
}

// do has a step done and recorded.
func (j *job) do(ctx context.Context, s scene, next step) error {
	if next.ahead {
		s = s.foreseen()
	}
	return deeds[next.action](j, ctx, s, next)
}

// succeed ends the trouble that stood before.
func (j *job) succeed(s scene) *step {
	if s.record.Trouble == nil {
		return nil
	}
	return j.change(func(r *syncstate.Record) { r.Trouble = nil })
}

// fail records a failure, so that the next plan waits for what ends it.
func (j *job) fail(s scene, failure error) *step {
	return j.change(func(r *syncstate.Record) { r.Trouble = j.troubleOf(s.record.Trouble, failure) })
}

// change changes the record. It returns a last step when that fails.
func (j *job) change(change func(*syncstate.Record)) *step {
	if err := j.update(func(r *syncstate.Record) error { change(r); return nil }); err != nil {
		last := j.notRecorded(err)
		return &last
	}
	return nil
}

// notRecorded is the last step when the record could not be read or changed. Where a person gave up
// the run or the product meanwhile, the folder is planned anew.
func (j *job) notRecorded(err error) step {
	switch {
	case outcome.Is(err, outcome.Changed):
		return step{action: wait, state: Queued, until: time.Now()}
	case errors.Is(err, syncstate.ErrDamaged):
		return j.setAside(err)
	}
	return j.stateFileFailed(err)
}

// stateFileFailed is the last step when the state file failed.
func (j *job) stateFileFailed(err error) step {
	if errors.Is(err, syncstate.ErrDamaged) {
		return attention(&status.Cause{Kind: status.Damaged, Said: err.Error()})
	}
	j.records.failed(err)
	return attention(because(status.StateFileFailed))
}

// setAside leaves a folder with a damaged record to a person. The head of its record is sound.
func (j *job) setAside(damaged error) step {
	last := attention(&status.Cause{Kind: status.Damaged, Said: damaged.Error()})
	head, err := j.records.Head(j.key)
	if err != nil {
		return j.stateFileFailed(err)
	}
	j.tell(last, scene{record: head, snapshot: watcher.Snapshot{Idle: true}})
	told := j.told
	if j.told = nil; told == nil {
		return last
	}
	if err := j.records.Tell(j.key, string(told.State), told.Cause, told.Since); err != nil {
		return j.stateFileFailed(err)
	}
	j.board.isRecorded(told)
	return last
}

// settle records that nothing more is owed for this listing, so that the next start need not look
// again.
func (j *job) settle(s scene, last step) step {
	j.logTexts()
	if last.state != Published || last.action != rest || s.snapshot.Err != nil {
		j.tell(last, s)
		return j.recordStop(s, last)
	}
	last.cause = s.besides(last.cause, j.problems)
	if s.unread && slices.ContainsFunc(j.problems, func(p alttext.Problem) bool { return p.Passing }) {
		j.textsOf = watcher.Fingerprint{}
		last.action, last.until = wait, s.now.Add(unreadPause)
		j.tell(last, s)
		return last
	}
	j.tell(last, s)
	fingerprint, settings := fingerprintText(j.snapshot.Fingerprint), j.root.settingsOf(s.row)
	if s.snapshot.Idle {
		settings = s.record.Settings // of a row that it was not judged by it only heard
	}
	if s.record.Rest != fingerprint || s.record.Settings != settings || s.record.Trouble != nil ||
		s.record.Panics > 0 || s.record.Rush || s.record.Stopped != "" {
		err := j.updatePatiently(func(r *syncstate.Record) error {
			r.Rest, r.Settings, r.Trouble, r.Panics, r.Stopped = fingerprint, settings, nil, 0, ""
			// A folder that rested was not looked at since it was to go first.
			r.Rush = r.Rush && s.snapshot.Idle
			return nil
		})
		if err != nil {
			return j.notRecorded(err)
		}
		j.board.followPriority(j.key)
	}
	j.files.SetIdle(j.key.Root, j.key.Path, j.snapshot.Fingerprint)
	j.letGo()
	return last
}

// besides is the cause of a published folder together with its smaller defects: photos that are no
// frames, and sidecars that make no sense. It is nil for nothing.
func (s scene) besides(known *status.Cause, problems []alttext.Problem) *status.Cause {
	var parts []status.Cause
	if known != nil {
		parts = append(parts, *known)
	}
	parts = append(parts, s.notTaken()...)
	if len(problems) > 0 {
		parts = append(parts, status.Cause{Kind: status.TextProblems, Said: problemsInShort(problems)})
	}
	if len(parts) == 0 {
		return nil
	}
	return &status.Cause{Kind: status.Besides, Parts: parts}
}

// letGo drops the data that a folder needs only while something is owed. Most folders are at rest,
// and these are to take little memory.
func (j *job) letGo() {
	j.snapshot = stillstandOf(j.snapshot).of(j.key)
	j.readings, j.texts, j.textsOf = nil, nil, watcher.Fingerprint{}
}

// update changes the folder's record, and brings what people are told up to date with it. It is
// outcome.ErrChanged when a person gave up the run or the product since the step was planned.
func (j *job) update(change func(*syncstate.Record) error) error {
	return j.updateBy(j.records.Update, change)
}

// updatePatiently is update where a moment more holds up nothing but the folder itself.
func (j *job) updatePatiently(change func(*syncstate.Record) error) error {
	return j.updateBy(j.records.UpdatePatiently, change)
}

func (j *job) updateBy(
	update func(syncstate.Folder, func(*syncstate.Record) error) error,
	change func(*syncstate.Record) error,
) error {
	var e extent
	err := update(j.key, func(r *syncstate.Record) error {
		if j.amended.Load() != j.planned {
			return outcome.ErrChanged
		}
		j.doubt(r)
		if err := change(r); err != nil {
			return err
		}
		if j.told != nil {
			j.told.keep(r)
			j.nameIn(r)
		}
		e = extentOf(*r)
		return nil
	})
	if err == nil {
		j.contents.set(j.key, e)
		if j.told != nil {
			j.board.isRecorded(j.told)
		}
		j.told = nil
		j.records.works()
	}
	return err
}

// listing is the listing hash of a folder as it is recorded; empty for a folder that is gone.
func listing(s watcher.Snapshot) string {
	if !s.Present {
		return ""
	}
	return fingerprintText(s.Fingerprint)
}

// holdBack tells that the folder waits for the host or the operation. It is no failure of the
// folder.
func (j *job) holdBack(s scene, owed step, by *outcome.Outcome) *step {
	last := step{action: wait, state: Retrying, cause: by.Cause, detail: by.Detail, until: by.Until, host: true}
	switch {
	case owed.state == Missing: // a view that is only to be verified stays as it is
		last.state, last.cause, last.detail = owed.state, owed.cause, ""
	case by.Kind == outcome.HostNeedsPerson:
		last.state = Attention
	}
	j.tell(last, s)
	return &last
}
