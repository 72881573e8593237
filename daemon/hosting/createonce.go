package hosting

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A CreateOnce is the create-once protocol, for a request that must never make a thing twice on a
// service that knows no idempotency key:
//
//  1. Search for the thing before every request, the first included. A list of a moment ago serves
//     the first request.
//  2. Record the intent.
//  3. Send the request, once.
//  4. Record the answer together with the end of the intent.
//
// An intent without an answer means "unknown": the answer was lost, or the program was killed. Then
// the daemon only searches, with patience because a list may lag. It adopts exactly one match, and
// sends the request again when there is provably none, or a person knows it.
type CreateOnce struct {
	What   string
	Intent *syncstate.Intent
	Began  time.Time // process start; immune to changes of the clock
	Waived bool      // a person confirmed that the lost create made nothing
	// Renewed is when the state file was renewed, the zero time when it was not. A create that was
	// sent shortly before is unknown to the file.
	Renewed time.Time
	Search  func(context.Context) ([]string, error) // UUIDs that match
	Adopt   func(uuid string) error                 // records a match and the end of the intent
	Intend  func(*syncstate.Intent) error           // records the intent; nil ends it
	Send    func(context.Context) error             // sends, and records answer and end of intent
}

// otherAnswer is how many refusals the answer to another request counts as. The intent outlasts it:
// the service may have made the thing under a name that no search recognises.
const otherAnswer = Refusals + 1

// Run takes the protocol one step further. It returns a wait as an outcome.
func (c CreateOnce) Run(ctx context.Context, asked syncstate.Intent) error {
	matches, err := c.Search(ctx)
	switch {
	case err != nil:
		return err
	case len(matches) == 1:
		return c.Adopt(matches[0])
	case len(matches) > 1:
		return Several(status.SeveralNamed, c.What, matches)
	}
	if c.Intent != nil && c.Intent.Sent && !c.Waived {
		if err := c.countSearch(); err != nil {
			return err
		}
		switch n := c.Intent.Refusals; {
		case n >= otherAnswer:
			said := &status.Cause{Kind: status.OtherAnswer, Name: c.What, Text: c.Intent.Answer.Text}
			return outcome.Person(said).WithDetail(c.Intent.Detail)
		case n >= Refusals:
			return errors.Join(c.Intend(nil), c.refusedForGood())
		}
	}
	if wait := c.forgottenCreate(); wait > 0 {
		return outcome.Later(time.Now().Add(wait), status.Because(status.LookingForView), nil)
	}
	return c.request(ctx, asked)
}

// forgottenCreate is the wait until a create that a renewed state file does not know of would be
// listed, by the ladder's patience.
func (c CreateOnce) forgottenCreate() time.Duration {
	if c.Renewed.IsZero() || c.Waived {
		return 0
	}
	return Patience() - Age(c.Renewed, c.Began)
}

// refusedForGood is the failure for a person, once it is certain that nothing was made.
func (c CreateOnce) refusedForGood() error {
	return outcome.Person(outcome.ForGood(c.Intent.Answer)).WithDetail(c.Intent.Detail)
}

// countSearch counts a search that found nothing. It returns the wait for the next one, as an
// outcome; nil after the last one needed. A search before its time does not count: several folders
// may search for one project, and people press retry.
func (c CreateOnce) countSearch() error {
	intent := *c.Intent
	why := unsure(cmp.Or(intent.Answer, &status.Cause{Kind: status.NoAnswer, Name: c.What}))
	wait := func(until time.Time) error { return outcome.Later(until, why, nil).WithDetail(intent.Detail) }
	now := c.Began.Add(time.Since(c.Began))
	pause := SearchPause(intent.Looks.N)
	switch left := intent.Looks.Next.Sub(now); {
	case left > pause: // the clock was set back: the wait since the last search starts again
		intent.Looks.Next = now.Add(pause)
	case left > 0:
		return wait(intent.Looks.Next)
	case !intent.Looks.Again(now, Searches):
		return nil
	}
	if err := c.Intend(&intent); err != nil {
		return err
	}
	return wait(intent.Looks.Next)
}

// unsure is the cause to show while the daemon searches for a thing that may have been made.
func unsure(answer *status.Cause) *status.Cause {
	return &status.Cause{Kind: status.Unanswered, Parts: []status.Cause{*outcome.WithoutRemedy(answer)}}
}

func (c CreateOnce) request(ctx context.Context, intent syncstate.Intent) error {
	intent.At, intent.Sent = time.Now(), true
	intent.Looks, intent.Answer, intent.Detail, intent.Refusals = syncstate.Tries{}, nil, "", 0
	if c.Intent != nil && !c.Waived { // a person's word begins anew
		intent.Refusals = c.Intent.Refusals
	}
	if err := c.Intend(&intent); err != nil {
		return err
	}
	// The answer to a create is the costly one: it is heard even while the program is stopping.
	sending, cancel := Graceful(ctx, AnswerGrace)
	defer cancel()
	err := c.Send(sending)
	var remote *apiclient.Error
	switch {
	case errors.Is(err, apiclient.ErrOtherAnswer):
	case err == nil, !errors.As(err, &remote):
		return err
	case !remote.MayHaveTakenEffect():
		return errors.Join(err, c.Intend(nil))
	}
	return errors.Join(c.noteAnswer(intent, err), outcome.Later(
		time.Now().Add(SearchPause(1)), unsure(outcome.CauseOf(err)), err,
	))
}

// noteAnswer records an answer that leaves open whether anything was made. It counts refusals,
// because a refusal may never pass by itself. After the answer to another request only a search or a
// person's word goes on.
func (c CreateOnce) noteAnswer(intent syncstate.Intent, answer error) error {
	var remote *apiclient.Error
	switch known := errors.As(answer, &remote); {
	case errors.Is(answer, apiclient.ErrOtherAnswer):
		intent.Refusals = otherAnswer
	case known && remote.Status == 0:
		return c.Intend(&intent) // a person's word that came meanwhile was about an earlier request
	case known && !remote.Temporary():
		intent.Refusals++
	}
	intent.Answer, intent.Detail = outcome.Explain(answer, "").Cause(), cmp.Or(outcome.DetailOf(answer), answer.Error())
	return c.Intend(&intent)
}

// Graceful is a context that outlives its parent by at most grace.
func Graceful(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return detached, func() { stop(); cancel() }
}

// Several asks a person which of several projects or views is meant. The kind is what they share.
func Several(kind status.Kind, what string, uuids []string) error {
	words := strings.Join(slices.Sorted(slices.Values(uuids)), ", ")
	return outcome.Person(&status.Cause{Kind: kind, Count: len(uuids), Name: what, Text: words})
}
