package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A Rebuilt is the outcome for one folder when a lost state file is made anew.
type Rebuilt struct {
	Root    string
	Folder  string
	Product string // UUID; empty when the service has none of this folder
	// Recorded says that the state file knew the product already.
	Recorded bool
	// Published says that the service holds exactly the folder's frames, so that nothing will be
	// uploaded.
	Published bool
	Reason    string // why not
	// Failed says that the folder or the service could not be read, so that nothing is recorded for
	// the folder.
	Failed bool
}

// Rebuild makes the records of a lost state file anew from the service and the folders. It looks
// for the product of each folder, compares the source files on the service with those of the
// folder, and records the outcome. It uploads nothing and changes nothing on the service. A folder
// that cannot be looked at does not hold up the others. Rebuild is for a daemon that does not run.
func (d *Daemon) Rebuild(ctx context.Context, report func(Rebuilt)) error {
	watching, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel()
	watcher.Go(func() { d.files.Run(watching) })
	d.followProducts(watching, &watcher)
	if err := d.observe(ctx); err != nil {
		return err
	}
	d.rememberVolumes()
	failed, away := 0, d.files.offlineRoots()
	for _, status := range d.Status().Products {
		if !d.board.roots[status.Root].rules.places(status.Folder) {
			continue // a directory that is told because a person must see to it
		}
		found, err := d.rebuildFolder(ctx, status.Key())
		if broken := cmp.Or(ctx.Err(), d.records.Err()); broken != nil {
			return broken
		}
		if err != nil {
			found.Failed, found.Reason = true, err.Error()
			failed++
		}
		report(found)
	}
	switch {
	case away != "":
		return errors.New(away)
	case failed > 0:
		return fmt.Errorf("%d of the product folders could not be looked at", failed)
	}
	return nil
}

func (d *Daemon) rebuildFolder(ctx context.Context, key syncstate.Folder) (Rebuilt, error) {
	found := Rebuilt{Root: key.Root, Folder: key.Path}
	snapshot, err := d.files.Look(ctx, key.Root, key.Path)
	if errors.Is(err, fs.ErrNotExist) {
		found.Reason = "the folder is gone"
		return found, nil
	}
	if err != nil {
		return found, err
	}
	j := &job{publisher: d.publisher, key: key, root: d.board.roots[key.Root], snapshot: stilled(snapshot), amended: new(atomic.Int32)}
	s, err := j.scene()
	if err != nil {
		return found, err
	}
	switch {
	case s.record.Product.UUID != "" && (s.record.Published != nil || s.record.Run != nil):
		return d.rebuiltBefore(ctx, s.record, found)
	case s.mistake != nil:
		found.Reason = status.Sentence(s.mistake, j.command)
		return found, nil
	}
	return j.rebuild(ctx, s, found)
}

// rebuiltBefore is for a folder that the state file knows. A record from a backup counts until it
// is held against the service.
func (d *Daemon) rebuiltBefore(ctx context.Context, record syncstate.Record, found Rebuilt) (Rebuilt, error) {
	found.Product, found.Recorded, found.Reason = record.Product.UUID, true, "it is recorded already"
	key := syncstate.Folder{Root: found.Root, Path: found.Folder}
	switch {
	case record.Trouble != nil:
		command := func(verb string) string { return inBackquotes(verb, d.board.nameInShell(key)) }
		found.Reason += "; " + status.Sentence(record.Trouble.Cause, command)
		return found, nil
	case record.Restored:
		found.Published = record.Published != nil
		return found, nil
	}
	preview, err := d.previewFolder(ctx, key, map[syncstate.Folder]bool{})
	switch preview.Does {
	case "nothing", string(update), string(describe), string(Paused):
		found.Published = record.Published != nil && record.Run == nil
	default:
		found.Reason += "; " + preview.Detail
	}
	return found, err
}

func (j *job) rebuild(ctx context.Context, s scene, found Rebuilt) (Rebuilt, error) {
	if s.record.Product.UUID != "" { // of a record that was damaged the product is left
		return j.compare(ctx, s.record.Project, s.record.Product, found)
	}
	project, err := theOne(j.lookForProject(ctx, s.wanted.project))
	if err != nil {
		return found.because("", err)
	}
	if project.UUID != "" {
		product, err := theOne(j.lookForProduct(ctx, syncstate.Intent{
			Title: s.wanted.title, SKU: s.wanted.sku, Project: project.UUID,
		}, false))
		switch {
		case err != nil:
			return found.because("", err)
		case product.UUID != "":
			return j.compare(ctx, project, product, found)
		}
	}
	return j.rebuildFromElsewhere(ctx, s, project.UUID, found)
}

// rebuildFromElsewhere looks for the product of a folder that was moved to another project after
// its view was made, which stayed where it was. Nothing but the folder's own photos proves that it
// is the same.
func (j *job) rebuildFromElsewhere(ctx context.Context, s scene, own string, found Rebuilt) (Rebuilt, error) {
	projects, err := j.service.Projects(ctx)
	if err != nil {
		return found, err
	}
	for _, project := range projects {
		if project.UUID == own {
			continue
		}
		products, err := j.lookForProduct(ctx, syncstate.Intent{
			Title: s.wanted.title, SKU: s.wanted.sku, Project: project.UUID,
		}, true)
		if err != nil {
			return found, err
		}
		for _, product := range products {
			published, _, err := j.recognise(ctx, product.UUID)
			if err != nil {
				return found, err
			}
			if published != nil {
				return j.recordFound(
					syncstate.Project{UUID: project.UUID, Title: project.Title}, product, published, found,
				)
			}
		}
	}
	if own == "" {
		return found.because("no project of this title", nil)
	}
	return found.because("no product of this SKU and title", nil)
}

// compare records the product of the folder, and its published state if the service holds exactly
// the folder's frames.
func (j *job) compare(
	ctx context.Context, project syncstate.Project, product syncstate.Product, found Rebuilt,
) (Rebuilt, error) {
	published, differs, err := j.recognise(ctx, product.UUID)
	if err != nil {
		return found, err
	}
	found.Reason = status.Sentence(differs.cause, j.command)
	if published != nil {
		return j.recordFound(project, product, published, found)
	}
	found.Product = product.UUID
	return found, j.ownProduct(product.UUID, func(r *syncstate.Record) {
		r.Project, r.Product, r.AltIntent, r.AltLate = project, product, nil, nil
		r.Settled = len(j.snapshot.Frames)
		// It may be the folder's own upload, which is not sent again then.
		r.Restored = differs.state == Processing
		tellRecorded(r, differs.state, differs.cause)
	})
}

// recordFound records a product that holds exactly the folder's frames.
func (j *job) recordFound(
	project syncstate.Project, product syncstate.Product, published *syncstate.Published, found Rebuilt,
) (Rebuilt, error) {
	found.Product, found.Published = product.UUID, true
	return found, j.ownProduct(product.UUID, func(r *syncstate.Record) {
		r.Project, r.Product, r.Published, r.AltIntent, r.AltLate = project, product, published, nil, nil
		r.Outline, r.Settled = "", len(published.Frames)
		if State(r.State) != Published {
			tellRecorded(r, Published, nil)
		}
	})
}

// because tells a person's matter as the reason and passes other errors on.
func (r Rebuilt) because(reason string, err error) (Rebuilt, error) {
	if errors.As(err, new(personal)) {
		r.Reason = err.Error()
		return r, nil
	}
	r.Reason = reason
	return r, err
}

// theOne is the only one of those that were found, the zero value when there is none.
func theOne[T any](found []T, err error) (one T, _ error) {
	if err == nil && len(found) > 1 {
		err = personal{because: &status.Cause{Kind: status.SeveralNamed, Count: len(found), Name: "view"}}
	}
	if err != nil || len(found) == 0 {
		return one, err
	}
	return found[0], nil
}

// A mismatch is the difference between a folder and its product on the service, and the state in
// which it leaves the folder.
type mismatch struct {
	state State
	cause *status.Cause
}

// recognise returns the published state if the service holds exactly the folder's frames. Otherwise
// it returns the difference, and the next pass uploads the folder to the same product. The authors
// of the alt texts are not known: the texts count as those of others.
func (j *job) recognise(ctx context.Context, product string) (*syncstate.Published, mismatch, error) {
	var none mismatch
	if err := j.readFrames(ctx, j.snapshot.Frames, true); err != nil {
		return nil, none, err
	}
	s, err := j.scene()
	if err != nil {
		return nil, none, err
	}
	g := s.gather()
	switch {
	case g.problem != nil:
		return nil, mismatch{Attention, g.problem}, nil
	case len(g.unsettled()) > 0 || g.count() == 0:
		return nil, mismatch{Collecting, because(status.Incomplete)}, nil
	}
	answer, err := j.status(ctx, product)
	if err != nil {
		return nil, none, err
	}
	if !answer.Finished() {
		return nil, mismatch{Processing, because(status.StillProcessing)}, nil
	}
	images, err := j.service.Images(ctx, product)
	if err != nil {
		return nil, none, err
	}
	run := j.asRun(g, answer.SourceRevision)
	if doubt := doubtful(images, run); doubt != "" {
		return nil, mismatch{Queued, &status.Cause{Kind: status.Differs, Said: doubt}}, nil
	}
	if doubt, err := j.compareSources(ctx, product, run); doubt != "" || err != nil {
		return nil, mismatch{Queued, &status.Cause{Kind: status.Differs, Said: doubt}}, err
	}
	s.record.Run = run
	published := j.published(s, images)
	published.Found = true
	return published, none, nil
}

// asRun is the run that would have published the folder as it stands.
func (j *job) asRun(g gathering, revision int64) *syncstate.Run {
	run := &syncstate.Run{Finished: revision + 1, Images: g.count(), Marker: markerOf(j.snapshot)}
	for _, f := range g.whole {
		r := j.readings[f.Name]
		run.Frames = append(run.Frames, syncstate.RunFrame{
			File: identity(f), Stored: otherName(g.stored[f.Name], f.Name), Digest: r.digest,
			Captured: r.captured, Uploaded: true,
		})
	}
	return run
}
