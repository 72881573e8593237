package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A state file that is new, lost or from a backup tells less than the service knows. So each folder
// that it tells of, and each folder that stands below a root it does not know yet, is unreconciled:
// before anything else is done for such a folder, it is compared with the service. A view that
// shows what is recorded stays as it is, one that shows exactly the folder's frames is recorded as
// published, and any other one gets a new upload. Where nothing tells whether a view is the
// folder's, a person is asked. The authors of alt texts from that time are not known: the texts
// count as those of others.

// LostStateFile tells a person that the state file is gone; empty when it is there or never was.
func LostStateFile(path string) string {
	if !syncstate.Lost(path) {
		return ""
	}
	return fmt.Sprintf("the state file %s is gone since it was used last; put it back, or the next `spinsync run`, "+
		"`spinsync sync` or `spinsync rebuild` makes it anew from the service and the folders", path)
}

// recoveryTold tells how far the comparison is; empty when there is none. A folder that waits for
// its frames or for a person tells that itself.
func recoveryTold(products []ProductStatus, unopened bool) string {
	left := 0
	for _, p := range products {
		if p.isReconciling() {
			left++
		}
	}
	switch {
	case unopened:
		return "the state file is older than the one that was used last, as from a backup; " +
			"the next run or sync compares every product folder with the service before anything else"
	case left == 0:
		return ""
	}
	return fmt.Sprintf("the state file is new or from a backup: %d of %d product folders are still to be compared with the service, "+
		"and nothing is uploaded for them before", left, len(products))
}

func (p ProductStatus) isReconciling() bool {
	collects := p.State == Collecting && p.PublishedAt == nil
	return p.Unreconciled && !collects && p.State != Missing && p.State != Attention
}

// logRecovery tells at the start that folders are compared with the service first.
func (d *Daemon) logRecovery() {
	known := 0
	for _, p := range d.Status().Products {
		if p.Unreconciled {
			known++
		}
	}
	if known > 0 {
		d.log.Warn("the state file is older than the one that was used last, as from a backup; "+
			"the product folders that it knows are compared with the service before anything else", "folders", known)
	}
	for _, r := range d.board.roots {
		if !r.reconciled.Load() {
			d.log.Info("the state file does not know the root yet; its product folders are looked for on the service "+
				"before anything else", "root", r.watch.Path)
		}
	}
}

// doubt marks the record of a folder that is not recorded yet, below a root that is not reconciled.
func (j *job) doubt(r *syncstate.Record) {
	if r.State == "" && r.Product.UUID == "" && j.root.rules.places(j.key.Path) && !j.root.reconciled.Load() {
		r.Unreconciled = true
	}
}

// rememberReconciled records that every folder of a root is recorded, reconciled or marked. A
// folder that appears from then on is a new one.
func (b *board) rememberReconciled() {
	for _, status := range b.files.Roots() {
		r := b.roots[status.Path]
		if r.reconciled.Load() || !status.Online || status.LastRead.IsZero() || !b.allRecorded(r) {
			continue
		}
		if err := b.records.setReconciled(r); err != nil {
			b.records.failed(err)
			return
		}
	}
}

func (r *records) setReconciled(of *root) error {
	err := r.UpdateRoot(of.watch.Path, func(record *syncstate.RootRecord) error {
		record.Reconciled = true
		return nil
	})
	if err == nil {
		of.reconciled.Store(true)
	}
	return err
}

// allRecorded reports whether a worker has had every folder of a root.
func (b *board) allRecorded(r *root) bool {
	if _, standing := b.queue.Entered(); standing || !b.files.Delivered() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.folders {
		if f.root == r && !f.gone && (f.busy || f.status.State == "") {
			return false
		}
	}
	return true
}

// reconcile compares an unreconciled folder with its view, or looks for the view.
func (j *job) reconcile(ctx context.Context, s scene) error {
	if s.record.Product.UUID == "" {
		return j.seekView(ctx, s, nil)
	}
	err := j.reconcileView(ctx, s)
	if outcome.Needs(err, status.ProductGone) {
		return j.seekView(ctx, s, err)
	}
	return err
}

// reconcileView finds out what the recorded product shows. The fields of the product are not known,
// and are sent again.
func (j *job) reconcileView(ctx context.Context, s scene) error {
	product := s.record.Product.UUID
	answer, err := j.status(ctx, product)
	switch {
	case err != nil:
		return j.productGone(ctx, product, err)
	case !answer.Finished() && j.waitsForTheUnknown():
		unknown := &syncstate.Run{Images: len(s.snapshot.Frames), FinishSent: j.unknownSince}
		return outcome.Later(j.nextPoll(unknown), because(status.UnknownUpload), nil)
	}
	images, err := j.service.Images(ctx, product)
	if err != nil {
		return j.productGone(ctx, product, err)
	}
	if s.record.Run == nil && s.record.Published != nil && showsAs(s.record.Published, images) {
		return j.reconciled(func(r *syncstate.Record) error { return noteImages(r, images) })
	}
	published, differs, err := j.recognise(ctx, product, answer, images)
	if err != nil {
		return err
	}
	return j.reconciled(func(r *syncstate.Record) error {
		if published == nil {
			r.Run, r.AltIntent, r.AltLate = afresh(&syncstate.Run{Carry: s.textsOnTheWay()}), nil, nil
			forgetImages(r.Published)
			tellRecorded(r, Queued, differs)
			return nil
		}
		recordFound(r, published)
		return nil
	})
}

// waitsForTheUnknown reports whether an upload that the state file does not know may still be on
// its way. After unknownPatience that upload counts as never finished.
func (j *job) waitsForTheUnknown() bool {
	if j.unknownSince.IsZero() {
		j.unknownSince = time.Now()
	}
	return time.Since(j.unknownSince) < unknownPatience
}

// reconciled records the findings on the service.
func (j *job) reconciled(change func(*syncstate.Record) error) error {
	return j.update(func(r *syncstate.Record) error {
		r.Unreconciled, r.Updating = false, true
		return change(r)
	})
}

// recordFound records that the product shows exactly the folder's frames.
func recordFound(r *syncstate.Record, published *syncstate.Published) {
	r.Published, r.Run, r.Intent, r.AltIntent, r.AltLate, r.Outline = published, nil, nil, nil, nil, ""
	r.Settled = len(published.Frames)
	tellRecorded(r, Published, nil)
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

// recognise returns the published state if a product shows exactly the folder's frames, else the
// difference. The frames must be at rest for that.
func (j *job) recognise(
	ctx context.Context, product string, answer apiclient.Status, images []apiclient.Image,
) (*syncstate.Published, *status.Cause, error) {
	moves := func(f watcher.File) bool { return !f.Still }
	if slices.ContainsFunc(j.snapshot.Frames, moves) {
		until := time.Now().Add(max(j.root.watch.Settle, changedPause))
		return nil, nil, outcome.Later(until, because(status.LookingForView), nil)
	}
	if err := j.readFrames(ctx, j.snapshot.Frames, true); err != nil {
		return nil, nil, err
	}
	s, err := j.scene()
	if err != nil {
		return nil, nil, err
	}
	g := s.gather()
	switch {
	case g.problem != nil:
		return nil, g.problem, nil
	case len(g.unsettled()) > 0 || g.count() == 0:
		return nil, because(status.Incomplete), nil
	case !answer.Finished():
		return nil, because(status.StillProcessing), nil
	}
	run := j.asRun(s, g, answer.SourceRevision)
	doubt := doubtful(images, run)
	if doubt == "" {
		doubt, err = j.compareSources(ctx, product, run)
	}
	if doubt != "" || err != nil {
		return nil, &status.Cause{Kind: status.Differs, Said: doubt}, err
	}
	s.record.Run = run
	published := j.published(s, images)
	published.Found = true
	return published, nil, nil
}

// forgetImages forgets which images the frames became: a service may give the ids to other frames.
func forgetImages(published *syncstate.Published) {
	if published == nil {
		return
	}
	for i := range published.Frames {
		published.Frames[i].ImageID = 0
	}
}

// textsOnTheWay are the alt texts that others wrote and that new images may still lack, by file.
func (s scene) textsOnTheWay() map[string]map[string]string {
	texts := map[string]map[string]string{}
	for name, f := range publishedFrames(s.record.Published) {
		if len(f.AltCarry) > 0 {
			texts[name] = f.AltCarry
		}
	}
	if s.record.Run != nil {
		maps.Copy(texts, s.record.Run.Carry)
	}
	return texts
}

// asRun is the run that would have published the folder as it stands.
func (j *job) asRun(s scene, g gathering, revision int64) *syncstate.Run {
	run := &syncstate.Run{
		Finished: revision + 1, Images: g.count(), Marker: markerOf(j.snapshot), Carry: s.textsOnTheWay(),
	}
	for _, f := range g.whole {
		r := j.readings[f.Name]
		run.Frames = append(run.Frames, syncstate.RunFrame{
			File: identity(f), Stored: otherName(g.stored[f.Name], f.Name), Digest: r.digest,
			Captured: r.captured, Uploaded: true,
		})
	}
	return run
}

// seekView looks for the view of a folder: first as a folder that is gone now, then by the folder's
// name, then by its photos. gone is the error for a product that is recorded and is not there.
func (j *job) seekView(ctx context.Context, s scene, gone error) error {
	if gone == nil {
		if took, err := j.takeOver(ctx, s); took || err != nil {
			return err
		}
	}
	projects, err := j.service.Projects(ctx)
	if err != nil {
		return err
	}
	own, err := theOne(titled(projects, s.wanted.project))
	if err != nil {
		return err
	}
	for _, asked := range s.names(own.UUID) {
		found, err := j.lookForProduct(ctx, asked, asksOtherwise(s, asked))
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(p syncstate.Product) bool { return p.UUID == s.record.Product.UUID })
		product, err := theOne(found, nil)
		if err != nil {
			return err
		}
		if product.UUID != "" {
			return j.ownFound(own, product, func(r *syncstate.Record) { productless(r) })
		}
	}
	return j.seekByPhotos(ctx, s, own, projects, gone)
}

// names are the names under which the folder's product may be on the service.
func (s scene) names(project string) []syncstate.Intent {
	var names []syncstate.Intent
	if project != "" {
		names = append(names, syncstate.Intent{Title: s.wanted.title, SKU: s.wanted.sku, Project: project})
	}
	if s.record.Intent != nil {
		names = append(names, *s.record.Intent)
	}
	return names
}

// A candidate is a product of another name or in another project that may be the folder's.
type candidate struct {
	project syncstate.Project
	apiclient.Product
}

// seekByPhotos looks for the view among products of the same SKU or title. They are the folder's
// only if they show exactly its frames. If there is none, a product may be made, unless one of the
// same SKU belongs to no folder: then a person is asked.
func (j *job) seekByPhotos(
	ctx context.Context, s scene, own syncstate.Project, projects []apiclient.Project, gone error,
) error {
	candidates, err := j.candidates(ctx, s, own, projects)
	if err != nil {
		return err
	}
	var alike []candidate
	var published *syncstate.Published
	for _, c := range candidates {
		holds, err := j.holdsFrames(ctx, c.UUID)
		if err != nil {
			return err
		}
		if holds != nil {
			alike, published = append(alike, c), holds
		}
	}
	one, err := theOne(alike, nil)
	if err != nil {
		return err
	}
	if one.UUID != "" {
		j.log.Info("the folder's view is there under another name", "folder", j.key.Path, "product", one.UUID)
		return j.ownFound(one.project, recordOf(one.Product), func(r *syncstate.Record) {
			recordFound(r, published)
			r.Unreconciled = false
		})
	}
	for _, c := range candidates {
		if c.project.UUID == own.UUID && compared(c.SKU) == compared(s.wanted.sku) {
			said := fmt.Sprintf("SKU %s, title %s", status.Name(c.SKU), status.Name(c.Title))
			return outcome.PersonUntil(time.Now().Add(ownerPause), &status.Cause{Kind: status.FormerView, Said: said})
		}
	}
	if gone != nil {
		return gone
	}
	return j.update(func(r *syncstate.Record) error {
		r.Unreconciled = false
		tellRecorded(r, Queued, because(status.NoView))
		return nil
	})
}

// candidates are the products that belong to no folder and share the SKU or the title in the
// folder's own project, or both in another one: a folder that was moved left its view there.
func (j *job) candidates(
	ctx context.Context, s scene, own syncstate.Project, projects []apiclient.Project,
) (all []candidate, err error) {
	for _, p := range projects {
		project := syncstate.Project{UUID: p.UUID, Title: p.Title}
		find := j.service.productsLately
		if p.UUID == own.UUID {
			project, find = own, j.service.namesakes
		}
		products, err := find(ctx, newProductName(p.UUID, s.wanted.sku, s.wanted.title))
		if err != nil && (p.UUID == own.UUID || !isRefused(err)) {
			return nil, err
		}
		for _, product := range products {
			if _, owned := j.owners.of(product.UUID); !owned && !j.board.isAnothers(j.key, p, product) {
				all = append(all, candidate{project, product})
			}
		}
	}
	return all, nil
}

// isAnothers reports whether another folder has the very name of a product.
func (b *board) isAnothers(key syncstate.Folder, project apiclient.Project, p apiclient.Product) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for other, f := range b.folders {
		is, err := f.root.rules.productOf(other.Path, config.Product{})
		if err == nil && other != key && !f.gone && sameLetters(is.sku, p.SKU) && sameLetters(is.title, p.Title) &&
			(is.project == project.UUID || sameLetters(is.project, project.Title)) {
			return true
		}
	}
	return false
}

// holdsFrames returns the published state if a product shows exactly the folder's frames.
func (j *job) holdsFrames(ctx context.Context, product string) (*syncstate.Published, error) {
	images, err := j.service.Images(ctx, product)
	if err == nil && len(images) != len(j.snapshot.Frames) {
		return nil, nil
	}
	var answer apiclient.Status
	if err == nil {
		answer, err = j.status(ctx, product)
	}
	if isRefused(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	published, _, err := j.recognise(ctx, product, answer, images)
	return published, err
}

// isRefused reports whether the service itself says that something is not there, or not for this
// user.
func isRefused(err error) bool {
	var remote *apiclient.Error
	return errors.Is(err, apiclient.ErrUnknownProduct) ||
		errors.As(err, &remote) && len(remote.Messages) > 0 && !remote.Temporary() && !remote.Unauthorized()
}

func recordOf(p apiclient.Product) syncstate.Product {
	return syncstate.Product{UUID: p.UUID, Title: p.Title, SKU: p.SKU, Manufacturer: p.Manufacturer, Year: p.Year}
}

// ownFound records a product as the folder's, unless another folder was faster.
func (j *job) ownFound(
	project syncstate.Project, product syncstate.Product, change func(*syncstate.Record),
) error {
	if _, mine := j.owners.claim(product.UUID, j.key); !mine {
		return outcome.ErrChanged
	}
	return j.ownProduct(product.UUID, func(r *syncstate.Record) {
		change(r)
		r.Project, r.Product, r.Intent = project, product, nil
	})
}

// theOne is the only one of those that were found, the zero value when there is none.
func theOne[T any](found []T, err error) (one T, _ error) {
	if err == nil && len(found) > 1 {
		err = outcome.Person(&status.Cause{Kind: status.SeveralNamed, Count: len(found), Name: "view"})
	}
	if err != nil || len(found) == 0 {
		return one, err
	}
	return found[0], nil
}
