package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// requireListing makes sure that the user may list the images of a project. It lists those of a
// product in it. A project without a product tells nothing: product is empty then.
func (q *inquiry) requireListing(ctx context.Context, project, product string) error {
	if known, refusal := q.Service.Permissions.Known(project, time.Now()); known {
		return refusal
	}
	unlock, err := q.Service.Permissions.Asking.Lock(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	q.Stagger(ctx, q.Key, "") // else all that waited would go on at the same instant
	if known, refusal := q.Service.Permissions.Known(project, time.Now()); known || product == "" {
		return refusal
	}
	_, err = q.Service.Images(ctx, product)
	if hosting.LacksPermission(err) {
		if err = q.judgeRefusal(ctx, project, product, err); err == nil {
			return nil
		}
	}
	q.Service.Permissions.Learn(project, time.Now(), err)
	return err
}

// judgeRefusal tells the meaning of a refusal to list the images of a product, nil for none. The
// product may have been deleted: the project's list shows that in time, and the status at once.
// Only its own folder, if it has one, asks for the status.
func (q *inquiry) judgeRefusal(ctx context.Context, project, product string, refusal error) error {
	owner, owned := q.Owners.of(product)
	if owned && owner == q.Key {
		return q.notListed(ctx, product, refusal)
	}
	const fresh = true
	if _, err := q.Service.ProductsNamed(ctx, hosting.ProductName{Project: project}, fresh); err != nil {
		return err
	}
	if !q.Service.Lists.Has(project, product) || !owned && !q.isKnown(ctx, product) {
		return nil
	}
	return q.notPermitted(project, refusal)
}

// isKnown reports whether the service knows a product that belongs to no folder, as far as it says.
// A product whose status was asked for a moment ago may be gone since.
func (q *inquiry) isKnown(ctx context.Context, product string) bool {
	if !q.Service.Unknown.GoneAt(product).IsZero() || time.Now().Before(q.soonestStatus(product)) {
		return false
	}
	_, _ = q.status(ctx, product)
	return q.Service.Unknown.GoneAt(product).IsZero()
}

// notListed tells the meaning of a refusal to list the images of the folder's own product.
func (q *inquiry) notListed(ctx context.Context, product string, refusal error) error {
	err := q.productGone(ctx, product, refusal)
	if !hosting.LacksPermission(err) {
		return err
	}
	return q.notPermitted(product, err)
}

// notPermitted is a refusal as a matter for a person. A redirect is one only when it lasts, and
// ends by itself: it may lead to a page about maintenance as well as to a log-in page.
func (q *inquiry) notPermitted(about string, refusal error) error {
	remote, _ := errors.AsType[*apiclient.Error](refusal)
	because := &status.Cause{
		Kind: status.Refused,
		Said: outcome.Saying(remote,
			"the hosting service does not let this user list the images of the folder's project"),
		Remedy: "have the user given edit permission for it there, then " + status.RetryCommand,
	}
	switch now := time.Now(); {
	case remote.Status/100 != 3:
		return outcome.Person(because).Told(remote.Detail())
	case now.Sub(q.Service.Permissions.LedSince(about, now)) < hosting.BarredPatience:
		return refusal
	default:
		return &outcome.Outcome{Kind: outcome.NeedsPerson, Until: now.Add(redirectPause), Cause: because, Err: refusal}
	}
}
