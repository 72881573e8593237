package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// productGone distinguishes a product that was deleted on the service from other failures. Only the
// status is certain about that (interface 4.14): a page that something in between sends can be a
// "not found" too. A product that is gone is never made again silently.
func (q *inquiry) productGone(ctx context.Context, product string, err error) error {
	switch remote, ok := errors.AsType[*apiclient.Error](err); {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return outcome.Because(status.ProductGone)
	case !ok || remote.Temporary() || time.Now().Before(q.pace.soonestStatus(product)):
		return err
	}
	if _, unknown := q.status(ctx, product); errors.Is(unknown, apiclient.ErrUnknownProduct) {
		return outcome.Because(status.ProductGone)
	}
	return err
}

// projectRefused finds the meaning of a refusal to list a project's products. No operation deletes
// a project, but people do so in the service's own pages, and no answer proves that (interface
// 7.3). So the refusal is tried as often as any other, and then a person is asked: all views in the
// project are concerned. The person's word ends the searches for what a create made, so they come
// first.
func (c creator) projectRefused(asked syncstate.Intent, refusal error) error {
	if !mayMeanGone(refusal) {
		return refusal
	}
	head, err := c.Records.Head(c.Key)
	switch {
	case err != nil:
		return err
	case head.Trouble == nil || head.Trouble.Refusals+1 < hosting.Refusals:
		return refusal
	case asked.Sent && hosting.Age(asked.At, c.Started) < hosting.Patience():
		return outcome.Later(time.Now().Add(hosting.SearchPause(2)), outcome.CauseOf(refusal), refusal)
	}
	gone := &status.Cause{Kind: status.ProjectRefused, Parts: []status.Cause{*outcome.CauseOf(refusal)}}
	return outcome.Person(gone).WithDetail(outcome.DetailOf(refusal))
}

// mayMeanGone reports whether a refusal comes from the service itself, and may mean that the
// service does not know the project. A user who may not see the project gets it neither by itself
// nor in the list, so that refusal proves nothing.
func mayMeanGone(err error) bool {
	var refusal *apiclient.Error
	return errors.As(err, &refusal) &&
		len(refusal.Messages) > 0 && !refusal.Temporary() && !refusal.Unauthorized()
}
