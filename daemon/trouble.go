package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// errChanged says that the folder is not what the step was planned for; the next plan sees it as it is.
var errChanged = errors.New("the folder changed meanwhile")

// errProductGone says that the product was deleted on the service.
var errProductGone = personal{err: errors.New("the product is gone from the service"), remedy: "%s creates it anew"}

// errProjectGone says that the project was deleted on the service.
var errProjectGone = personal{
	err:    errors.New("the project is gone from the service"),
	remedy: "%s looks for one of its title and creates it anew if there is none",
}

// errViewReplaced says that the images on the service are of an upload that is not recorded.
var errViewReplaced = personal{
	err:    errors.New("the service shows another upload than the one from here"),
	remedy: "%s uploads the folder again",
}

// personal is a failure that only a person can end.
type personal struct {
	err    error
	remedy string // what to do, with %s for the retry of the folder; empty when the error says it
	detail string // of the failed request that it comes from; empty when the error wraps that, or there is none
}

func (p personal) Error() string { return p.err.Error() }
func (p personal) Unwrap() error { return p.err }

func needsPerson(format string, args ...any) error {
	return personal{err: fmt.Errorf(format, args...)}
}

// later is a wait that the protocol itself asks for. It is no failure.
type later struct {
	until  time.Time
	reason string
	person bool   // it is told as a matter for a person, but goes on by itself
	cause  error  // the failed request that it follows, if there is one
	detail string // of that request, where only that is known
}

func (l later) Error() string { return l.reason }
func (l later) Unwrap() error { return l.cause }

// troubleOf turns a failed step into what is recorded of it. It returns nil for what is no trouble of the folder.
func (j *job) troubleOf(before *syncstate.Trouble, err error) *syncstate.Trouble {
	now := time.Now()
	t := &syncstate.Trouble{Reason: inWords(err), Detail: detailOf(err), Attempts: 1, Since: now, At: now, Listing: j.content()}
	if before != nil {
		t.Attempts, t.Refusals, t.Since = before.Attempts+1, before.Refusals, before.Since
	}
	var wait later
	var person personal
	var remote *apiclient.Error
	if errors.As(err, &remote) && !remote.Temporary() {
		t.Refusals++
	}
	t.Former = errors.Is(err, errFormer) || errors.Is(err, errTwins)
	reason, denied := NoAccess(err)
	switch {
	case denied:
		t.Reason, t.NextTry, t.Person = reason, now.Add(accessPause), true
	case errors.As(err, &wait):
		t.NextTry, t.Person = wait.until, wait.person
	case errors.As(err, &person):
		if person.remedy != "" {
			t.Reason += fmt.Sprintf("; "+person.remedy, j.command("retry"))
		}
		t.Gone, t.ProjectGone, t.Replaced = errors.Is(err, errProductGone), errors.Is(err, errProjectGone), errors.Is(err, errViewReplaced)
	case remote != nil && !remote.Temporary() && t.Refusals >= refusals:
		t.Reason = withRetry(Explain(err, ""), j.command("retry"))
	default:
		t.NextTry = now.Add(j.d.retryPause(t.Attempts))
	}
	if remote != nil && remote.RetryAfter > 0 && !t.NextTry.IsZero() {
		t.Reason, t.Rest = t.Reason+moreRest(remote), restOf(remote)
		if rested := now.Add(askedRest(remote) + j.d.retryPause(1)); rested.After(t.NextTry) {
			t.NextTry = rested
		}
	}
	return t
}

// askedRest is how long a host is left alone because it asked for it.
func askedRest(err *apiclient.Error) time.Duration { return min(err.RetryAfter, longestRetryAfter) }

// restOf is what is to be spared for so long.
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

// inWords is a failure as people are told of it while it is tried again by itself.
func inWords(err error) string {
	var wait later
	var person personal
	switch {
	case errors.As(err, &wait):
		return wait.reason
	case errors.As(err, &person):
		return person.Error()
	}
	return Explain(err, "").Says
}

// withRetry is an explanation for a person whose word is waited for.
func withRetry(x Explanation, retry string) string {
	if x.Remedy == "" {
		return x.Says + "; " + retry + " tries again"
	}
	return x.String() + ", then " + retry
}

// moreRest tells of a host that asked for more rest than it gets.
func moreRest(err *apiclient.Error) string {
	if err.RetryAfter <= longestRetryAfter {
		return ""
	}
	return fmt.Sprintf("; it asks for %s of rest, and is tried again sooner", plainly(err.RetryAfter))
}

func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}
