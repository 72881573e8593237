package publish

import (
	"context"
	"errors"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// productGone tells a product that was deleted on the service from other failures. Only the status
// is certain about that (interface 4.14): a page that something in between sends can be a "not
// found" too. A product that is gone is never made anew silently.
func (q *inquiry) productGone(ctx context.Context, product string, err error) error {
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

// No operation deletes a project, but people do so in the service's own pages. One word about that
// is no proof: something in between may have said it, and a list may lag. So a project counts as
// gone only when the service itself said again and again, over the time that a list may lag, that
// it does not know the project, and did not list it either. A list may have it still for a while.
// Even then a person is asked, because all views in it are concerned.

// missedMemory is how long a look that missed a project counts.
const missedMemory = 10 * time.Minute

// projectGone looks into the refusal to list a project's products. It returns the refusal, a wait
// for the next look, or outcome.Because(status.ProjectGone).
func (q *inquiry) projectGone(ctx context.Context, project string, refusal error) error {
	if !mayMeanGone(refusal) {
		return refusal
	}
	projects, err := q.Service.Projects(ctx)
	if err != nil {
		return err
	}
	q.Service.Unknown.Learn(project, false, time.Now())
	listed := slices.ContainsFunc(projects, func(p apiclient.Project) bool { return p.UUID == project })
	until, patient, err := q.missProject(project, listed)
	switch {
	case err != nil:
		return err
	case !patient:
		return outcome.Because(status.ProjectGone)
	case listed && time.Now().After(q.Service.Unknown.GoneAt(project)):
		return refusal
	}
	doubtful := &status.Cause{Kind: status.ProjectDoubtful, Parts: []status.Cause{*outcome.CauseOf(refusal)}}
	return outcome.Later(until, doubtful, refusal)
}

// mayMeanGone reports whether a refusal comes from the service itself, and may mean that the
// service does not know the project. The interface shows no status for that (7.3). A user who may
// not see the project gets it neither by itself nor in the list, so that refusal proves nothing.
func mayMeanGone(err error) bool {
	var refusal *apiclient.Error
	return errors.As(err, &refusal) &&
		len(refusal.Messages) > 0 && !refusal.Temporary() && !refusal.Unauthorized()
}

// missProject counts a look that missed the project, unless it comes before its time, or found the
// project listed. It returns the time of the next look, and false when there is none. A project
// that was missed often enough stays gone for a while, even if a copy of the list still has it.
func (q *inquiry) missProject(project string, listed bool) (next time.Time, patient bool, err error) {
	head, err := q.Records.Head(q.Key)
	if err != nil {
		return next, false, err
	}
	err = q.Records.UpdateProject(head.Project.Title, func(p *syncstate.ProjectRecord) error {
		if p.UUID != project {
			return nil // there is another one by now
		}
		now := time.Now()
		age := now.Sub(p.Missed.Next)
		recent := age.Abs() <= missedMemory // or the clock was set
		if _, patient = looks(p.Missed.N); recent && !patient {
			return nil
		}
		if listed {
			next, patient = now.Add(hosting.Ladder[0]), true
			return nil
		}
		if !recent {
			p.Missed = syncstate.Tries{}
		}
		if !recent || age >= 0 {
			patient = p.Missed.Again(now, looks)
		}
		next = p.Missed.Next
		return nil
	})
	return next, patient, err
}
