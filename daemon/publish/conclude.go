package publish

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Conclusions decide what follows from how a step of one folder ended, and log failures.
type conclusions struct {
	folder   *reading.Folder
	gate     gate
	troubles troubles
	panics   panics
	log      *slog.Logger
}

// conclude draws the consequence of how a step ended. It returns a last step when the folder cannot
// go on.
func (co conclusions) conclude(ctx context.Context, s plan.Scene, next plan.Step, err error) *plan.Step {
	switch {
	case outcome.Is(err, outcome.Panicked):
		return new(co.park(outcome.Of(err)))
	case err == nil && plan.Actions[next.Action].Ends:
		// There is no record any more to go on with.
		return &plan.Step{Action: plan.Idle, State: status.Missing, Cause: next.Cause}
	case err == nil && next.Action == plan.Poll && s.Record.Trouble != nil && s.Record.Trouble.Cause.Is(status.WrongList):
		return nil // the status was right before, too: the list decides
	case err == nil && co.takesAnotherForm(s, next.Action):
		return nil // whether the upload host takes the frames now, the upload tells
	case err == nil:
		return co.troubles.end(s)
	case interrupted(ctx, err):
		return &next
	case outcome.Is(err, outcome.Changed):
		return co.lookAgain(ctx)
	}
	if outcome.Blocked(err) == nil {
		co.logAnswer(err)
	}
	if last := co.gate.blames(s, next, err); last != nil {
		return last
	}
	co.logFailure(ctx, s, next.Action, err)
	return co.fail(s, err)
}

// takesAnotherForm reports whether a step gives a form up, or gets another one, for the frames as they
// were when a step of the run failed.
func (co conclusions) takesAnotherForm(s plan.Scene, did plan.Action) bool {
	run, t := s.Record.Run, s.Record.Trouble
	another := did == plan.EndForm || did == plan.Reupload && run != nil && run.GaveUpForm()
	return another && t != nil && t.Kind != syncstate.NeedsPerson && s.Facts.IsContent(t.Content)
}

// fail records a failure of the folder, without a line in the log. It returns a last step when the
// record cannot be changed.
func (co conclusions) fail(s plan.Scene, failure error) *plan.Step {
	return co.troubles.fail(s, failure)
}

// park makes a folder wait whose work panicked, and returns its last step.
func (co conclusions) park(p *outcome.Outcome) plan.Step { return co.panics.park(p) }

// lookAgain has the folder read again before anything else is planned. What the watcher knew was
// older than what the step found, and would lead to the same step at once.
func (co conclusions) lookAgain(ctx context.Context) *plan.Step {
	_, _ = co.folder.Look(ctx) // a snapshot reports a failure
	return new(plan.Again(time.Now().Add(plan.ChangedPause)))
}

// interrupted reports whether a step failed because all is to stop.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil &&
		(errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// logFailure logs why a step came to no end. A wait without a failed request, a missing right and a
// failure like the last one, or like the one for which the folder waits for a person, are on
// display, and in the log at debug level.
func (co conclusions) logFailure(ctx context.Context, s plan.Scene, action plan.Action, err error) {
	level := slog.LevelWarn
	wait, before := outcome.Of(err), s.Record.Trouble
	if wait != nil && wait.Kind == outcome.Waits && wait.Err == nil || outcome.NoAccess(err) != nil ||
		before != nil && before.Detail == outcome.DetailOf(err) && before.Cause.Is(outcome.CauseOf(err).Kind) ||
		co.gate.screen.hasLogged(outcome.DetailOf(err)) {
		level = slog.LevelDebug
	}
	co.log.Log(ctx, level, "step failed", "folder", co.folder.Key.Path, "step", action, "error", err)
}

// logAnswer logs at debug level what came in place of the service's answer.
func (co conclusions) logAnswer(err error) {
	if remote, ok := errors.AsType[*apiclient.Error](err); ok && remote.Sample != "" {
		co.log.Debug("an answer was not understood",
			"folder", co.folder.Key.Path, "call", remote.Op, "status", remote.Status, "answer", remote.Sample)
	}
}
