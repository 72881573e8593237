package daemon

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// errChanged says that the folder has changed since the step was planned; the next plan sees it as
// it is.
var errChanged = errors.New("the folder changed meanwhile")

// errProductGone says that the product was deleted on the service.
var errProductGone = personal{because: because(status.ProductGone)}

// errProjectGone says that the project was deleted on the service.
var errProjectGone = personal{because: because(status.ProjectGone)}

// errViewReplaced says that the images on the service are of an upload that is not recorded.
var errViewReplaced = personal{because: because(status.ViewReplaced)}

// personal is a failure that only a person can end.
type personal struct {
	because *status.Cause
	detail  string // of the failed request that it comes from; empty for none
}

func (p personal) Error() string { return status.Sentence(p.because, status.AnyFolder) }

// isKind reports whether a failure needs a person for a cause of this kind.
func isKind(err error, kind status.Kind) bool {
	person, is := errors.AsType[personal](err)
	return is && person.because.Is(kind)
}

// later is a wait that the protocol itself asks for. It is no failure.
type later struct {
	until   time.Time
	because *status.Cause
	person  bool   // it is told as a matter for a person, but goes on by itself
	failure error  // the failed request that it follows, if there is one
	detail  string // of that request, where only that is known
}

func (l later) Error() string { return status.Sentence(l.because, status.AnyFolder) }
func (l later) Unwrap() error { return l.failure }

// troubleOf is the record of a failed step, which goes on counting from the trouble before.
func (j *job) troubleOf(before *syncstate.Trouble, err error) *syncstate.Trouble {
	now := time.Now()
	t := &syncstate.Trouble{
		Cause: causeOf(err), Detail: detailOf(err), Attempts: 1, Since: now, At: now, Listing: j.content(),
	}
	if before != nil {
		t.Attempts, t.Refusals, t.Since = before.Attempts+1, before.Refusals, before.Since
	}
	var wait later
	var person personal
	var remote *apiclient.Error
	if errors.As(err, &remote) && !remote.Temporary() {
		t.Refusals++
	}
	denied := noAccess(err)
	switch {
	case denied != nil:
		t.Cause, t.NextTry, t.Person = denied, now.Add(accessPause), true
	case errors.As(err, &wait):
		t.NextTry, t.Person = wait.until, wait.person
	case errors.As(err, &person):
	case remote != nil && !remote.Temporary() && t.Refusals >= refusals:
		t.Cause = forGood(Explain(err, "").cause())
	default:
		t.NextTry = now.Add(j.retryPause(t.Attempts))
	}
	if remote != nil && remote.RetryAfter > 0 && !t.NextTry.IsZero() {
		t.Cause, t.Rest = withRest(t.Cause, remote), restOf(remote)
		if rested := now.Add(askedRest(remote) + j.retryPause(1)); rested.After(t.NextTry) {
			t.NextTry = rested
		}
	}
	return t
}

// askedRest is how long a host is left alone because it asked for it.
func askedRest(err *apiclient.Error) time.Duration { return min(err.RetryAfter, longestRetryAfter) }

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

// causeOf is a failure as people are told of it while it is tried again by itself.
func causeOf(err error) *status.Cause {
	var wait later
	var person personal
	switch {
	case errors.As(err, &wait):
		return wait.because
	case errors.As(err, &person):
		return person.because
	}
	return withoutRemedy(Explain(err, "").cause())
}

func withoutRemedy(c *status.Cause) *status.Cause {
	bare := *c
	bare.Remedy = ""
	return &bare
}

// forGood is a failed request that waits for a person, and a retry.
func forGood(failed *status.Cause) *status.Cause {
	c := *failed
	c.Kind = status.FailedForGood
	if c.Remedy != "" {
		c.Kind, c.Remedy = status.Refused, c.Remedy+", then "+status.RetryCommand
	}
	return &c
}

// withRest tells of a host that asked for more rest than it gets.
func withRest(c *status.Cause, err *apiclient.Error) *status.Cause {
	if err.RetryAfter <= longestRetryAfter {
		return c
	}
	return &status.Cause{Kind: status.RestCut, For: err.RetryAfter, Parts: []status.Cause{*c}}
}

func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil &&
		(errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}
