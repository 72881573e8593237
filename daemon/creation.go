package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A creation is the create-once protocol, for a request that must never make a thing twice on a
// service that knows no idempotency key:
//
//  1. Look for the thing before every request, the first included. A look of a moment ago serves
//     the first request.
//  2. Record the intent.
//  3. Send the request, once.
//  4. Record the answer together with the end of the intent.
//
// An intent without an answer means "unknown": the answer was lost, or the program was killed. Then
// the daemon only looks, with patience because a list may lag. It adopts exactly one match, and
// sends the request again when there is provably none. When a service was not ready and says for
// how long, the daemon looks once after that time and then repeats the request.
type creation struct {
	what   string
	intent *syncstate.Intent
	began  time.Time                               // process start; immune to changes of the clock
	look   func(context.Context) ([]string, error) // UUIDs that match
	adopt  func(uuid string) error                 // records a match and the end of the intent
	intend func(*syncstate.Intent) error           // records the intent; nil ends it
	send   func(context.Context) error             // sends, and records answer and end of intent
}

// run takes the protocol one step further. It returns a wait as an error of type later.
func (c creation) run(ctx context.Context, asked syncstate.Intent) error {
	looking := ctx
	if c.intent == nil {
		looking = apiclient.BeforeCreate(ctx)
	}
	matches, err := c.look(looking)
	switch {
	case err != nil:
		return err
	case len(matches) == 1:
		return c.adopt(matches[0])
	case len(matches) > 1:
		return outcome.Person(&status.Cause{Kind: status.SeveralNamed, Count: len(matches), Name: c.what})
	}
	if c.intent != nil && c.intent.Sent {
		if wait, patient := c.lookAgain(); patient {
			return wait
		}
		if c.intent.Refusals >= refusals {
			return errors.Join(c.intend(nil), c.refusedForGood())
		}
	}
	return c.request(ctx, asked)
}

// refusedForGood is the failure for a person, once it is certain that nothing was made.
func (c creation) refusedForGood() error {
	return outcome.Person(outcome.ForGood(c.intent.Answer)).Told(c.intent.Detail)
}

// lookAgain counts a look that found nothing. It reports false after the last look needed. A look
// before its time does not count: several folders may look for one project, and people press retry.
func (c creation) lookAgain() (error, bool) {
	intent := *c.intent
	why := unsure(cmp.Or(intent.Answer, &status.Cause{Kind: status.NoAnswer, Name: c.what}))
	now := c.began.Add(time.Since(c.began))
	switch early := untilNextLook(intent, now); {
	case intent.RepeatAt.After(now) && !now.Before(intent.At):
		return outcome.Later(intent.RepeatAt, why, nil).Told(intent.Detail), true
	case !intent.RepeatAt.IsZero() && !now.Before(intent.At):
		return nil, false // a look has passed, and the service had not taken the request
	case intent.Looks > 0 && now.Before(intent.LastLook):
		// The clock was set back: the wait since that look begins anew.
	case early > 0:
		return outcome.Later(now.Add(early), why, nil).Told(intent.Detail), true
	default:
		intent.Looks++
	}
	intent.LastLook = now
	if intent.Looks > len(lookPauses) {
		return nil, false
	}
	if err := c.intend(&intent); err != nil {
		return err, true
	}
	return outcome.Later(now.Add(lookPauses[intent.Looks-1]), why, nil).Told(intent.Detail), true
}

// unsure is the cause to show while the daemon looks for a thing that may have been made.
func unsure(answer *status.Cause) *status.Cause {
	return &status.Cause{Kind: status.Unanswered, Parts: []status.Cause{*outcome.WithoutRemedy(answer)}}
}

func untilNextLook(i syncstate.Intent, now time.Time) time.Duration {
	if i.Looks == 0 {
		return 0
	}
	return lookPauses[min(i.Looks, len(lookPauses))-1] - now.Sub(i.LastLook)
}

func (c creation) request(ctx context.Context, intent syncstate.Intent) error {
	intent.At, intent.Sent = time.Now(), true
	intent.Attempt, intent.Looks, intent.Answer, intent.Detail = 1, 0, nil, ""
	intent.RepeatAt = time.Time{}
	if c.intent != nil {
		intent.Attempt, intent.Refusals = c.intent.Attempt+1, c.intent.Refusals
	}
	if err := c.intend(&intent); err != nil {
		return err
	}
	// The answer to a create is the costly one: it is heard even while the program is stopping.
	sending, cancel := graceful(ctx, createGrace)
	defer cancel()
	err := c.send(sending)
	var remote *apiclient.Error
	switch {
	case errors.Is(err, apiclient.ErrOtherAnswer):
	case !errors.As(err, &remote):
		return err
	case !remote.MayHaveTakenEffect():
		return errors.Join(err, c.intend(nil))
	}
	return errors.Join(c.noteAnswer(intent, err), outcome.Later(
		time.Now().Add(lookPauses[0]), unsure(outcome.CauseOf(err)), err,
	))
}

// noteAnswer records an answer that leaves open whether anything was made. It counts refusals,
// because a refusal may never pass by itself. After the answer to another request only a look or a
// person goes on: the service may have made the thing under another name.
func (c creation) noteAnswer(intent syncstate.Intent, answer error) error {
	var remote *apiclient.Error
	switch known := errors.As(answer, &remote); {
	case errors.Is(answer, apiclient.ErrOtherAnswer):
		intent.Refusals = refusals
	case known && remote.Status == 0:
		return nil
	case known && !remote.Temporary():
		intent.Refusals++
	case known && remote.Throttled() && remote.RetryAfter > 0:
		intent.RepeatAt = time.Now().Add(outcome.AskedRest(remote))
	}
	intent.Answer, intent.Detail = outcome.Explain(answer, "").Cause(), cmp.Or(outcome.DetailOf(answer), answer.Error())
	return c.intend(&intent)
}

// graceful is a context that outlives its parent by at most grace.
func graceful(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return detached, func() { stop(); cancel() }
}

// findProject looks for the folder's project and creates it when no project has its title. A
// renamed folder has its project already.
func (j *job) findProject(ctx context.Context, s scene) error {
	if took, err := j.takeOver(ctx, s); took || err != nil {
		return err
	}
	if err := j.makeProject(ctx, s.wanted.project); err != nil {
		return err
	}
	known, err := j.records.Project(s.wanted.project)
	if err != nil {
		return err
	}
	return j.update(func(r *syncstate.Record) error { r.Project = known.Project; return nil })
}

// makeProject makes sure that the project of a title exists and is recorded, one folder at a time.
func (j *job) makeProject(ctx context.Context, title string) error {
	unlock, err := j.service.creating.lock(ctx, "project "+compared(title))
	if err != nil {
		return err
	}
	defer unlock()
	known, err := j.records.Project(title)
	if err != nil || known.UUID != "" {
		return err
	}
	var found []syncstate.Project
	c := creation{
		what: "project", intent: known.Intent, began: j.started,
		look: func(ctx context.Context) (uuids []string, err error) {
			found, err = j.lookForProject(ctx, title)
			for _, p := range found {
				uuids = append(uuids, p.UUID)
			}
			return uuids, err
		},
		adopt: func(string) error { return j.recordProject(found[0]) },
		intend: func(i *syncstate.Intent) error {
			return j.records.UpdateProject(title, func(p *syncstate.ProjectRecord) error { p.Intent = i; return nil })
		},
		send: func(ctx context.Context) error {
			// The create of the project's product is next.
			made, err := j.service.CreateProject(apiclient.BeforeCreate(ctx), title)
			if err != nil {
				return err
			}
			return j.recordProject(syncstate.Project{UUID: made.UUID, Title: title})
		},
	}
	return c.run(ctx, syncstate.Intent{Title: title})
}

// lookForProject finds the projects of a title. A UUID in place of the title must name an existing
// project.
func (j *job) lookForProject(ctx context.Context, titleOrUUID string) ([]syncstate.Project, error) {
	projects, err := j.service.Projects(ctx)
	if err != nil {
		return nil, err
	}
	return titled(projects, titleOrUUID)
}

// titled are the projects of a title.
func titled(projects []apiclient.Project, titleOrUUID string) ([]syncstate.Project, error) {
	var found, exact []syncstate.Project
	for _, p := range projects {
		if p.UUID == titleOrUUID {
			return []syncstate.Project{{UUID: p.UUID, Title: titleOrUUID, Name: p.Title}}, nil
		}
		titled := syncstate.Project{UUID: p.UUID, Title: titleOrUUID}
		if compared(p.Title) == compared(titleOrUUID) {
			found = append(found, titled)
		}
		if sameLetters(p.Title, titleOrUUID) {
			exact = append(exact, titled)
		}
	}
	if len(exact) > 0 {
		found = exact
	}
	if len(found) == 0 && uuid.Validate(titleOrUUID) == nil {
		return nil, outcome.Person(&status.Cause{Kind: status.NoSuchProject, Name: titleOrUUID})
	}
	return found, nil
}

func (j *job) recordProject(p syncstate.Project) error {
	return j.records.UpdateProject(p.Title, func(r *syncstate.ProjectRecord) error {
		r.Project, r.Intent = p, nil
		return nil
	})
}

// createProduct looks for the folder's product and creates it when no product has its SKU and
// title.
func (j *job) createProduct(ctx context.Context, s scene, images int) error {
	asked := syncstate.Intent{Title: s.wanted.title, SKU: s.wanted.sku, Project: s.record.Project.UUID}
	if s.record.Intent != nil {
		// The product of the open intent comes first, even if the folder has another name by now.
		asked = *s.record.Intent
	}
	if s.record.Intent == nil {
		if took, err := j.takeOver(ctx, s); took || err != nil {
			return err
		}
	}
	if asksOtherwise(s, asked) {
		return j.seekProduct(ctx, s, asked, j.endIntent)
	}
	return j.seekProduct(ctx, s, asked, func(ctx context.Context) error {
		return j.sendCreate(ctx, s.wanted, asked, images)
	})
}

// abandonCreate finds out whether a create without an answer made a product, for a folder that is
// gone by now. It adopts such a product, so that the daemon knows it and can delete it.
func (j *job) abandonCreate(ctx context.Context, s scene) error {
	intent := *s.record.Intent
	intent.Refusals, s.record.Intent = 0, &intent // no person need decide on an unwanted product
	return j.seekProduct(ctx, s, *s.record.Intent, j.endIntent)
}

// endIntent takes the place of a create that must not be sent again.
func (j *job) endIntent(context.Context) error {
	return j.update(func(r *syncstate.Record) error { r.Intent = nil; return nil })
}

// asksOtherwise reports whether the folder now has another SKU or title than the request. Then the
// daemon requests nothing more under the old name, which another folder may have.
func asksOtherwise(s scene, asked syncstate.Intent) bool {
	return asked.SKU != s.wanted.sku || asked.Title != s.wanted.title
}

// seekProduct takes the protocol of a product's creation one step further.
func (j *job) seekProduct(
	ctx context.Context, s scene, asked syncstate.Intent, send func(context.Context) error,
) error {
	// Only two folders that are the same product can make it twice.
	unlock, err := j.service.creating.lock(ctx,
		strings.Join([]string{"product", asked.Project, asked.SKU, asked.Title}, "\x00"))
	if err != nil {
		return err
	}
	defer unlock()
	var found []syncstate.Product
	c := creation{
		what: "product", intent: s.record.Intent, began: j.started, send: send,
		look: func(ctx context.Context) (uuids []string, err error) {
			found, err = j.lookForProduct(ctx, asked, asksOtherwise(s, asked))
			if err == nil && len(found) == 0 && j.snapshot.Present && !j.files.Stands(j.key.Root, j.key.Path) {
				// A rename may be under way, and the new name would get a product too.
				err = outcome.ErrChanged
			}
			if err == nil && len(found) == 0 && !asked.Sent {
				err = j.mayListImages(ctx, asked.Project, j.service.lists.some(asked.Project))
			}
			return uuidsOf(found), err
		},
		adopt: func(uuid string) error {
			if !asked.Sent {
				j.log.Warn("the product is on the service already, and its photos are sent again",
					"folder", j.key.Path, "product", uuid)
			}
			return j.adoptProduct(found[0])
		},
		intend: func(i *syncstate.Intent) error {
			return j.update(func(r *syncstate.Record) error { r.Intent = i; j.sketch(r); return nil })
		},
	}
	return c.run(ctx, asked)
}

// lookForProduct finds the products that an intent asks for, with the fields that they have. With
// passOver, because this folder has another name by now, it skips the products of other folders.
func (j *job) lookForProduct(ctx context.Context, asked syncstate.Intent, passOver bool) ([]syncstate.Product, error) {
	products, err := j.service.productsNamed(ctx, nameOf(asked), asked.Sent)
	if err != nil {
		return nil, j.projectGone(ctx, asked.Project, err)
	}
	var found []syncstate.Product
	for _, p := range namedExactly(products, asked) {
		if owner, owned := j.owners.of(p.UUID); owned && owner != j.key {
			if passOver || !isNamed(p, asked) {
				continue
			}
			if !asked.Sent {
				if took, err := j.inherit(ctx, owner); took || err != nil {
					return nil, cmp.Or(err, error(outcome.ErrChanged))
				}
			}
			said := fmt.Sprintf("SKU %s and title %s", status.Name(asked.SKU), status.Name(asked.Title))
			others := &status.Cause{Kind: status.OthersProduct, Name: owner.Path, Said: said}
			return nil, outcome.PersonUntil(time.Now().Add(ownerPause), others)
		}
		found = append(found, syncstate.Product{
			UUID: p.UUID, Title: asked.Title, SKU: asked.SKU, Manufacturer: p.Manufacturer, Year: p.Year,
		})
	}
	return found, nil
}

// namedExactly are the products whose SKU and title match the request to the letter. Without such a
// match it returns all products.
func namedExactly(products []apiclient.Product, asked syncstate.Intent) []apiclient.Product {
	exact := slices.DeleteFunc(slices.Clone(products), func(p apiclient.Product) bool { return !isNamed(p, asked) })
	if len(exact) > 0 {
		return exact
	}
	return products
}

func isNamed(p apiclient.Product, asked syncstate.Intent) bool {
	return sameLetters(p.SKU, asked.SKU) && sameLetters(p.Title, asked.Title)
}

func nameOf(asked syncstate.Intent) productName {
	return newProductName(asked.Project, asked.SKU, asked.Title)
}

func uuidsOf(products []syncstate.Product) []string {
	var uuids []string
	for _, p := range products {
		uuids = append(uuids, p.UUID)
	}
	return uuids
}

// adoptProduct takes over a product that is on the service already. Its form, if it ever had one,
// is lost, so that a reupload follows.
func (j *job) adoptProduct(p syncstate.Product) error {
	return j.ownProduct(p.UUID, func(r *syncstate.Record) {
		r.Product, r.Intent, r.Run = p, nil, nil
		j.sketch(r)
	})
}

func (j *job) sendCreate(ctx context.Context, p product, asked syncstate.Intent, images int) error {
	j.service.lists.sending(nameOf(asked), time.Now())
	form, err := j.service.CreateProduct(ctx, apiclient.NewProduct{
		Title: asked.Title, SKU: asked.SKU, Manufacturer: p.manufacturer, Year: p.year,
		Project: asked.Project, Images: images,
	})
	if err != nil {
		return err
	}
	if owner, mine := j.owners.claim(form.UUID, j.key); !mine {
		return fmt.Errorf("create product: %w: product %s is that of folder %s",
			apiclient.ErrOtherAnswer, form.UUID, status.Name(owner.Path))
	}
	return j.ownProduct(form.UUID, func(r *syncstate.Record) {
		r.Product = p.record(form.UUID)
		r.Product.Title, r.Product.SKU = asked.Title, asked.SKU
		r.Intent = nil
		r.Run = &syncstate.Run{Started: time.Now(), Images: images, Form: recordedForm(form)}
	})
}

// ownProduct records a product as this folder's, also for the looks of other folders.
func (j *job) ownProduct(uuid string, change func(*syncstate.Record)) error {
	err := j.update(func(r *syncstate.Record) error {
		r.NoTwin = false
		change(r)
		return nil
	})
	if err == nil {
		j.owners.set(uuid, j.key)
	}
	return err
}
