package publish

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Troubles decides what follows from how a step of one folder ended. It records and logs failures.
type troubles struct {
	record  *ledger
	records *Records
	screen  *screen
	folder  *reading.Folder
	service *hosting.Service
	pace    pace
	metrics *metrics.Metrics
	log     *slog.Logger
}

// conclude draws the consequence of how a step ended. It returns a last step when the folder cannot go on.
func (tr troubles) conclude(ctx context.Context, s plan.Scene, next plan.Step, err error) *plan.Step {
	switch {
	case outcome.Is(err, outcome.Panicked):
		return new(tr.park(outcome.Of(err)))
	case err == nil && plan.Actions[next.Action].Ends:
		// There is no record any more to go on with.
		return &plan.Step{Action: plan.Idle, State: status.Missing, Cause: next.Cause}
	case err == nil:
		return tr.succeed(s)
	case interrupted(ctx, err):
		return &next
	case outcome.Is(err, outcome.Changed):
		return tr.lookAgain(ctx)
	case outcome.Blocked(err) != nil:
		return tr.holdBack(s, next, outcome.Blocked(err))
	}
	tr.logAnswer(err)
	if blocked := tr.service.Breakers.Blames(time.Now(), err); blocked != nil {
		return tr.holdBack(s, next, blocked)
	}
	tr.logFailure(ctx, s, next.Action, err)
	return tr.fail(s, err)
}

// holdBack shows that the folder waits for the host or the operation. It is no failure of the
// folder.
func (tr troubles) holdBack(s plan.Scene, owed plan.Step, by *outcome.Outcome) *plan.Step {
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
	tr.screen.show(last, s)
	return &last
}

// lookAgain has the folder read again before anything else is planned. What the watcher knew was
// older than what the step found, and would lead to the same step at once.
func (tr troubles) lookAgain(ctx context.Context) *plan.Step {
	_, _ = tr.folder.Look(ctx) // a snapshot reports a failure
	return new(plan.Again(time.Now().Add(plan.ChangedPause)))
}

// interrupted reports whether a step failed because all is to stop.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil &&
		(errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// troubleOf is the record of a failed step, which goes on counting from the trouble before.
func (tr troubles) troubleOf(before *syncstate.Trouble, err error) *syncstate.Trouble {
	now := time.Now()
	t := &syncstate.Trouble{
		Kind: syncstate.Retried, Cause: outcome.CauseOf(err), Detail: outcome.DetailOf(err), At: now,
		Content: tr.folder.Content(),
	}
	if before != nil {
		t.Tries.N, t.Refusals = before.Tries.N, before.Refusals
	}
	t.Tries.N++
	var remote *apiclient.Error
	if errors.As(err, &remote) && !remote.Temporary() {
		t.Refusals++
	}
	denied, decided := outcome.NoAccess(err), outcome.Of(err)
	switch {
	case denied != nil:
		t.Kind, t.Cause, t.Tries.Next = syncstate.RetriedAndShown, denied, now.Add(plan.AccessPause)
	case decided != nil && decided.Until.IsZero():
		t.Kind = syncstate.NeedsPerson
	case decided != nil && decided.Kind == outcome.NeedsPerson:
		t.Kind, t.Tries.Next = syncstate.RetriedAndShown, decided.Until
	case decided != nil:
		t.Tries.Next = decided.Until
	case remote != nil && !remote.Temporary() && t.Refusals >= hosting.Refusals:
		t.Kind, t.Cause = syncstate.NeedsPerson, outcome.ForGood(outcome.Explain(err, "").Cause())
	default:
		t.Tries.Next = now.Add(tr.pace.retry(t.Tries.N))
		if isAstray(remote) && t.Tries.N >= mostAstray {
			t.Kind, t.Cause = syncstate.RetriedAndShown, outcome.Explain(err, "").Cause()
		}
	}
	if remote != nil && !remote.Local() && t.Kind != syncstate.NeedsPerson {
		t.Cause = outcome.WithPause(t.Cause, remote)
		if rests := tr.service.Breakers.Asked(remote); rests.After(now) {
			if again := rests.Add(tr.pace.retry(1)); again.After(t.Tries.Next) {
				t.Tries.Next = again
			}
		}
	}
	return t
}

// isAstray reports whether what came is no answer of the host that was asked: a redirect, or something
// that the interface does not know. The address may be wrong, or something in between answers.
func isAstray(err *apiclient.Error) bool {
	return err != nil && !err.Local() && err.Status != 0 && (err.Status/100 == 3 || err.Err != nil)
}

// succeed ends the trouble before.
func (tr troubles) succeed(s plan.Scene) *plan.Step {
	if s.Record.Trouble == nil {
		return nil
	}
	return tr.change(func(r *syncstate.Record) {
		if r.Trouble != nil && r.Trouble.Kind == syncstate.NeedsPerson && r.Run != nil {
			r.Run.Setbacks.ForgetForms() // the folder changed since a person was asked
		}
		r.Trouble = nil
	})
}

// fail records a failure, so that the next plan waits for what ends it.
func (tr troubles) fail(s plan.Scene, failure error) *plan.Step {
	trouble := tr.troubleOf(s.Record.Trouble, failure)
	tr.metrics.Failure(classOf(failure), trouble.Kind != syncstate.NeedsPerson)
	return tr.change(func(r *syncstate.Record) { r.Trouble = trouble })
}

// change changes the record. It returns a last step when that fails.
func (tr troubles) change(change func(*syncstate.Record)) *plan.Step {
	if err := tr.record.change(change); err != nil {
		return new(tr.notRecorded(err))
	}
	return nil
}

// notRecorded is the last step when the record could not be read or changed. Where a person gave up
// the run or the product, the folder is planned again.
func (tr troubles) notRecorded(err error) plan.Step {
	if outcome.Is(err, outcome.Changed) {
		return plan.Again(time.Now())
	}
	tr.records.Failed(err)
	return plan.NeedsPerson(status.Because(status.StateFileFailed))
}

// logFailure logs why a step came to no end. A wait without a failed request, a missing right and a
// failure like the last one are on display, and in the log at debug level.
func (tr troubles) logFailure(ctx context.Context, s plan.Scene, action plan.Action, err error) {
	level := slog.LevelWarn
	wait, before := outcome.Of(err), s.Record.Trouble
	if wait != nil && wait.Kind == outcome.Waits && wait.Err == nil || outcome.NoAccess(err) != nil ||
		before != nil && before.Detail == outcome.DetailOf(err) && before.Cause.Is(outcome.CauseOf(err).Kind) {
		level = slog.LevelDebug
	}
	tr.log.Log(ctx, level, "step failed", "folder", tr.record.key.Path, "step", action, "error", err)
}

// logAnswer logs at debug level what came in place of the service's answer.
func (tr troubles) logAnswer(err error) {
	if remote, ok := errors.AsType[*apiclient.Error](err); ok && remote.Sample != "" {
		tr.log.Debug("an answer was not understood",
			"folder", tr.record.key.Path, "call", remote.Op, "status", remote.Status, "answer", remote.Sample)
	}
}

// classOf is the cause of a failure in a word, for the metrics.
func classOf(err error) string {
	var remote *apiclient.Error
	decided := outcome.Of(err)
	switch {
	case outcome.NoAccess(err) != nil:
		return string(status.NoAccess)
	case decided != nil && decided.Cause != nil:
		return string(decided.Cause.Kind)
	case !errors.As(err, &remote), remote.Local():
		return "file"
	case remote.Barred():
		return "barred"
	case remote.Status == 0:
		return "no answer"
	case remote.Throttled():
		return "throttled"
	case remote.Full():
		return "host full"
	case remote.Status >= http.StatusInternalServerError:
		return "server error"
	case remote.Status/100 == 4:
		return "refused"
	}
	return "wrong answer"
}

// A panic in the work on one folder does not affect the others: the folder waits for a while, and
// after the third one for a person.

// park makes a folder wait whose work panicked.
func (tr troubles) park(p *outcome.Outcome) (last plan.Step) {
	tr.log.Error("the work on a folder panicked",
		"folder", tr.record.key.Path, "panic", p.Err, "stack", string(p.Stack))
	err := outcome.Guard(func() (err error) {
		last, err = tr.recordPanic()
		return err
	})
	switch {
	case outcome.Is(err, outcome.Panicked):
		return plan.NeedsPerson(status.Because(status.InternalErrors))
	case err != nil:
		return tr.notRecorded(err)
	}
	return last
}

func (tr troubles) recordPanic() (plan.Step, error) {
	var s plan.Scene
	err := tr.record.change(func(r *syncstate.Record) {
		now := time.Now()
		r.Panics++
		r.Trouble = &syncstate.Trouble{
			Kind: syncstate.NeedsPerson, Cause: status.Because(status.InternalErrors), At: now, Content: tr.folder.Content(),
		}
		if pause, patient := tr.pace.tries(r.Panics); patient {
			r.Trouble.Kind, r.Trouble.Cause = syncstate.Retried, status.Because(status.InternalError)
			r.Trouble.Tries = syncstate.Tries{N: r.Panics, Next: now.Add(pause)}
		}
		s = plan.Scene{Now: now, Record: *r, Facts: plan.Facts{
			Snapshot: tr.folder.Snapshot, Readings: tr.folder.Readings, Rules: tr.folder.Root.Rules,
		}}
	})
	if err != nil {
		return plan.Step{}, err
	}
	s.Set = plan.Judge(s.Facts, s.Record, s.Now) // which may be what panicked
	last := s.PlanTrouble()
	tr.screen.show(last, s)
	return last, nil
}
