package publish

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A productFinder finds the product of a folder by its SKU and title.
type productFinder struct {
	record  *ledger
	service *hosting.Service
	ask     *requests
	heir    heir
	folder  *reading.Folder
}

// projectRefused finds the meaning of a refusal to list a project's products. No operation deletes
// a project, but people do so in the service's own pages, and no answer proves that (interface
// 7.3). So the refusal is tried as often as any other, and then a person is asked, while it is tried on: all
// views in the project are concerned. The person's word ends the searches for what a create made, so they come
// first.
func (f productFinder) projectRefused(asked syncstate.Intent, refusal error) error {
	if !mayMeanGone(refusal) {
		return refusal
	}
	head, err := f.record.read()
	switch {
	case err != nil:
		return err
	case head.Trouble == nil || head.Trouble.Refusals+1 < hosting.Refusals:
		return refusal
	case asked.Sent && hosting.Age(asked.At, f.service.Began) < hosting.Patience():
		return outcome.Later(time.Now().Add(hosting.SearchPause(2)), outcome.CauseOf(refusal), refusal)
	}
	gone := &status.Cause{Kind: status.ProjectRefused, Parts: []status.Cause{*outcome.CauseOf(refusal)}}
	return outcome.PersonUntil(time.Now().Add(personPause), gone).WithDetail(outcome.DetailOf(refusal))
}

// findProducts finds the products that an intent asks for and that the service knows: see
// lookForProduct and knownProducts. It fails where there is none and the folder has left its place.
func (f productFinder) findProducts(
	ctx context.Context, asked syncstate.Intent, passOver, notMade bool,
) ([]syncstate.Product, error) {
	listed, err := f.lookForProduct(ctx, asked, passOver)
	if err != nil {
		return nil, err
	}
	found, err := f.knownProducts(ctx, listed, notMade)
	if err == nil && len(found) == 0 && f.folder.HasLeft() {
		// A rename may be under way, and the new name would get a product too.
		return nil, outcome.ErrChanged
	}
	return found, err
}

// lookForProduct finds the products that an intent asks for, with the fields that they have. With
// passOver, because this folder has another name now or its product is gone, it skips the products of
// other folders.
func (f productFinder) lookForProduct(
	ctx context.Context, asked syncstate.Intent, passOver bool,
) ([]syncstate.Product, error) {
	products, err := f.service.ProductsNamed(ctx, nameOf(asked), asked.Sent)
	if err != nil {
		return nil, f.projectRefused(asked, err)
	}
	var found []syncstate.Product
	for _, p := range namedExactly(products, asked) {
		if owner, owned := f.record.ownerOf(p.UUID); owned {
			if passOver || !isNamed(p, asked) {
				continue
			}
			if !asked.Sent {
				if took, err := f.heir.inherit(ctx, owner); took || err != nil {
					return nil, cmp.Or(err, error(outcome.ErrChanged))
				}
			}
			return nil, f.asksAgain(status.OwnedBy(status.NameFrom(f.record.key.Root, owner), asked.SKU, asked.Title))
		}
		found = append(found, productOf(p))
	}
	return found, nil
}

// asksAgain calls a person to a product that another folder has. The list is read again sooner or
// later: that folder may get another SKU or title.
func (f productFinder) asksAgain(others *status.Cause) error {
	head, err := f.record.read()
	if err != nil {
		return err
	}
	pause := ownerPause
	if head.Trouble != nil {
		pause = schedule.Doubled(ownerPause, head.Trouble.Tries.N, longestOwnerPause)
	}
	return outcome.PersonUntil(time.Now().Add(pause), others)
}

// knownProducts are those of the listed products that the service knows by their status. A list may
// still have a product that is gone. The folder waits, unless a person denied that it is there.
func (f productFinder) knownProducts(
	ctx context.Context, listed []syncstate.Product, notMade bool,
) (known []syncstate.Product, _ error) {
	for _, p := range listed {
		if soonest := f.ask.soonestStatus(p.UUID); time.Now().Before(soonest) {
			return nil, outcome.Later(soonest, status.Because(status.LookingForView), nil)
		}
		switch _, err := f.ask.status(ctx, p.UUID); {
		case err == nil:
			known = append(known, p)
		case !errors.Is(err, apiclient.ErrUnknownProduct):
			return nil, err
		case !notMade && f.ask.mayComeYet(p.UUID):
			return nil, outcome.Later(time.Now().Add(hosting.SearchPause(2)), status.Because(status.ListedStill), nil)
		}
	}
	return known, nil
}

// namedExactly are the products whose SKU and title match the request to the letter. Without an
// exact match it returns all products.
func namedExactly(products []apiclient.Product, asked syncstate.Intent) []apiclient.Product {
	exact := slices.DeleteFunc(slices.Clone(products), func(p apiclient.Product) bool { return !isNamed(p, asked) })
	if len(exact) > 0 {
		return exact
	}
	return products
}

func isNamed(p apiclient.Product, asked syncstate.Intent) bool {
	return hosting.SameLetters(p.SKU, asked.SKU) && hosting.SameLetters(p.Title, asked.Title)
}

func nameOf(asked syncstate.Intent) hosting.ProductName {
	return hosting.NewProductName(asked.Project, asked.SKU, asked.Title)
}

func uuidsOf(products []syncstate.Product) []string {
	var uuids []string
	for _, p := range products {
		uuids = append(uuids, p.UUID)
	}
	return uuids
}

// own records a product as this folder's, unless another folder was faster.
func (f productFinder) own(uuid string, change func(*syncstate.Record)) error {
	return f.record.try(func(r *syncstate.Record) error {
		if _, owned := f.record.ownerOf(uuid); owned {
			return outcome.ErrChanged
		}
		r.Wishes.NoTwin, r.Wishes.NotMade = false, false
		change(r)
		return nil
	})
}

func productOf(p apiclient.Product) syncstate.Product {
	return syncstate.Product{UUID: p.UUID, Title: p.Title, SKU: p.SKU, Manufacturer: p.Manufacturer, Year: p.Year}
}

// mayMeanGone reports whether a refusal comes from the service itself, and may mean that the
// service does not know the project. A user who may not see the project gets it neither by itself
// nor in the list, so that refusal proves nothing.
func mayMeanGone(err error) bool {
	var refusal *apiclient.Error
	return errors.As(err, &refusal) &&
		len(refusal.Messages) > 0 && !refusal.Temporary() && !refusal.Unauthorized()
}
