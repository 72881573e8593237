package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// An inquiry asks the service about the product of one folder, and finds out what its refusals
// mean.
type inquiry struct {
	*ledger
	unknownSince time.Time // when the service was first seen to process an unknown upload
}

// waitsForTheUnknown reports whether an upload that the state file does not know may still be on
// its way. After unknownPatience that upload counts as never finished.
func (q *inquiry) waitsForTheUnknown() bool {
	if q.unknownSince.IsZero() {
		q.unknownSince = time.Now()
	}
	return time.Since(q.unknownSince) < unknownPatience
}

// status asks for the product's status. It notes the time, because there is a shortest gap between
// two requests.
func (q *inquiry) status(ctx context.Context, product string) (apiclient.Status, error) {
	q.Asked = time.Now()
	status, err := q.Service.Status(ctx, product)
	if unknown := errors.Is(err, apiclient.ErrUnknownProduct); unknown || err == nil {
		q.Service.Unknown.Learn(product, !unknown, time.Now())
	}
	return status, err
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
