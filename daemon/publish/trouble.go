package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// troubleOf is the record of a failed step, which goes on counting from the trouble before.
func (l *ledger) troubleOf(before *syncstate.Trouble, err error) *syncstate.Trouble {
	now := time.Now()
	t := &syncstate.Trouble{
		Cause: outcome.CauseOf(err), Detail: outcome.DetailOf(err), Attempts: 1,
		Since: now, At: now, Listing: l.Content(),
	}
	if before != nil {
		t.Attempts, t.Refusals, t.Since = before.Attempts+1, before.Refusals, before.Since
	}
	var remote *apiclient.Error
	if errors.As(err, &remote) && !remote.Temporary() {
		t.Refusals++
	}
	denied, decided := outcome.NoAccess(err), outcome.Of(err)
	switch {
	case denied != nil:
		t.Cause, t.NextTry, t.Person = denied, now.Add(plan.AccessPause), true
	case decided != nil:
		t.NextTry, t.Person = decided.Until, decided.Kind == outcome.NeedsPerson && !decided.Until.IsZero()
	case remote != nil && !remote.Temporary() && t.Refusals >= hosting.Refusals:
		t.Cause = outcome.ForGood(outcome.Explain(err, "").Cause())
	default:
		t.NextTry = now.Add(l.RetryPause(t.Attempts))
	}
	if remote != nil && remote.RetryAfter > 0 && !t.NextTry.IsZero() {
		t.Cause, t.Rest = outcome.WithRest(t.Cause, remote), restOf(remote)
		if rested := now.Add(outcome.AskedRest(remote) + l.RetryPause(1)); rested.After(t.NextTry) {
			t.NextTry = rested
		}
	}
	return t
}

// restOf names the host or the operation that is left alone.
func restOf(err *apiclient.Error) *syncstate.Rest {
	rest := &syncstate.Rest{Host: err.UploadHost}
	switch {
	case err.Throttled():
	case err.UploadHost != "":
		rest.Op = apiclient.OpUpload
	default:
		rest.Op = err.Op
	}
	return rest
}

func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil &&
		(errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}
