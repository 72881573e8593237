package daemon

import (
	"context"
	"fmt"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A state file from a backup tells the state of an earlier time. Since then the product of a folder
// may have got another upload or other fields, may have been deleted and made anew, or may belong
// to a folder with another name. So each record of such a file is held against the service once,
// before anything is decided from it. The authors of alt texts from that time are not known: the
// texts count as those of others.

// LostStateFile tells a person that the state file is gone; empty when it is there or never was.
func LostStateFile(path string) string {
	if !syncstate.Lost(path) {
		return ""
	}
	return fmt.Sprintf(
		"the state file %s is gone since it was used last; put it back, or run `spinsync rebuild` before run or sync, "+
			"or what is published is uploaded again",
		path,
	)
}

// toldFromBackup tells a person that the state file is an older one, until the records of all
// folders were held against the service.
func toldFromBackup(products []ProductStatus, unopened bool) string {
	if !unopened && !slices.ContainsFunc(products, isFromBackup) {
		return ""
	}
	return "the state file is older than the one that was used last, as from a backup; run and sync hold what it tells against the service, " +
		"and `spinsync rebuild` before them finds also views that it does not know"
}

// isFromBackup leaves out a folder that is gone: nothing is decided from its record any more,
// unless a person asks for it.
func isFromBackup(p ProductStatus) bool { return p.FromBackup && p.State != Missing }

// recheckRecord finds out whether the service shows the upload that is recorded as published. If it
// shows another one, or none is recorded, that upload is recorded where it holds exactly the
// folder's frames; else the folder is uploaded again. The fields of the product are not known.
func (j *job) recheckRecord(ctx context.Context, s scene) error {
	product := s.record.Product.UUID
	answer, err := j.status(ctx, product)
	switch {
	case err != nil:
		return j.productGone(ctx, product, err)
	case !answer.Finished() && j.waitsForTheUnknown():
		unknown := &syncstate.Run{Images: len(s.snapshot.Frames), FinishSent: j.unknownSince}
		return later{until: j.nextPoll(unknown), because: because(status.UnknownUpload)}
	}
	images, err := j.service.Images(ctx, product)
	if err != nil {
		return j.productGone(ctx, product, err)
	}
	j.warnOfTwins(ctx, s)
	if s.record.Published != nil && showsAs(s.record.Published, images) {
		return j.rechecked(func(r *syncstate.Record) error { return noteImages(r, images) })
	}
	published, differs, err := j.recognise(ctx, product)
	if err != nil {
		return err
	}
	j.log.Info("the service shows another upload than a state file from a backup tells",
		"folder", j.key.Path, "product", product,
		"because", status.Sentence(differs.cause, status.AnyFolder))
	return j.rechecked(func(r *syncstate.Record) error {
		if published == nil {
			r.Run = afresh(nil)
			return nil
		}
		r.Published, r.AltIntent, r.AltLate, r.Outline = published, nil, nil, ""
		return nil
	})
}

// waitsForTheUnknown reports whether an upload that the backup does not know may still be on its
// way. After unknownPatience that upload counts as never finished.
func (j *job) waitsForTheUnknown() bool {
	if j.unknownSince.IsZero() {
		j.unknownSince = time.Now()
	}
	return time.Since(j.unknownSince) < unknownPatience
}

// warnOfTwins warns of other views that the folder may have got in the time that the backup does
// not know. A person who has both can tell which is wanted. A list that cannot be had warns of
// nothing, and holds nothing up.
func (j *job) warnOfTwins(ctx context.Context, s scene) {
	products, err := j.service.productsLately(ctx, newProductName(s.record.Project.UUID, s.wanted.sku, s.wanted.title))
	if err != nil {
		return
	}
	for _, p := range products {
		if _, owned := j.owners.of(p.UUID); !owned {
			j.log.Warn("the service has another view of this SKU and title, which the state file from a backup does not know; "+
				"delete it there unless it is wanted",
				"folder", j.key.Path, "product", s.record.Product.UUID, "other", p.UUID)
		}
	}
}

// rechecked records the findings on the service. All fields are sent again.
func (j *job) rechecked(change func(*syncstate.Record) error) error {
	return j.update(func(r *syncstate.Record) error {
		r.Restored, r.Updating = false, true
		return change(r)
	})
}

// lookForSuccessor is for a product that a state file from a backup tells of, and that is gone:
// there may be another by now, and if there is none, a person is asked before one is made.
func (j *job) lookForSuccessor() *step {
	err := j.update(func(r *syncstate.Record) error {
		productless(r)
		r.Remake = syncstate.RemakeAsked
		return nil
	})
	if err != nil {
		last := j.notRecorded(err)
		return &last
	}
	return nil
}

// mayMake reports whether a product may be made where none of its name is found. A state file from
// a backup may lack a product that the folder has under another title, if not even the photos tell.
// Then a person is asked.
func (j *job) mayMake(ctx context.Context, s scene, name productName) error {
	switch s.record.Remake {
	case syncstate.RemakeAsked:
		return errProductGone
	case syncstate.RemakeConfirmed:
		return nil
	}
	if restored, err := j.records.Restored(); restored.IsZero() || err != nil {
		return err
	}
	candidates, err := j.service.namesakes(ctx, name)
	if err != nil {
		return err
	}
	for _, p := range candidates {
		if _, owned := j.owners.of(p.UUID); owned || compared(p.SKU) != name.sku {
			continue
		}
		said := fmt.Sprintf("SKU %s, title %s", status.Name(p.SKU), status.Name(p.Title))
		return personal{because: &status.Cause{Kind: status.FormerView, Said: said}}
	}
	return nil
}

// showsAs reports whether images are those of a published revision.
func showsAs(published *syncstate.Published, images []apiclient.Image) bool {
	ids := map[int64]bool{}
	for _, f := range published.Frames {
		ids[f.ImageID] = true
	}
	for _, image := range images {
		if !ids[image.ID] || image.SourceRevision != published.Revision {
			return false
		}
	}
	return len(images) == len(published.Frames)
}
