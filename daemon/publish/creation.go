package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A creator makes the project and the product of a folder, or finds those that are there.
type creator struct {
	*ledger
	ask *inquiry
}

// createProduct searches for the folder's product and creates it when no product has its SKU and
// title.
func (c creator) createProduct(ctx context.Context, s plan.Scene, next plan.Step) error {
	asked := syncstate.Intent{Title: s.Facts.Wanted.Title, SKU: s.Facts.Wanted.SKU, Project: s.Record.Project.UUID}
	if s.Record.Run.In(syncstate.Making) {
		// The product of the open intent comes first, even if the folder has another name now.
		asked = *s.Record.Run.Intent
	} else if took, err := c.takeOver(ctx, s); took || err != nil {
		return err
	}
	if asksOtherwise(s, asked) {
		return c.seekProduct(ctx, s, asked, next.Count, c.endIntent)
	}
	return c.seekProduct(ctx, s, asked, next.Count, func(ctx context.Context) error {
		return c.sendCreate(ctx, s, asked, next.Count)
	})
}

// abandonCreate finds out whether a create without an answer made a product, for a folder that is
// gone. It adopts the product, so that the daemon knows it and can delete it.
func (c creator) abandonCreate(ctx context.Context, s plan.Scene) error {
	run, asked := *s.Record.Run, *s.Record.Run.Intent
	asked.Refusals = 0 // no person need decide on an unwanted product
	s.Record.Run, run.Intent = &run, &asked
	return c.seekProduct(ctx, s, asked, run.Images, c.endIntent)
}

// endIntent takes the place of a create that must not be sent again.
func (c creator) endIntent(context.Context) error {
	return c.Update(func(r *syncstate.Record) { r.Run = nil })
}

// asksOtherwise reports whether the folder now has another SKU, title or project than the request.
// Then the daemon requests nothing more under the old name, which another folder may have.
func asksOtherwise(s plan.Scene, asked syncstate.Intent) bool {
	return asked.SKU != s.Facts.Wanted.SKU || asked.Title != s.Facts.Wanted.Title ||
		s.Record.Project.Title != s.Facts.Wanted.Project
}

// seekProduct takes the protocol of a product's creation one step further. The run is recorded
// before the create, so that the folder is known by its frames if it gets another name.
func (c creator) seekProduct(
	ctx context.Context, s plan.Scene, asked syncstate.Intent, images int, send func(context.Context) error,
) error {
	// Only two folders that are the same product can make it twice.
	unlock, err := c.Service.Creating.Lock(ctx,
		strings.Join([]string{"product", asked.Project, asked.SKU, asked.Title}, "\x00"))
	if err != nil {
		return err
	}
	defer unlock()
	var found []syncstate.Product
	once := hosting.CreateOnce{
		What: "product", Intent: s.Record.Run.Asked(), Began: c.Started, Send: send,
		Waived: s.Record.NotMade, Renewed: c.Service.Renewed,
		Search: func(ctx context.Context) (uuids []string, err error) {
			found, err = c.lookForProduct(ctx, asked, asksOtherwise(s, asked))
			if err == nil {
				found, err = c.knownProducts(ctx, found, s.Record.NotMade)
			}
			if err == nil && len(found) == 0 && c.Snapshot.Present && !c.Files.Exists(c.Key.Root, c.Key.Path) {
				// A rename may be under way, and the new name would get a product too.
				err = outcome.ErrChanged
			}
			return uuidsOf(found), err
		},
		Adopt: func(uuid string) error {
			if !asked.Sent {
				c.Log.Warn("the service has the product already; it is compared with the folder",
					"folder", c.Key.Path, "product", uuid)
			}
			return c.adoptProduct(found[0], !asked.Sent)
		},
		Intend: func(i *syncstate.Intent) error {
			return c.Update(func(r *syncstate.Record) {
				r.Run = makingRun(s, i, images)
				r.NotMade = r.NotMade && i != nil && i.Looks.N > 0 // the word is about a request before this one
			})
		},
	}
	return once.Run(ctx, asked)
}

// makingRun is the run of a folder whose product is asked for, with its present frames; nil when
// nothing is asked for. That of a folder that is gone keeps its frames.
func makingRun(s plan.Scene, asked *syncstate.Intent, images int) *syncstate.Run {
	if asked == nil {
		return nil
	}
	run := &syncstate.Run{Phase: syncstate.Making, Intent: asked, Images: images, Frames: askedFrames(s)}
	if !s.Facts.Snapshot.Present {
		run.Frames = s.Record.Run.Frames
	}
	return run
}

// lookForProduct finds the products that an intent asks for, with the fields that they have. With
// passOver, because this folder has another name now, it skips the products of other folders.
func (c creator) lookForProduct(
	ctx context.Context, asked syncstate.Intent, passOver bool,
) ([]syncstate.Product, error) {
	products, err := c.Service.ProductsNamed(ctx, nameOf(asked), asked.Sent)
	if err != nil {
		return nil, c.projectRefused(asked, err)
	}
	var found []syncstate.Product
	for _, p := range namedExactly(products, asked) {
		if owner, owned := c.Records.Index.Another(c.Key, p.UUID); owned {
			if passOver || !isNamed(p, asked) {
				continue
			}
			if !asked.Sent {
				if took, err := c.inherit(ctx, owner); took || err != nil {
					return nil, cmp.Or(err, error(outcome.ErrChanged))
				}
			}
			said := fmt.Sprintf("SKU %s and title %s", status.Name(asked.SKU), status.Name(asked.Title))
			others := &status.Cause{Kind: status.OthersProduct, Name: owner.Path, Text: said}
			return nil, outcome.PersonUntil(time.Now().Add(ownerPause), others)
		}
		found = append(found, productOf(p))
	}
	return found, nil
}

// knownProducts are those of the listed products that the service knows by their status. A list may
// still have a product that is gone. The folder waits, unless a person denied that it is there.
func (c creator) knownProducts(
	ctx context.Context, listed []syncstate.Product, notMade bool,
) (known []syncstate.Product, _ error) {
	for _, p := range listed {
		if soonest := c.soonestStatus(p.UUID); time.Now().Before(soonest) {
			return nil, outcome.Later(soonest, status.Because(status.LookingForView), nil)
		}
		switch _, err := c.ask.status(ctx, p.UUID); {
		case err == nil:
			known = append(known, p)
		case !errors.Is(err, apiclient.ErrUnknownProduct):
			return nil, err
		case !notMade && c.ask.mayComeYet(p.UUID):
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

// adoptProduct takes over a product that is on the service already. Its form, if it ever had one,
// is lost, so that a reupload follows. A product that was found, and not made by a lost create, is
// compared with the folder before that, and has no run.
func (c creator) adoptProduct(p syncstate.Product, found bool) error {
	return c.ownProduct(p.UUID, func(r *syncstate.Record) {
		if r.Product, r.Doubted = p, found; found {
			r.Run = nil
			return
		}
		r.Run = OwedRun(r.Run)
	})
}

func (c creator) sendCreate(ctx context.Context, s plan.Scene, asked syncstate.Intent, images int) error {
	c.Service.Lists.Sending(nameOf(asked), c.Service.Boot())
	form, err := c.Service.CreateProduct(ctx, apiclient.NewProduct{
		Title: asked.Title, SKU: asked.SKU, Manufacturer: s.Facts.Wanted.Manufacturer, Year: s.Facts.Wanted.Year,
		Project: asked.Project, Images: images,
	})
	if err != nil {
		return err
	}
	if owner, owned := c.Records.Index.Another(c.Key, form.UUID); owned {
		return fmt.Errorf("create product: %w: product %s is that of folder %s",
			apiclient.ErrOtherAnswer, form.UUID, status.Name(owner.Path))
	}
	c.Unchecked = false
	return c.ownProduct(form.UUID, func(r *syncstate.Record) {
		r.Product = s.Facts.Wanted.WithUUID(form.UUID)
		r.Product.Title, r.Product.SKU = asked.Title, asked.SKU
		r.Run = &syncstate.Run{
			Phase: syncstate.Sending, Started: time.Now(), Images: images, Form: hosting.FormOf(form), Frames: askedFrames(s),
		}
	})
}

// ownProduct records a product as this folder's, unless another folder was faster.
func (c creator) ownProduct(uuid string, change func(*syncstate.Record)) error {
	return c.tryUpdate(c.Records.Update, func(r *syncstate.Record) error {
		if _, owned := c.Records.Index.Another(c.Key, uuid); owned {
			return outcome.ErrChanged
		}
		r.NoTwin, r.NotMade = false, false
		change(r)
		return nil
	})
}
