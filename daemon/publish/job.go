package publish

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Job is the work on one product folder: it plans one step after the other, and has the step done
// by the part that knows it. At most one worker runs a job at a time, and that worker owns all of
// it.
type Job struct {
	*ledger
	News  chan struct{} // holds one: a snapshot came while a worker had the folder
	Begun bool          // a run of a product has begun that has not ended

	unread string // why files could not be read the last time, as the log has it; empty once they were

	flights    *flights // nil while no frame is on its way
	sent       *sentFrames
	texts      *describer
	creator    creator
	uploader   uploader
	runner     runner
	reconciler reconciler
	upkeep     upkeep
}

// NewJob is the work on a folder of which nothing was read.
func NewJob(p *Publisher, key syncstate.Folder, root *reading.Root) *Job {
	l := &ledger{Publisher: p, Folder: reading.New(p.Files, key, root), Abandoned: new(atomic.Int32)}
	q := &inquiry{service: p.Service, pace: p, key: key, log: p.Log, said: map[string]knowledge{}}
	j := &Job{
		ledger: l, News: make(chan struct{}, 1),
		sent: &sentFrames{ledger: l, changed: map[string]int64{}}, texts: &describer{ledger: l, ask: q}, creator: creator{l, q},
	}
	j.uploader = uploader{l, j.sent}
	j.runner = runner{l, q, j.sent, j.texts}
	j.reconciler = reconciler{l, q, j.creator, j.Scene}
	j.upkeep = upkeep{l, q, j.texts}
	return j
}

// stepsInARow bounds how long one folder keeps others from their turn.
const stepsInARow = 64

// Work takes the steps that are owed until the folder must wait or rests, and returns that last
// step.
func (j *Job) Work(ctx context.Context) plan.Step {
	var last plan.Step
	err := outcome.Guard(func() error {
		last = j.takeSteps(ctx)
		return nil
	})
	j.bringDown(err)
	if outcome.Is(err, outcome.Panicked) {
		last = j.park(outcome.Of(err))
	}
	if j.pending != nil { // the status last shown is not recorded yet
		if err := j.updatePatiently(func(*syncstate.Record) {}); err != nil {
			return j.notRecorded(err)
		}
	}
	return last
}

func (j *Job) takeSteps(ctx context.Context) plan.Step {
	for taken := 0; taken < stepsInARow || j.flights != nil; taken++ {
		j.Snapshot = j.Neighbours.TakeLatest(j.Key, j.Snapshot)
		if j.flights == nil {
			j.planned = j.Abandoned.Load()
		}
		s, err := j.Scene()
		if err != nil {
			return j.notRecorded(err)
		}
		next := plan.Next(s)
		var stop *plan.Step
		switch {
		case j.flights != nil:
			stop = j.takeBeside(ctx, s, next)
		case !next.Need.None():
			stop = j.read(ctx, s, next)
		case next.Action == plan.Idle, next.Action == plan.Wait:
			return j.settle(s, next)
		default:
			stop = j.take(ctx, s, next)
		}
		if stop != nil {
			return *stop
		}
		if ctx.Err() != nil && j.flights == nil {
			return next
		}
	}
	return plan.Again(time.Now())
}

// Scene gathers everything that the next step is decided from.
func (j *Job) Scene() (plan.Scene, error) {
	record, err := j.Records.Record(j.Key)
	if err != nil {
		return plan.Scene{}, err
	}
	j.markDoubted(&record)
	j.Begun = record.Run != nil && record.Product.UUID != ""
	s := plan.Scene{
		Now: time.Now(), Record: record,
		Around: j.Neighbours.Around(j.Key, j.absence()),
		Clock:  j.Service.Clock(), Unchecked: j.Unchecked, LongestPoll: j.Poll.Max,
	}
	if j.flights != nil {
		s.UnderWay = j.flights.aloft
	}
	if other, shares := j.Records.Index.Another(j.Key, record.Product.UUID); shares {
		s.Around.SharedWith = other.Path
	}
	s.Facts, s.Around.Offline = j.Facts(s.Now, record), j.Offline()
	s.Set = plan.Judge(s.Facts, record, s.Now)
	return s, nil
}

// absence is nil for a present folder.
func (j *Job) absence() *watcher.Absence {
	if j.Snapshot.Present {
		return nil
	}
	return &j.Snapshot.Absent
}

// take does one step. It returns a last step when the folder cannot go on.
func (j *Job) take(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	if soonest := j.soonestStatus(s.Record.Product.UUID); s.AsksStatus(next.Action) && time.Now().Before(soonest) {
		return new(next.PutOff(soonest))
	}
	if host, op := j.breakerOf(s, next.Action); host != nil {
		if blocked := host.Blocked(time.Now(), op); blocked != nil {
			return j.holdBack(s, next, blocked)
		}
	}
	if beginsRun(s, next.Action) {
		if blocked := j.Service.RefusedLists.Blocked(s.Record.Project.UUID, time.Now()); blocked != nil {
			return j.holdBack(s, next, blocked)
		}
	}
	j.Tell(next, s)
	err := j.do(ctx, s, next)
	if j.flights != nil {
		return j.whileFlying(ctx)
	}
	return j.conclude(ctx, s, next, err)
}

// conclude draws the consequence of how a step ended. It returns a last step when the folder cannot go on.
func (j *Job) conclude(ctx context.Context, s plan.Scene, next plan.Step, err error) *plan.Step {
	switch {
	case outcome.Is(err, outcome.Panicked):
		return new(j.park(outcome.Of(err)))
	case err == nil && plan.Actions[next.Action].Ends:
		// There is no record any more to go on with.
		return &plan.Step{Action: plan.Idle, State: status.Missing, Cause: next.Cause}
	case err == nil:
		return j.succeed(s)
	case interrupted(ctx, err):
		return &next
	case outcome.Is(err, outcome.Changed):
		return j.lookAgain(ctx)
	case outcome.Blocked(err) != nil:
		return j.holdBack(s, next, outcome.Blocked(err))
	}
	j.logAnswer(err)
	if blocked := j.Service.Breakers.Blames(time.Now(), err); blocked != nil {
		return j.holdBack(s, next, blocked)
	}
	j.logFailure(ctx, s, next.Action, err)
	return j.fail(s, err)
}

// read reads the files that a step needs. A failure is not recorded as trouble: the next plan shows it,
// unless the folder waits for something else. It returns a last step when the folder cannot go on.
func (j *Job) read(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	j.Tell(next, s)
	err := j.Read(ctx, s.Facts, next.Need)
	if next.Need.Texts {
		j.texts.logProblems()
	}
	switch {
	case err == nil:
		j.unread = ""
		return nil
	case outcome.Is(err, outcome.Panicked):
		return new(j.park(outcome.Of(err)))
	case outcome.Needs(err, status.Deadly) && s.Record.Run.IsBound():
		return nil // the run is seen through first
	case outcome.Needs(err, status.Deadly):
		defer j.ForgetDeaths()
		return j.fail(s, err)
	case interrupted(ctx, err):
		return &next
	case outcome.Is(err, outcome.Changed):
		return j.lookAgain(ctx)
	}
	if outcome.Of(err) == nil && outcome.NoAccess(err) == nil && err.Error() != j.unread {
		j.Log.Warn("a file cannot be read", "folder", j.Key.Path, "error", err)
	}
	j.unread = err.Error()
	return nil
}

// interrupted reports whether a step failed because all is to stop.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil &&
		(errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// logFailure logs why a step came to no end. A wait without a failed request, a missing right and a
// failure like the last one are on display, and in the log at debug level.
func (j *Job) logFailure(ctx context.Context, s plan.Scene, action plan.Action, err error) {
	level := slog.LevelWarn
	wait, before := outcome.Of(err), s.Record.Trouble
	if wait != nil && wait.Kind == outcome.Waits && wait.Err == nil || outcome.NoAccess(err) != nil ||
		before != nil && before.Detail == outcome.DetailOf(err) && before.Cause.Is(outcome.CauseOf(err).Kind) {
		level = slog.LevelDebug
	}
	j.Log.Log(ctx, level, "step failed", "folder", j.Key.Path, "step", action, "error", err)
}

// logAnswer logs at debug level what came in place of the service's answer.
func (j *Job) logAnswer(err error) {
	if remote, ok := errors.AsType[*apiclient.Error](err); ok && remote.Sample != "" {
		j.Log.Debug("an answer was not understood",
			"folder", j.Key.Path, "call", remote.Op, "status", remote.Status, "answer", remote.Sample)
	}
}

// lookAgain has the folder read again before anything else is planned. What the watcher knew was
// older than what the step found, and would lead to the same step at once.
func (j *Job) lookAgain(ctx context.Context) *plan.Step {
	_, _ = j.Files.ReadFolder(ctx, j.Key.Root, j.Key.Path) // a snapshot reports a failure
	return new(plan.Again(time.Now().Add(plan.ChangedPause)))
}

// do has a step done and recorded.
func (j *Job) do(ctx context.Context, s plan.Scene, next plan.Step) error {
	return j.handlers()[next.Action](ctx, s, next)
}

// succeed ends the trouble before.
func (j *Job) succeed(s plan.Scene) *plan.Step {
	if s.Record.Trouble == nil {
		return nil
	}
	return j.change(func(r *syncstate.Record) {
		if r.Trouble != nil && r.Trouble.Kind == syncstate.NeedsPerson && r.Run != nil {
			r.Run.Setbacks.ForgetForms() // the folder changed since a person was asked
		}
		r.Trouble = nil
	})
}

// fail records a failure, so that the next plan waits for what ends it.
func (j *Job) fail(s plan.Scene, failure error) *plan.Step {
	trouble := j.troubleOf(s.Record.Trouble, failure)
	j.Metrics.Failure(classOf(failure), trouble.Kind != syncstate.NeedsPerson)
	return j.change(func(r *syncstate.Record) { r.Trouble = trouble })
}

// change changes the record. It returns a last step when that fails.
func (j *Job) change(change func(*syncstate.Record)) *plan.Step {
	if err := j.Update(change); err != nil {
		return new(j.notRecorded(err))
	}
	return nil
}

// notRecorded is the last step when the record could not be read or changed. Where a person gave up
// the run or the product, the folder is planned again.
func (j *Job) notRecorded(err error) plan.Step {
	if outcome.Is(err, outcome.Changed) {
		return plan.Again(time.Now())
	}
	j.Records.Failed(err)
	return plan.NeedsPerson(status.Because(status.StateFileFailed))
}

// settle records that nothing more is owed for this listing, so that the next start need not read
// it.
func (j *Job) settle(s plan.Scene, last plan.Step) plan.Step {
	j.texts.logTexts()
	if last.State != status.Published || last.Action != plan.Idle || s.Facts.Snapshot.Err != nil {
		j.Tell(last, s)
		return last
	}
	last.Cause = s.WithNotes(last.Cause, j.Problems)
	if s.Facts.Texts.Partly && j.TextsPass() {
		j.ForgetTexts()
		last.Action, last.Until = plan.Wait, s.Now.Add(reading.UnreadPause)
		j.Tell(last, s)
		return last
	}
	j.Tell(last, s)
	fingerprint, settings := plan.FingerprintText(j.Snapshot.Fingerprint), j.Root.SettingsOf(s.Facts.Row)
	if s.Facts.Snapshot.Idle {
		// A folder at rest was judged by the row it had then. A newer row has only been noticed.
		settings = s.Record.Settings
	}
	if s.Record.Listing != fingerprint || s.Record.Settings != settings || s.Record.Trouble != nil ||
		s.Record.Panics > 0 || s.Record.Priority {
		err := j.updatePatiently(func(r *syncstate.Record) {
			r.Listing, r.Settings, r.Trouble, r.Panics = fingerprint, settings, nil, 0
			// An idle folder was not read since it got priority.
			r.Priority = r.Priority && s.Facts.Snapshot.Idle
		})
		if err != nil {
			return j.notRecorded(err)
		}
		j.Neighbours.FollowWishes(j.Key)
	}
	j.Files.SetIdle(j.Key.Root, j.Key.Path, j.Snapshot.Fingerprint)
	j.LetGo()
	return last
}

// holdBack shows that the folder waits for the host or the operation. It is no failure of the
// folder.
func (j *Job) holdBack(s plan.Scene, owed plan.Step, by *outcome.Outcome) *plan.Step {
	last := plan.Step{
		Action: plan.Wait, State: status.Retrying, Cause: by.Cause, Detail: by.Detail,
		Until: by.Until, ForHost: true,
	}
	switch {
	case owed.State == status.Missing: // a view that is only verified keeps its state
		last.State, last.Cause, last.Detail = owed.State, owed.Cause, ""
	case by.Kind == outcome.HostNeedsPerson:
		last.State = status.Attention
	}
	j.Tell(last, s)
	return &last
}
