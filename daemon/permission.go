package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// Listing a product's images needs edit permission for its project (interface 4.12), and no run
// ends without that list. A user who lacks it is found with one request for each project and
// process: before a product is made where the project has one to try it with, else before the first
// frame is sent.

// permissions remember for which projects the user may list images.
type permissions struct {
	asking keyedLock // one request of a project at a time

	mu      sync.Mutex
	granted map[string]bool      // by project
	refused map[string]pastRefusal   // the newest, by project
	led     map[string]time.Time // since when requests for a product or of a project are led elsewhere
}

// A pastRefusal is one that other folders of the project need not hear for themselves for a moment.
type pastRefusal struct {
	at  time.Time
	err error
}

// known reports whether nothing need be asked, and the refusal if that is why.
func (p *permissions) known(project string, now time.Time) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if no, ok := p.refused[project]; ok && now.Sub(no.at) < rosterLife {
		return true, no.err
	}
	return p.granted[project], nil
}

// learn takes in the outcome of a list of images. Any error but the refusal of permission tells
// nothing.
func (p *permissions) learn(project string, now time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.granted == nil {
		p.granted, p.refused = map[string]bool{}, map[string]pastRefusal{}
	}
	switch {
	case err == nil:
		p.granted[project] = true
		delete(p.refused, project)
	case outcome.Needs(err, status.Refused): // not a product of its own that is gone
		p.refused[project] = pastRefusal{now, err}
	}
}

// forget has the next folder ask anew, because a person says that something changed.
func (p *permissions) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.refused)
}

// ledSince is since when requests about this are answered by a redirect and nothing else. An answer
// long ago counts no more.
func (p *permissions) ledSince(about string, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.led == nil {
		p.led = map[string]time.Time{}
	}
	if since, ok := p.led[about]; ok && now.Sub(since) < abandonedAfter {
		return since
	}
	p.led[about] = now
	return now
}

// mayListImages makes sure that the user may list the images of a project, by those of a product in
// it; empty when it has none, which tells nothing.
func (j *job) mayListImages(ctx context.Context, project, product string) error {
	if known, refusal := j.service.permissions.known(project, time.Now()); known {
		return refusal
	}
	unlock, err := j.service.permissions.asking.lock(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	j.awaitTurn(ctx, j.key, "") // else all that waited would go on at the same instant
	if known, refusal := j.service.permissions.known(project, time.Now()); known || product == "" {
		return refusal
	}
	_, err = j.service.Images(ctx, product)
	if LacksPermission(err) {
		if err = j.judgeRefusal(ctx, project, product, err); err == nil {
			return nil
		}
	}
	j.service.permissions.learn(project, time.Now(), err)
	return err
}

// judgeRefusal tells the meaning of a refusal to list the images of a product, nil for none. The
// product of another folder may have been deleted: the project's list shows that. A product that is
// missing there proves nothing, because only its own folder asks for its status.
func (j *job) judgeRefusal(ctx context.Context, project, product string, refusal error) error {
	if owner, owned := j.owners.of(product); owned && owner == j.key {
		return j.notListed(ctx, product, refusal)
	}
	const fresh = true
	if _, err := j.service.productsNamed(ctx, productName{project: project}, fresh); err != nil {
		return err
	}
	if !j.service.lists.has(project, product) {
		return nil
	}
	return j.notPermitted(project, refusal)
}

// notListed tells the meaning of a refusal to list the images of the folder's own product.
func (j *job) notListed(ctx context.Context, product string, refusal error) error {
	err := j.productGone(ctx, product, refusal)
	if !LacksPermission(err) {
		return err
	}
	return j.notPermitted(product, err)
}

// notPermitted is a refusal as a matter for a person. A redirect is one only when it lasts, and ends by
// itself: it may lead to a page about maintenance as well as to a log-in page.
func (j *job) notPermitted(about string, refusal error) error {
	var remote *apiclient.Error
	errors.As(refusal, &remote)
	because := &status.Cause{
		Kind:   status.Refused,
		Said:   outcome.Saying(remote, "the hosting service does not let this user list the images of the folder's project"),
		Remedy: "have the user given edit permission for it there, then " + status.RetryCommand,
	}
	switch now := time.Now(); {
	case remote.Status/100 != 3:
		return outcome.Person(because).Told(remote.Detail())
	case now.Sub(j.service.permissions.ledSince(about, now)) < barredPatience:
		return refusal
	default:
		return &outcome.Outcome{Kind: outcome.NeedsPerson, Until: now.Add(ownerPause), Cause: because, Err: refusal}
	}
}

// LacksPermission reports whether a list of images was refused in a way that a want of edit
// permission may show in: the interface shows no status for it (section 7). A redirect may lead to a
// log-in page then. A rejected password is another matter.
func LacksPermission(err error) bool {
	var remote *apiclient.Error
	return errors.As(err, &remote) && remote.Err == nil && !outcome.Rejected(remote) &&
		(remote.Status/100 == 3 || !remote.Temporary())
}
