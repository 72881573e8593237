package publish

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Requests are what one folder asks of the service about its product, and how soon it may ask for
// the status again. Most find out whether a refusal means that the product is gone: productGone.
type requests struct {
	service *hosting.Service
	key     syncstate.Folder
	poll    config.Poll
	random  func(n int64) int64
	log     *slog.Logger

	said     map[string]knowledge // by product
	differs  sighting[string]     // a product that is not as it is recorded
	unpacked sighting[upload]     // whose source files cannot be downloaded yet
}

// A knowledge is when the status last knew a product, or since when it does not, and how often it
// has said so.
type knowledge struct {
	known  bool
	at     time.Time
	denied int
}

// clock is the time by which the lists of the service age, see hosting.Service.
func (q *requests) clock() time.Time { return q.service.Boot() }

// mayBeBehind reports whether the service's lists, which show the product otherwise than it is
// recorded, may still come to show it so.
func (q *requests) mayBeBehind(product string) bool {
	return time.Since(q.differs.see(product)) < hosting.Patience()
}

// agree notes that the service shows the product as it is recorded.
func (q *requests) agree() { q.differs = sighting[string]{} }

// status asks for the product's status. It notes the time for the requests that follow.
func (q *requests) status(ctx context.Context, product string) (apiclient.Status, error) {
	q.service.Memory.Asked.Note(product, time.Now())
	status, err := q.service.Client.Status(ctx, product)
	before, asked := q.said[product]
	switch unknown := errors.Is(err, apiclient.ErrUnknownProduct); {
	case err == nil:
		q.said[product] = knowledge{known: true, at: time.Now()}
	case unknown && (before.known || !asked):
		q.said[product] = knowledge{at: time.Now(), denied: 1}
	case unknown:
		q.said[product] = knowledge{at: before.at, denied: before.denied + 1}
	}
	return status, err
}

// knew reports whether the status has known a product since then.
func (q *requests) knew(product string, since time.Time) bool {
	said := q.said[product]
	return said.known && !said.at.Before(since)
}

// mayComeYet reports whether the status may still come to know a product that a list has or a create
// made: it may be behind them. A list may have a product still that is gone. A time in which nobody
// asked shows nothing, so the answers count, too.
func (q *requests) mayComeYet(product string) bool {
	said := q.said[product]
	return !said.known && (said.denied <= hosting.Rungs || time.Since(said.at) < hosting.Patience())
}

// soonestStatus is when the status of a product may be asked for again, by any folder. An earlier
// process may have asked a moment before this one started.
func (q *requests) soonestStatus(product string) time.Time {
	last := q.service.Memory.Asked.At(product)
	if last.Before(q.service.Began) {
		last = q.service.Began
	}
	return last.Add(q.poll.First)
}

// nextPoll is the time of the next status request about a product that is processed since then.
func (q *requests) nextPoll(product string, since time.Time) time.Time {
	return q.pollWithin(q.poll.Max, product, since)
}

// pollForPerson is nextPoll while a person is waited for. The service may still get on by itself.
func (q *requests) pollForPerson(product string, since time.Time) time.Time {
	return q.pollWithin(max(q.poll.Max, personPause), product, since)
}

func (q *requests) pollWithin(longest time.Duration, product string, since time.Time) time.Time {
	now := time.Now()
	next := now.Add(schedule.PollPause(now.Sub(since), q.poll.First, longest, q.random))
	if soonest := q.soonestStatus(product); next.Before(soonest) {
		return soonest
	}
	return next
}

// lookPause is the patience with lists of images: the status is asked for before each.
func (q *requests) lookPause(n int) (pause time.Duration, patient bool) {
	pause, patient = hosting.Searches(n)
	return min(pause, q.poll.Max), patient
}

// reupload announces so many images to the service, and gives the form for them.
func (q *requests) reupload(
	ctx context.Context, product string, changed apiclient.ProductUpdate, images int,
) (apiclient.Credentials, error) {
	form, err := q.service.Client.Reupload(ctx, product, changed, images)
	if err != nil {
		return form, q.productGone(ctx, product, err)
	}
	return form, nil
}

// finish sends the finish of an upload, and hears the answer even while the program is stopping.
func (q *requests) finish(ctx context.Context, product string) error {
	sending, cancel := hosting.Graceful(ctx, hosting.AnswerGrace)
	defer cancel()
	return q.service.Client.FinishUpload(sending, product)
}

// update changes fields of a product.
func (q *requests) update(ctx context.Context, product string, changed apiclient.ProductUpdate) error {
	if err := q.service.Client.UpdateProduct(ctx, product, changed); err != nil {
		return q.productGone(ctx, product, err)
	}
	return nil
}

// remove deletes a product. A refusal counts as success when the product does not exist any more.
func (q *requests) remove(ctx context.Context, product string) error {
	err := q.service.Client.DeleteProduct(ctx, product)
	if err != nil {
		err = q.productGone(ctx, product, err)
	}
	if outcome.Needs(err, status.ProductGone) {
		return nil
	}
	return err
}

// isListed reports whether the folder's product is in a fresh list under the recorded SKU and
// title.
func (q *requests) isListed(ctx context.Context, r syncstate.Record) (bool, error) {
	name := hosting.NewProductName(r.Project.UUID, r.Product.SKU, r.Product.Title)
	named, err := q.service.ProductsNamed(ctx, name, true)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(named, func(p apiclient.Product) bool { return p.UUID == r.Product.UUID }), nil
}

// productGone distinguishes a product that was deleted on the service from other failures. Only the
// status is certain about that (interface 4.14), and only once it has said so for a while: it may be
// behind a create, and a copy of the service may be behind the others. A page that something in
// between sends can be a "not found" too. A product that is gone is never made again silently.
func (q *requests) productGone(ctx context.Context, product string, err error) error {
	if !errors.Is(err, apiclient.ErrUnknownProduct) {
		remote, ok := errors.AsType[*apiclient.Error](err)
		if !ok || remote.Temporary() || time.Now().Before(q.soonestStatus(product)) {
			return err
		}
		if _, unknown := q.status(ctx, product); !errors.Is(unknown, apiclient.ErrUnknownProduct) {
			return err
		}
	}
	if q.mayComeYet(product) {
		return outcome.Later(time.Now().Add(hosting.SearchPause(2)), status.Because(status.LookingForView), nil)
	}
	return outcome.Because(status.ProductGone)
}

// embedPatience is how long a publication waits for the link to its view.
const embedPatience = 10 * time.Second

// embedURL is the link to the folder's view, which stays the same from revision to revision. It is
// empty when the service does not give it: that holds up no publication.
func (q *requests) embedURL(ctx context.Context, s plan.Scene) string {
	if s.Record.Published != nil && s.Record.Published.EmbedURL != "" {
		return s.Record.Published.EmbedURL
	}
	asking, cancel := context.WithTimeout(ctx, embedPatience)
	defer cancel()
	embed, err := q.service.Client.Embed(asking, s.Record.Product.UUID, apiclient.EmbedOptions{Type: apiclient.EmbedResponsive})
	if err != nil {
		q.log.Debug("the link to the view is not known", "folder", q.key.Path, "error", err)
	}
	return embed.Src
}
