package daemon

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Survey reads all roots once and previews every folder. It is for a daemon that does not run.
func (d *Daemon) Survey(ctx context.Context) (all []status.Preview, err error) {
	err = d.onceRead(ctx, func(ctx context.Context) error {
		all, err = d.Preview(ctx)
		return err
	})
	return all, err
}

// Preview lists the owed action of every folder. A renamed folder is listed under its new name
// only. Preview reads frames where it must, sends nothing and records nothing.
func (d *Daemon) Preview(ctx context.Context) ([]status.Preview, error) {
	var all []status.Preview
	walk := dryWalk{daemon: d, taken: map[syncstate.Folder]bool{}}
	if err := walk.each(ctx, func(f Forecast) { all = append(all, f.Preview) }); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(p status.Preview) bool {
		return walk.taken[syncstate.Folder{Root: p.Root, Path: p.Folder}]
	}), nil
}

// Rebuild compares the folders in doubt with the service and records the outcome, as Run and Sync do
// before anything else. It uploads nothing and changes nothing on the service. It reports each product
// folder, also those that were in no doubt. It is for a daemon that does not run.
func (d *Daemon) Rebuild(ctx context.Context, report func(Forecast)) error {
	if err := d.forgive(); err != nil {
		return err
	}
	return d.onceRead(ctx, func(ctx context.Context) error {
		d.board.roots.rememberVolumes(d.files.Watcher, d.records)
		failed, away := 0, d.files.OfflineRoots()
		walk := dryWalk{daemon: d, compares: true, taken: map[syncstate.Folder]bool{}}
		compared := map[string]bool{} // roots; one without any folder may lack its drive
		err := walk.each(ctx, func(f Forecast) {
			if f.unread != nil {
				f.Does, f.Detail = "failed", f.unread.Error()
				failed++
			}
			if !f.Gone && d.board.roots[f.Root].Rules.Places(f.Folder) {
				compared[f.Root] = true
			}
			report(f)
		})
		switch {
		case err != nil:
			return err
		case away != "":
			return errors.New(away)
		case failed > 0:
			return errors.New(status.Counted(failed, "product folder") + " could not be read")
		}
		for root := range compared {
			if err := d.board.setKnown(d.board.roots[root]); err != nil {
				return err
			}
		}
		return nil
	})
}

// onceRead does something once all roots were read, while nothing works on the folders. From then on the
// client only reads.
func (d *Daemon) onceRead(ctx context.Context, do func(context.Context) error) error {
	d.service.Client.OnlyReads = true
	var running sync.WaitGroup
	defer running.Wait()
	d.files.Watcher.WatchLazily()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	running.Go(func() { end(d.files.Watcher.Run(ctx)) }) // a failure of the watcher is the cause
	newProductsFiles(d.board).follow(ctx, &running)
	if err := d.observe(ctx); err != nil {
		return err
	}
	return do(ctx)
}

// observe receives snapshots, and does no work, until all roots were read.
func (d *Daemon) observe(ctx context.Context) error {
	ever := time.Time{} // the watcher runs already, so that its first read may be over
	tick := time.NewTicker(passBeat)
	defer tick.Stop()
	for {
		select {
		case s := <-d.files.Watcher.Snapshots():
			d.board.onSnapshot(s)
			d.files.Watcher.Took()
		case <-tick.C:
			if d.allRead(ever) && d.files.Watcher.Delivered() {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
