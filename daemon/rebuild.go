package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A Rebuilt is the outcome for one folder when a state file is reconciled.
type Rebuilt struct {
	Root    string
	Folder  string
	Product string // UUID; empty when the service has none of this folder
	// Recorded says that the state file knew the folder already.
	Recorded bool
	// Published says that the service holds exactly the folder's frames, so that nothing will be
	// uploaded.
	Published bool
	Reason    string // why not
	// Failed says that the folder or the service could not be read, so that nothing is recorded for
	// the folder.
	Failed bool
}

// Rebuild reconciles the state file with the service and the folders, as Run and Sync do before
// anything else. It uploads nothing and changes nothing on the service. A folder that cannot be
// looked at does not hold up the others. Rebuild is for a daemon that does not run.
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
	for _, product := range d.Status().Products {
		if !d.board.roots[product.Root].rules.places(product.Folder) {
			continue // a directory that is told because a person must see to it
		}
		found, err := d.rebuildFolder(ctx, product.Key())
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
	for _, r := range d.board.roots {
		if err := d.records.setReconciled(r); err != nil {
			return err
		}
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
	found.Recorded = err == nil && !s.record.Unreconciled
	if err == nil {
		err = j.rebuild(ctx)
	}
	if err != nil {
		return found, err
	}
	return d.rebuilt(ctx, j, found)
}

// rebuild takes the steps that reconcile a folder. What it waits for is recorded as its reason.
func (j *job) rebuild(ctx context.Context) error {
	for {
		s, err := j.scene()
		if err != nil || !s.record.Unreconciled {
			return err
		}
		next := s.planOwed()
		switch next.action {
		case read:
			err = j.readFrames(ctx, next.frames, next.digest)
			stayBroken(j.readings)
		case reconcile:
			if next.state, next.cause, err = waitOf(j.reconcile(ctx, s)); next.cause != nil {
				return j.keepWait(next)
			}
		default:
			return j.keepWait(next)
		}
		if err != nil {
			return err
		}
	}
}

func (j *job) keepWait(next step) error {
	return j.update(func(r *syncstate.Record) error { tellRecorded(r, next.state, next.cause); return nil })
}

// waitOf takes a failure apart that needs a person, or time.
func waitOf(failure error) (State, *status.Cause, error) {
	switch o := outcome.Of(failure); {
	case o != nil && o.Kind == outcome.NeedsPerson && o.Until.IsZero():
		return Attention, o.Cause, nil
	case o != nil && (o.Kind == outcome.Waits || o.Kind == outcome.NeedsPerson):
		return Processing, o.Cause, nil
	}
	return "", nil, failure
}

// rebuilt tells the outcome from the record, and what the next pass would do.
func (d *Daemon) rebuilt(ctx context.Context, j *job, found Rebuilt) (Rebuilt, error) {
	record, err := d.records.Record(j.key)
	if err != nil {
		return found, err
	}
	found.Product, found.Reason = record.Product.UUID, status.Sentence(record.Cause, j.command)
	if !found.Recorded {
		found.Published = record.Published != nil && record.Run == nil && !record.Unreconciled
		return found, nil
	}
	found.Reason = "it is recorded already"
	if record.Trouble != nil {
		found.Reason += "; " + status.Sentence(record.Trouble.Cause, j.command)
		return found, nil
	}
	preview, err := d.previewFolder(ctx, j.key, map[syncstate.Folder]bool{})
	switch preview.Does {
	case "nothing", string(update), string(describe), string(Paused):
		found.Published = record.Published != nil && record.Run == nil
	default:
		found.Reason += "; " + preview.Detail
	}
	return found, err
}
