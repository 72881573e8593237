package daemon

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Survey reads all roots once and previews every folder. It is for a daemon that does not run.
func (d *Daemon) Survey(ctx context.Context) ([]status.Preview, error) {
	var running sync.WaitGroup
	defer running.Wait()
	d.Files.WatchLazily()
	ctx, end := d.watch(ctx, &running)
	defer end(nil)
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
			return context.Cause(ctx)
		}
	}
}

// watch starts the watcher and the products files. Their context ends with a failure of the watcher
// as its cause.
func (d *Daemon) watch(ctx context.Context, running *sync.WaitGroup) (context.Context, context.CancelCauseFunc) {
	ctx, end := context.WithCancelCause(ctx)
	running.Go(func() { end(d.Files.Run(ctx)) })
	productsFiles{d.board}.follow(ctx, running)
	return ctx, end
}

// Preview lists the owed action of every folder. A renamed folder is listed under its new name
// only. Preview reads frames where it must, sends nothing and records nothing.
func (d *Daemon) Preview(ctx context.Context) ([]status.Preview, error) {
	var all []status.Preview
	taken := map[syncstate.Folder]bool{} // the earlier names of renamed folders
	for _, status := range d.Status().Products {
		p, err := d.previewFolder(ctx, status.Key(), taken)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return slices.DeleteFunc(all, func(p status.Preview) bool {
		return taken[syncstate.Folder{Root: p.Root, Path: p.Folder}]
	}), nil
}

// previewFolder adds the earlier name of the folder to those that are taken.
func (d *Daemon) previewFolder(
	ctx context.Context, key syncstate.Folder, taken map[syncstate.Folder]bool,
) (status.Preview, error) {
	preview := status.Preview{Root: key.Root, Folder: key.Path}
	snapshot, isDirectory := d.board.directory(key)
	var err error
	if !isDirectory {
		snapshot, err = d.Files.ReadFolder(ctx, key.Root, key.Path)
	}
	switch {
	case watcher.IsGone(err):
		snapshot = absent(key)
	case err != nil && outcome.NoAccess(err) == nil && d.board.isPublished(key):
		preview.Does, preview.Detail = "nothing", "published" // the drive is away, and the view stays
		return preview, ctx.Err()
	case err != nil:
		return waiting(ctx, preview, err)
	}
	j := publish.NewJob(d.Publisher, key, d.board.roots[key.Root])
	j.Snapshot = stilled(snapshot)
	for {
		s, err := j.Scene()
		if err != nil {
			return preview, err
		}
		s.Record.Trouble, s.Record.Verify = nil, false
		s.Record.Doubted = s.Record.Doubted && s.Record.Product.UUID != ""
		next := plan.Next(s)
		if next.Need.None() {
			preview.Does, preview.Detail = plan.Foretell(s, next)
			if preview.Does != "create" || s.Record.Run != nil {
				return preview, nil
			}
			j.Snapshot.Changed = snapshot.Changed
			return previewCreate(ctx, j, s, preview, taken)
		}
		err = j.Read(ctx, s, next.Need)
		plan.StayBroken(j.Readings)
		if outcome.Is(err, outcome.Changed) {
			preview.Does, preview.Detail = "wait", "the folder is changing"
			return preview, nil
		}
		if err != nil {
			return waiting(ctx, preview, err)
		}
	}
}

// previewCreate finds out whether a folder without a product is a gone folder under another name,
// as the create would. No two folders are the same one.
func previewCreate(
	ctx context.Context, j *publish.Job, s plan.Scene, p status.Preview, taken map[syncstate.Folder]bool,
) (status.Preview, error) {
	before, err := j.Predecessor(ctx, s, func(before renamed.Predecessor) bool {
		return taken[before.Key]
	})
	switch {
	case outcome.Needs(err, status.Twins):
		p.Does, p.Detail = string(status.Attention), err.Error()
		return p, nil
	case err != nil:
		return waiting(ctx, p, err)
	case before == nil:
		return p, nil
	}
	taken[before.Key] = true
	was := status.Name(before.Key.Path)
	if before.Key.Root != p.Root {
		was = before.Key.Root + "/" + was
	}
	p.Does, p.Detail = "rename", fmt.Sprintf("renamed from %s, its product is kept", was)
	return p, nil
}

// waiting tells of a folder that cannot be read at present. It does not keep the others from being
// told.
func waiting(ctx context.Context, p status.Preview, err error) (status.Preview, error) {
	p.Does, p.Detail = "wait", err.Error()
	if denied := outcome.NoAccess(err); denied != nil {
		p.Does, p.Detail = string(status.Attention), status.Sentence(denied, status.AnyFolder)
	}
	return p, ctx.Err()
}

func (b *board) isPublished(key syncstate.Folder) (is bool) {
	b.with(key, func(f *folder) { is = f.status.State == status.Published })
	return is
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
	s.Frames, s.Sidecars = atRest(s.Frames), atRest(s.Sidecars)
	s.Changed = time.Now().Add(-plan.LongAgo)
	return s
}

// atRest are the files as they are if none of them changes any more.
func atRest(files []watcher.File) []watcher.File {
	files = slices.Clone(files)
	for i := range files {
		files[i].Still = true
	}
	return files
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
