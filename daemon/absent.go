package daemon

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// gone is what people are told of a folder that is gone. Without a publication there is no view.
func (s scene) gone() *status.Cause {
	if s.record.Published == nil {
		return because(status.GoneUnpublished)
	}
	return because(status.GoneWithView)
}

// planAbsent is for a folder that a whole read of a healthy root did not find.
func (s scene) planAbsent() step {
	gone := step{action: rest, state: Missing, cause: s.gone()}
	orphan := step{action: abandon, state: Processing, cause: because(status.GoneSeeking)}
	switch asked := s.record.Removal == syncstate.RemovalAsked; {
	case s.snapshot.Absent.Reads == 0:
		return s.whileAway()
	case s.record.Product.UUID == "" && s.record.Intent == nil:
		return step{action: forget, state: Missing, cause: because(status.Gone)}
	case s.verificationDue() && (s.record.Removal != "" || !s.rules.deleteGone):
		return step{action: verify, state: Missing, cause: s.gone()}
	case !s.rules.deleteGone && s.record.Product.UUID == "":
		return orphan
	case !s.rules.deleteGone:
		gone.action, gone.until = wait, s.record.Verified.Add(verifyPause)
		return gone
	case s.snapshot.Absent.Reads < 2 || s.now.Sub(s.snapshot.Absent.Since) < absenceSpan:
		gone.cause = because(status.GoneForNow)
		return gone
	case s.maybeMoved:
		return step{action: wait, state: Missing, until: s.now.Add(absenceSpan),
			cause: because(status.GoneOrRenamed)}
	case s.record.Restored && !asked:
		return step{action: ask, state: Missing, cause: because(status.GoneFromBackup)}
	case asked && s.record.Restored:
		return attention(because(status.MayDeleteOld))
	case s.manyGone && s.record.Removal == "":
		return step{action: ask, state: Missing, cause: because(status.GoneWithOthers)}
	case asked:
		return attention(because(status.MayDeleteMany))
	case s.record.Product.UUID == "":
		return orphan
	}
	return step{action: remove, state: Processing, cause: because(status.GoneDeleting)}
}

// asRecorded is for a folder that nobody looked for since the start, because its root is not there:
// it stays what it was.
func (s scene) asRecorded() step {
	as := step{action: rest, state: State(s.record.State), cause: s.record.Cause}
	switch as.state {
	case "":
		as.state = Queued
	case Paused:
		before := beforePause(&s.record, status.TriedNext)
		as.state, as.cause = State(before.State), before.Cause
	}
	return as
}

// whileAway is for a folder of a root that was not read since the start. Only an answer that is
// owed by the service is looked for.
func (s scene) whileAway() step {
	as := s.asRecorded()
	if s.record.Product.UUID == "" && s.record.Intent != nil {
		as.action = abandon
	}
	return as
}

// verificationDue reports whether it is time to ask whether the service still knows the product of
// a folder that is gone.
func (s scene) verificationDue() bool {
	age := s.now.Sub(s.record.Verified)
	return s.record.Product.UUID != "" && (s.record.Verify || age < 0 || age >= verifyPause)
}

// verifyProduct looks whether the service still holds what is recorded. A product counts as gone
// only on the plain word that it is unknown (interface 4.14): then a folder that is gone too is
// forgotten, and one that stands is published anew.
func (j *job) verifyProduct(ctx context.Context, s scene) error {
	product := s.record.Product.UUID
	_, err := j.status(ctx, product)
	switch unknown := errors.Is(err, apiclient.ErrUnknownProduct); {
	case unknown && s.snapshot.Present:
		return j.updateOf(product, productless)
	case unknown:
		j.d.log.Info("the folder and its view are gone", "folder", j.key.Path, "product", product)
		return j.forgetFolder()
	case interrupted(ctx, err), err != nil && s.snapshot.Present:
		return err
	}
	err = j.updateOf(product, func(r *syncstate.Record) {
		r.Verify = false
		if !s.snapshot.Present { // for want of an answer the question is put again next time
			r.Verified = time.Now()
		}
	})
	if err != nil || !s.snapshot.Present {
		return err
	}
	return j.refreshImages(ctx, s)
}

// reclaimProduct is for a folder that came back after its product's deletion was sent. It finds out
// whether the product is still there, with patience because the request may be late.
func (j *job) reclaimProduct(ctx context.Context, s scene) error {
	_, err := j.status(ctx, s.record.Product.UUID)
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return j.update(func(r *syncstate.Record) error { productless(r); return nil })
	case err != nil:
		return err
	}
	if patient := s.record.DeleteSent.Add(deletePatience); s.pending(patient, deletePatience) {
		return later{until: patient, because: because(status.BackSeeking)}
	}
	return j.update(func(r *syncstate.Record) error { r.DeleteSent = time.Time{}; return nil })
}

// productless is a record whose product is gone, so that it is made anew.
func productless(r *syncstate.Record) {
	r.Product.UUID, r.Run, r.Published, r.Outline, r.AltIntent, r.AltLate = "", nil, nil, "", nil, nil
	r.DeleteSent, r.Verify = time.Time{}, false
}

// updateOf is update for as long as the folder has this product, which a retry by a person may give
// up.
func (j *job) updateOf(product string, change func(*syncstate.Record)) error {
	return j.update(func(r *syncstate.Record) error {
		if r.Product.UUID != product {
			return errChanged
		}
		change(r)
		return nil
	})
}

// removeProduct deletes the product of a folder that is gone, after a last look at its place. A
// delete that is refused because there is no such product any more is done.
func (j *job) removeProduct(ctx context.Context, s scene) error {
	switch _, err := j.d.watcher.Look(ctx, j.key.Root, j.key.Path); {
	case err == nil:
		return errChanged
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	product := s.record.Product.UUID
	if err := j.updateOf(product, func(r *syncstate.Record) { r.DeleteSent = time.Now() }); err != nil {
		return err
	}
	err := j.d.client.DeleteProduct(ctx, product)
	if err != nil && !errors.Is(j.productGone(ctx, product, err), errProductGone) {
		return err
	}
	return j.forgetFolder()
}

// forgetFolder drops the record of a folder that is gone.
func (j *job) forgetFolder() error {
	if err := j.d.store.Delete(j.key); err != nil {
		return err
	}
	j.told = nil
	j.d.followPriority(j.key)
	j.d.forget(j.key)
	return nil
}
