package publish

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// An inquiry asks the service about the product of one folder, and finds out what its refusals
// mean.
type inquiry struct {
	service *hosting.Service
	pace    pace
	key     syncstate.Folder
	log     *slog.Logger

	foreign foreignUpload        // the last one
	other   difference           // the last one
	said    map[string]knowledge // by product
}

// A knowledge is when the status last knew a product, or since when it does not.
type knowledge struct {
	known bool
	at    time.Time
}

// A foreignUpload is an upload that the state file does not know.
type foreignUpload struct {
	product  string
	revision int64
	since    time.Time // when the service was first seen to process it
}

// A difference between a product and its record.
type difference struct {
	product string
	since   time.Time // when it was seen first
}

// mayBeBehind reports whether the service's lists may still come to show the product as it is
// recorded.
func (q *inquiry) mayBeBehind(product string) bool {
	if q.other.product != product {
		q.other = difference{product, time.Now()}
	}
	return time.Since(q.other.since) < hosting.Patience()
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
	q.service.Memory.Asked.Note(product, time.Now())
	status, err := q.service.Client.Status(ctx, product)
	before, asked := q.said[product]
	if err == nil || errors.Is(err, apiclient.ErrUnknownProduct) && (before.known || !asked) {
		q.said[product] = knowledge{err == nil, time.Now()}
	}
	return status, err
}

// knew reports whether the status has known a product since then.
func (q *inquiry) knew(product string, since time.Time) bool {
	said := q.said[product]
	return said.known && !said.at.Before(since)
}

// mayComeYet reports whether the status may still come to know a product that is listed: a list may
// be ahead of it, and may have a product still that is gone.
func (q *inquiry) mayComeYet(product string) bool {
	said := q.said[product]
	return !said.known && time.Since(said.at) < hosting.Patience()
}

// embedPatience is how long a publication waits for the link to its view.
const embedPatience = 10 * time.Second

// embedURL is the link to the folder's view, which stays the same from revision to revision. It is
// empty when the service does not give it: that holds up no publication.
func (q *inquiry) embedURL(ctx context.Context, s plan.Scene) string {
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
