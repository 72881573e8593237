package publish

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A creator makes the product of a folder, once.
type creator struct {
	record  *ledger
	service *hosting.Service
	finder  productFinder
	heir    heir
	log     *slog.Logger
}

// createProduct searches for the folder's product and creates it when no product has its SKU and
// title.
func (c creator) createProduct(ctx context.Context, s plan.Scene, next plan.Step) error {
	asked := syncstate.Intent{Title: s.Facts.Wanted.Title, SKU: s.Facts.Wanted.SKU, Project: s.Record.Project.UUID}
	if s.Record.Run.In(syncstate.Making) {
		// The product of the open intent comes first, even if the folder has another name now.
		if asked = *s.Record.Run.Intent; asksOtherwise(s, asked) {
			return c.abandonCreate(ctx, s)
		}
	} else if took, err := c.heir.takeOver(ctx, s); took || err != nil {
		return err
	}
	return c.seekProduct(ctx, s, asked, next.Count, func(ctx context.Context) error {
		return c.sendCreate(ctx, s, asked, next.Count)
	})
}

// abandonCreate finds out whether a create without an answer made a product, for a folder that is
// gone, or asks otherwise now. It adopts the product, so that the daemon knows it and can delete
// it.
func (c creator) abandonCreate(ctx context.Context, s plan.Scene) error {
	run, asked := *s.Record.Run, *s.Record.Run.Intent
	asked.Refusals = 0 // no person need decide on an unwanted product
	s.Record.Run, run.Intent = &run, &asked
	return c.seekProduct(ctx, s, asked, run.Images, func(context.Context) error {
		return c.record.change(func(r *syncstate.Record) { r.Run = nil })
	})
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
	unlock, err := c.service.Memory.Creating.Lock(ctx,
		strings.Join([]string{"product", asked.Project, asked.SKU, asked.Title}, "\x00"))
	if err != nil {
		return err
	}
	defer unlock()
	var found []syncstate.Product
	once := hosting.CreateOnce{
		What: "product", Intent: s.Record.Run.Asked(), Began: c.service.Began, Send: send,
		Waived: s.Record.Wishes.NotMade, Renewed: c.service.Renewed,
		Search: func(ctx context.Context) (uuids []string, err error) {
			found, err = c.finder.findProducts(ctx, asked, asksOtherwise(s, asked), s.Record.Wishes.NotMade)
			return uuidsOf(found), err
		},
		Adopt: func(uuid string) error {
			others, err := c.mayBeOthers(ctx, s, asked, uuid)
			if err != nil {
				return err
			}
			if others {
				c.log.Warn("the service has the product already; it is compared with the folder",
					"folder", c.record.key.Path, "product", uuid)
			}
			return c.adoptProduct(found[0], others)
		},
		Intend: func(i *syncstate.Intent) error {
			return c.record.change(func(r *syncstate.Record) {
				r.Run = makingRun(s, i, images)
				r.Wishes.NotMade = r.Wishes.NotMade && i != nil && i.Looks.N > 0 // the word is about a request before this one
			})
		},
	}
	return once.Run(ctx, asked)
}

// mayBeOthers reports whether a product of the asked name may be the work of somebody else: it was
// there before the create, or shows images. What is empty after a create without an answer is taken
// for what it made. A folder that is gone has nothing to compare.
func (c creator) mayBeOthers(ctx context.Context, s plan.Scene, asked syncstate.Intent, product string) (bool, error) {
	if !asked.Sent || !s.Facts.Snapshot.Present {
		return !asked.Sent, nil
	}
	images, err := c.finder.ask.allImages(ctx, product)
	return len(images) > 0, err
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

// adoptProduct takes over a product that is on the service already. Its form, if it ever had one,
// is lost, so that a reupload follows. A product that was found, and not made by a lost create, is
// compared with the folder before that, and has no run.
func (c creator) adoptProduct(p syncstate.Product, found bool) error {
	return c.finder.own(p.UUID, func(r *syncstate.Record) {
		if r.Product, r.Doubted = p, found; found {
			r.Run = nil
			return
		}
		r.Run = OwedRun(r.Run)
	})
}

func (c creator) sendCreate(ctx context.Context, s plan.Scene, asked syncstate.Intent, images int) error {
	c.service.Memory.Lists.Sending(nameOf(asked), c.service.Boot())
	form, err := c.service.Client.CreateProduct(ctx, apiclient.NewProduct{
		Title: asked.Title, SKU: asked.SKU, Manufacturer: s.Facts.Wanted.Manufacturer, Year: s.Facts.Wanted.Year,
		Project: asked.Project, Images: images,
	})
	if err != nil {
		return err
	}
	if err := isAnswerTo("create product", form.Title, asked.Title); err != nil {
		return err
	}
	if owner, owned := c.record.ownerOf(form.UUID); owned {
		return fmt.Errorf("create product: %w: product %s is that of folder %s",
			apiclient.ErrOtherAnswer, form.UUID, status.Name(owner.Path))
	}
	made := apiclient.Product{UUID: form.UUID, Title: asked.Title, SKU: asked.SKU, Project: asked.Project}
	c.service.Memory.Lists.Made(nameOf(asked), made, c.service.Boot())
	c.record.checked()
	return c.finder.own(form.UUID, func(r *syncstate.Record) {
		r.Product = s.Facts.Wanted.WithUUID(form.UUID)
		r.Product.Title, r.Product.SKU = asked.Title, asked.SKU
		r.Run = &syncstate.Run{
			Phase: syncstate.Sending, Started: time.Now(), Images: images, Form: hosting.FormOf(form), Frames: askedFrames(s),
		}
	})
}

// isAnswerTo fails where an answer to a create is about something of another title: it may be meant
// for somebody else. A service may trim a title, shorten it, escape it, or write it in other cases.
func isAnswerTo(create, title, asked string) error {
	kept := func(title string) string { return strings.ToLower(hosting.Compared(title)) }
	if strings.HasPrefix(kept(asked), kept(title)) {
		return nil
	}
	return fmt.Errorf("%s: %w: it is about %s", create, apiclient.ErrOtherAnswer, status.Name(title))
}
