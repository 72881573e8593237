package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// productGone distinguishes a product that was deleted on the service from other failures. Only the
// status is certain about that (interface 4.14): a page that something in between sends can be a
// "not found" too. A product that is gone is never made again silently.
func (q *requests) productGone(ctx context.Context, product string, err error) error {
	switch remote, ok := errors.AsType[*apiclient.Error](err); {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return outcome.Because(status.ProductGone)
	case !ok || remote.Temporary() || time.Now().Before(q.soonestStatus(product)):
		return err
	}
	if _, unknown := q.status(ctx, product); errors.Is(unknown, apiclient.ErrUnknownProduct) {
		return outcome.Because(status.ProductGone)
	}
	return err
}

// mayMeanGone reports whether a refusal comes from the service itself, and may mean that the
// service does not know the project. A user who may not see the project gets it neither by itself
// nor in the list, so that refusal proves nothing.
func mayMeanGone(err error) bool {
	var refusal *apiclient.Error
	return errors.As(err, &refusal) &&
		len(refusal.Messages) > 0 && !refusal.Temporary() && !refusal.Unauthorized()
}
