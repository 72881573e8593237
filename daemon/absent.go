package daemon

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// gone is the cause that people see for a folder that is gone. A folder without a publication has
// no view.
func (s scene) gone() *status.Cause {
	if s.record.Published == nil {
		return because(status.GoneUnpublished)
	}
	return because(status.GoneWithView)
}

// planAbsent plans for a folder that a whole read of a healthy root did not find.
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
	case asked && s.record.Unreconciled:
		return attention(because(status.MayDeleteOld))
	case (s.manyGone || s.record.Unreconciled) && s.record.Removal == "":
		return step{action: ask, state: Missing, cause: because(status.GoneWithOthers)}
	case asked:
		return attention(because(status.MayDeleteMany))
	case s.record.Product.UUID == "":
		return orphan
	}
	return step{action: remove, state: Processing, cause: because(status.GoneDeleting)}
}

// asRecorded keeps the recorded state of a folder whose root has been missing since the start. The
// watcher could not look for the folder yet.
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

// whileAway plans for a folder of a root that was not read since the start. It only finds out
// whether an unanswered create made a product.
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

// verifyProduct asks the service for the recorded product. Only the explicit answer that the
// product is unknown counts as gone (interface 4.14). The daemon then forgets a missing folder, and
// publishes a present one anew.
func (j *job) verifyProduct(ctx context.Context, s scene) error {
	product := s.record.Product.UUID
	_, err := j.status(ctx, product)
	switch unknown := errors.Is(err, apiclient.ErrUnknownProduct); {
	case unknown && s.snapshot.Present:
		return j.updateOf(product, productless)
	case unknown:
		j.log.Info("the folder and its view are gone", "folder", j.key.Path, "product", product)
		return j.forgetFolder()
	case interrupted(ctx, err), err != nil && s.snapshot.Present:
		return err
	}
	err = j.updateOf(product, func(r *syncstate.Record) {
		r.Verify = false
		if !s.snapshot.Present { // without an answer, the next verification asks again
			r.Verified = time.Now()
		}
	})
	if err != nil || !s.snapshot.Present {
		return err
	}
	return j.refreshImages(ctx, s)
}

// reclaimProduct is for a folder that came back after its product's deletion was sent. It finds out
// whether the product still exists, with patience because the delete request may be late.
func (j *job) reclaimProduct(ctx context.Context, s scene) error {
	_, err := j.status(ctx, s.record.Product.UUID)
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return j.update(func(r *syncstate.Record) error { productless(r); return nil })
	case err != nil:
		return err
	}
	if patient := s.record.DeleteSent.Add(deletePatience); s.pending(patient, deletePatience) {
		return outcome.Later(patient, because(status.BackSeeking), nil)
	}
	return j.update(func(r *syncstate.Record) error { r.DeleteSent = time.Time{}; return nil })
}

// productless clears the product of a record, so that the daemon makes it anew.
func productless(r *syncstate.Record) {
	r.Product.UUID, r.Run, r.Published, r.Outline, r.AltIntent, r.AltLate = "", nil, nil, "", nil, nil
	r.DeleteSent, r.Verify = time.Time{}, false
}

// updateOf is update for as long as the folder has this product. A retry by a person may give the
// product up.
func (j *job) updateOf(product string, change func(*syncstate.Record)) error {
	return j.update(func(r *syncstate.Record) error {
		if r.Product.UUID != product {
			return outcome.ErrChanged
		}
		change(r)
		return nil
	})
}

// removeProduct deletes the product of a folder that is gone, after a last look at its path. A
// refusal counts as success when the product does not exist any more.
func (j *job) removeProduct(ctx context.Context, s scene) error {
	switch _, err := j.files.Look(ctx, j.key.Root, j.key.Path); {
	case err == nil:
		return outcome.ErrChanged
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	product := s.record.Product.UUID
	if err := j.updateOf(product, func(r *syncstate.Record) { r.DeleteSent = time.Now() }); err != nil {
		return err
	}
	err := j.service.DeleteProduct(ctx, product)
	if err != nil && !outcome.Needs(j.productGone(ctx, product, err), status.ProductGone) {
		return err
	}
	return j.forgetFolder()
}

// forgetFolder drops the record of a folder that is gone.
func (j *job) forgetFolder() error {
	if err := j.records.Delete(j.key); err != nil {
		return err
	}
	j.told = nil
	j.board.followPriority(j.key)
	j.board.forget(j.key)
	return nil
}
