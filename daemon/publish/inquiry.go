package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// An inquiry asks the service about the product of one folder, and finds out what its refusals
// mean.
type inquiry struct {
	*ledger

	Asked   time.Time // the newest status request
	Resumed bool      // an earlier process began the run, not held against the service yet
}

// status asks for the product's status. It notes the time, because there is a shortest gap between
// two requests.
func (q *inquiry) status(ctx context.Context, product string) (apiclient.Status, error) {
	q.Asked = time.Now()
	return q.Service.Status(ctx, product)
}

// nextPoll is the time of the run's next status request.
func (q *inquiry) nextPoll(run *syncstate.Run) time.Time {
	now := time.Now()
	next := now.Add(q.Polls.Pause(run.Images, now.Sub(run.FinishSent), q.Poll.Max, q.Random))
	if soonest := q.Asked.Add(q.Poll.First); next.Before(soonest) {
		return soonest
	}
	return next
}

// productGone tells a product that was deleted on the service from other failures. Only the status
// is certain about that (interface 4.14): a page that something in between sends can be a "not
// found" too. A product that is gone is never made anew silently.
func (q *inquiry) productGone(ctx context.Context, product string, err error) error {
	var remote *apiclient.Error
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return outcome.Because(status.ProductGone)
	case !errors.As(err, &remote) || remote.Temporary() || time.Since(q.Asked) < q.Poll.First:
		return err
	}
	if _, unknown := q.status(ctx, product); errors.Is(unknown, apiclient.ErrUnknownProduct) {
		return outcome.Because(status.ProductGone)
	}
	return err
}
