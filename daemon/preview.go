package daemon

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Survey reads all roots once and previews every folder. It is for a daemon that does not run.
func (d *Daemon) Survey(ctx context.Context) ([]status.Preview, error) {
	watching, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel()
	d.Files.WatchLazily()
	watcher.Go(func() { d.Files.Run(watching) })
	productsFiles{d.board}.follow(watching, &watcher)
	if err := d.observe(ctx); err != nil {
		return nil, err
	}
	return d.Preview(ctx)
}

// observe receives snapshots, and does no work, until all roots were read.
func (d *Daemon) observe(ctx context.Context) error {
	p := pass{d: d} // the watcher runs already, so that its first read may be over by now
	tick := time.NewTicker(passBeat)
	defer tick.Stop()
	for {
		select {
		case s := <-d.Files.Snapshots():
			d.board.onSnapshot(s)
			d.Files.Took()
		case <-tick.C:
			if p.allRead() && d.board.roots.productsLooked() && d.Files.Delivered() {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Preview lists the owed action of every folder. A renamed folder is listed under its new name
// only. Preview reads frames where it must, sends nothing and records nothing.
func (d *Daemon) Preview(ctx context.Context) ([]status.Preview, error) {
	var all []status.Preview
	renamed := map[syncstate.Folder]bool{}
	for _, status := range d.Status().Products {
		p, err := d.previewFolder(ctx, status.Key(), renamed)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return slices.DeleteFunc(all, func(p status.Preview) bool {
		return renamed[syncstate.Folder{Root: p.Root, Path: p.Folder}]
	}), nil
}

// previewFolder adds the earlier name of the folder to renamed.
func (d *Daemon) previewFolder(
	ctx context.Context, key syncstate.Folder, renamed map[syncstate.Folder]bool,
) (status.Preview, error) {
	preview := status.Preview{Root: key.Root, Folder: key.Path}
	snapshot, isDirectory := d.board.directory(key)
	var err error
	if !isDirectory {
		snapshot, err = d.Files.Look(ctx, key.Root, key.Path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		snapshot = absent(key)
	case err != nil:
		return publish.Waiting(ctx, preview, err)
	}
	j := publish.NewJob(d.Publisher, key, d.board.roots[key.Root])
	j.Snapshot = stilled(snapshot)
	for {
		s, err := j.Scene()
		if err != nil {
			return preview, err
		}
		s.Record.Trouble, s.Record.Verify = nil, false
		s.Record.Unreconciled = s.Record.Unreconciled && s.Record.Product.UUID != ""
		next := plan.Next(s)
		switch next.Action {
		case plan.Read:
			err = j.ReadFrames(ctx, next.Frames, next.Digest)
			plan.StayBroken(j.Readings)
		case plan.ReadTexts:
			err = j.ReadTexts(ctx, s, next.Frames)
		default:
			preview.Does, preview.Detail = plan.Foretell(s, next)
			if preview.Does != "create" || s.Record.Intent != nil {
				return preview, nil
			}
			j.Snapshot.Changed = snapshot.Changed
			return j.PreviewCreate(ctx, s, preview, renamed)
		}
		if outcome.Is(err, outcome.Changed) {
			preview.Does, preview.Detail = "wait", "the folder is changing"
			return preview, nil
		}
		if err != nil {
			return publish.Waiting(ctx, preview, err)
		}
	}
}

// absent is the snapshot of a folder that stays away.
func absent(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{
		Root: key.Root, Folder: key.Path,
		Absent: watcher.Absence{Since: time.Now().Add(-plan.LongAgo), Reads: 2},
	}
}

// stilled is the snapshot of a folder in which nothing changes any more.
func stilled(s watcher.Snapshot) watcher.Snapshot {
	s.Frames = plan.AtRest(s.Frames)
	s.Changed = time.Now().Add(-plan.LongAgo)
	return s
}

// directory is the newest snapshot of a directory that is no product folder.
func (b *board) directory(key syncstate.Folder) (watcher.Snapshot, bool) {
	if b.roots[key.Root].Rules.Places(key.Path) {
		return watcher.Snapshot{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	switch {
	case !ok:
		return absent(key), true
	case f.newest != nil:
		return *f.newest, true
	}
	return f.snapshot(), true
}
