package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/schedule"
)

// An inquiry asks the service about the product of one folder, and finds out what its refusals
// mean.
type inquiry struct {
	*ledger
	foreign foreignUpload // the last one
	known   knownProduct  // the last one
}

// A knownProduct is a product that the status knew.
type knownProduct struct {
	uuid string
	at   time.Time
}

// A foreignUpload is an upload that the state file does not know.
type foreignUpload struct {
	product  string
	revision int64
	since    time.Time // when the service was first seen to process it
}

// waitsForForeign reports whether a foreign upload may still be on its way. After foreignPatience
// it counts as never finished.
func (q *inquiry) waitsForForeign(product string, revision int64) bool {
	if q.foreign.product != product || q.foreign.revision != revision {
		q.foreign = foreignUpload{product, revision, time.Now()}
	}
	return time.Since(q.foreign.since) < foreignPatience
}

// status asks for the product's status. It notes the time for the requests that follow.
func (q *inquiry) status(ctx context.Context, product string) (apiclient.Status, error) {
	q.Service.Asked.Note(product, time.Now())
	status, err := q.Service.Status(ctx, product)
	if err == nil {
		q.known = knownProduct{product, time.Now()}
	}
	if unknown := errors.Is(err, apiclient.ErrUnknownProduct); unknown || err == nil {
		q.Service.Unknown.Learn(product, !unknown, time.Now())
	}
	return status, err
}

// nextPoll is the time of the next status request about a product that is processed since then.
func (q *inquiry) nextPoll(product string, since time.Time) time.Time {
	now := time.Now()
	next := now.Add(schedule.PollPause(now.Sub(since), q.Poll.First, q.Poll.Max, q.Random))
	if soonest := q.soonestStatus(product); next.Before(soonest) {
		return soonest
	}
	return next
}
