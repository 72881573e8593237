package daemon

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
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
	// Gone says that the folder is gone. What was published is kept.
	Gone   bool
	Reason string // why not
	// Failed says that the folder or the service could not be read, so that nothing is recorded for
	// the folder.
	Failed bool
}

// Rebuild reconciles the state file with the service and the folders, as Run and Sync do before
// anything else. It uploads nothing and changes nothing on the service. A folder that cannot be
// looked at does not hold up the others. Rebuild is for a daemon that does not run.
func (d *Daemon) Rebuild(ctx context.Context, report func(Rebuilt)) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, end := d.watch(ctx, &running)
	defer end(nil)
	if err := d.observe(ctx); err != nil {
		return err
	}
	d.board.roots.rememberVolumes(d.Publisher)
	failed, away := 0, d.Files.OfflineRoots()
	for _, product := range d.Status().Products {
		if !d.board.roots[product.Root].Rules.Places(product.Folder) {
			continue // a directory that is told because a person must see to it
		}
		found, err := d.rebuildFolder(ctx, product.Key())
		if broken := cmp.Or(context.Cause(ctx), d.Records.Err()); broken != nil {
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
		return errors.New(status.Counted(failed, "product folder") + " could not be read")
	}
	for _, r := range d.board.roots {
		if err := d.board.setKnown(r); err != nil {
			return err
		}
	}
	return nil
}

func (d *Daemon) rebuildFolder(ctx context.Context, key syncstate.Folder) (Rebuilt, error) {
	found := Rebuilt{Root: key.Root, Folder: key.Path}
	snapshot, err := d.Files.ReadFolder(ctx, key.Root, key.Path)
	if watcher.IsGone(err) {
		found.Gone, found.Reason = true, "the folder is gone"
		return found, nil
	}
	if err != nil {
		return found, err
	}
	j := publish.NewJob(d.Publisher, key, d.board.roots[key.Root])
	j.Snapshot = stilled(snapshot)
	s, err := j.Scene()
	found.Recorded = err == nil && !s.Record.Doubted
	if err == nil {
		err = j.Rebuild(ctx)
	}
	if err != nil {
		return found, err
	}
	return d.rebuilt(ctx, j, found)
}

// rebuilt tells the outcome from the record, and what the next pass would do.
func (d *Daemon) rebuilt(ctx context.Context, j *publish.Job, found Rebuilt) (Rebuilt, error) {
	record, err := d.Records.Record(j.Key)
	if err != nil {
		return found, err
	}
	found.Product, found.Reason = record.Product.UUID, status.Sentence(record.Cause, j.Command)
	if !found.Recorded {
		found.Published = record.Published != nil && record.Run == nil && !record.Doubted
		return found, nil
	}
	found.Reason = "it is recorded already"
	if record.Trouble != nil {
		found.Reason += "; " + status.Sentence(record.Trouble.Cause, j.Command)
		return found, nil
	}
	preview, err := d.previewFolder(ctx, j.Key, map[syncstate.Folder]bool{})
	if preview.Does != "nothing" {
		found.Reason += "; " + preview.Does + ": " + preview.Detail
	}
	switch preview.Does {
	case "nothing", string(plan.Update), string(plan.Describe), string(status.Paused):
		found.Published = record.Published != nil && record.Run == nil
	}
	return found, err
}
