package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Forecast is the outcome of a dry walk for one folder: what a pass would do.
type Forecast struct {
	status.Preview
	// Published: the service shows exactly the folder's frames, so nothing will be uploaded.
	Published bool
	// Gone: the folder is gone. What was published is kept.
	Gone bool

	unread error       // why the folder or the service could not be read; nil when they could
	name   productName // of a product that would be created
}

// waits is the forecast for a folder that cannot be read at present.
func (f Forecast) waits(err error) Forecast {
	f.unread = err
	f.Does, f.Detail = "wait", err.Error()
	if outcome.Is(err, outcome.Changed) {
		f.Detail = "the folder is changing"
	}
	if denied := outcome.NoAccess(err); denied != nil {
		f.Does, f.Detail = string(status.Attention), status.Sentence(denied, status.AnyFolder)
	}
	return f
}

// A dryWalk goes through the folders as a pass does: it reads what is needed, and asks the plan for the
// next step. It takes none, but for the comparison with the service.
type dryWalk struct {
	daemon   *Daemon
	compares bool                      // it compares folders in doubt, and records what it finds
	taken    map[syncstate.Folder]bool // the earlier names of renamed folders
}

// each reports every folder. A folder that cannot be read does not hold up the others; a failure of the
// state file ends the walk.
func (w dryWalk) each(ctx context.Context, report func(Forecast)) error {
	owners := w.owners()
	for _, product := range w.daemon.Status().Products {
		f, err := w.unlessHung(ctx, product.Key())
		if broken := cmp.Or(context.Cause(ctx), w.daemon.records.Store.Err(), err); broken != nil {
			return broken
		}
		if f.Does == "create" {
			f = owners.admit(f)
		}
		report(f)
	}
	return nil
}

// A productName tells the products of a project apart.
type productName struct{ project, sku, title string }

// owners are the folders that have a product, or would create one, by its name.
type owners map[productName]syncstate.Folder

// owners are those folders that stand and have a product.
func (w dryWalk) owners() owners {
	o := owners{}
	for f := range w.daemon.board.folders.each {
		is, err := f.root.Rules.ProductOf(f.key.Path, config.Product{SKU: f.status.SKU, Title: f.status.Title})
		if err == nil && f.status.Product != "" && !f.gone {
			o[productName{is.Project, is.SKU, is.Title}] = f.key
		}
	}
	return o
}

// admit turns a create down where another folder has, or would create, the product of that name.
func (o owners) admit(f Forecast) Forecast {
	key := syncstate.Folder{Root: f.Root, Path: f.Folder}
	owner, owned := o[f.name]
	if !owned || owner == key {
		o[f.name] = key
		return f
	}
	f.Does = string(status.Attention)
	f.Detail = status.Sentence(status.OwnedBy(status.NameFrom(f.Root, owner), f.name.sku, f.name.title), status.AnyFolder)
	return f
}

// unlessHung is what folder returns. It leaves a folder behind whose drive does not answer a
// reading, because nothing can interrupt that.
func (w dryWalk) unlessHung(ctx context.Context, key syncstate.Folder) (Forecast, error) {
	type result struct {
		f   Forecast
		err error
	}
	alone, done := w, make(chan result, 1)
	alone.taken = maps.Clone(w.taken)
	go func() {
		f, err := alone.folder(ctx, key)
		done <- result{f, err}
	}()
	tick := time.NewTicker(passBeat)
	defer tick.Stop()
	for {
		select {
		case r := <-done:
			maps.Copy(w.taken, alone.taken)
			return r.f, r.err
		case <-tick.C:
			if hung := w.daemon.files.Hung(key.Root); hung != nil {
				left := Forecast{Preview: status.Preview{Root: key.Root, Folder: key.Path}}
				return left.waits(errors.New(status.Sentence(hung, status.AnyFolder))), nil
			}
		case <-ctx.Done():
			select {
			case r := <-done:
				return r.f, r.err
			case <-time.After(stopPatience):
				return Forecast{}, ctx.Err()
			}
		}
	}
}

func (w dryWalk) folder(ctx context.Context, key syncstate.Folder) (Forecast, error) {
	f := Forecast{Preview: status.Preview{Root: key.Root, Folder: key.Path}}
	board := w.daemon.board
	snapshot, isDirectory := board.directory(key)
	var err error
	if !isDirectory {
		snapshot, err = w.daemon.files.Watcher.ReadFolder(ctx, key.Root, key.Path)
	}
	switch {
	case watcher.IsGone(err):
		snapshot = absent(key)
	case err != nil && outcome.NoAccess(err) == nil && board.isPublished(key):
		f.Does, f.Detail, f.unread = "nothing", "published", err // the drive is away, and the view stays
		return f, nil
	case err != nil:
		return f.waits(err), nil
	case isDirectory:
		if _, misplaced := errors.AsType[*watcher.MisplacedError](snapshot.Err); !misplaced {
			f.unread = snapshot.Err // it may hold more folders
		}
	}
	j := board.newJob(key, board.roots[key.Root])
	j.Folder.Snapshot = stilled(snapshot)
	compared := false
	for {
		s, err := j.Scene()
		if err != nil {
			return f, err
		}
		w.lookAsPass(&s)
		next := plan.Next(s)
		var stop *plan.Step
		switch {
		case !next.Need.None():
			err = j.Folder.Read(ctx, s.Facts, next.Need)
			plan.StayBroken(j.Folder.Readings)
		case w.compares && s.Record.Doubted && s.Facts.Snapshot.Present:
			stop, err = j.Compare(ctx, s, next)
			compared = true
		default:
			stop = &next
		}
		switch {
		case err != nil:
			return f.waits(err), nil
		case stop != nil:
			j.Folder.Snapshot.Changed = snapshot.Changed
			f = w.forecast(ctx, j, s, *stop, f)
			if r := s.Record; compared && !f.Published && r.Shown.State == string(status.Queued) && r.Shown.Cause != nil {
				f.Detail = status.Sentence(r.Shown.Cause, j.Command) + "; " + f.Detail // what the comparison found
			}
			return f, nil
		}
	}
}

// lookAsPass has the scene planned as a pass does, which tries each folder once more. Without a
// comparison a folder that the state file does not know counts as one without a view. A comparison
// holds for a paused folder too.
func (w dryWalk) lookAsPass(s *plan.Scene) {
	r := &s.Record
	r.Trouble, r.Wishes.Verify = nil, false
	switch {
	case !w.compares:
		r.Doubted = r.Doubted && r.Product.UUID != ""
	case r.Doubted:
		r.Wishes.Paused, s.Around.AllPaused = time.Time{}, false
	}
}

func (w dryWalk) forecast(ctx context.Context, j *publish.Job, s plan.Scene, next plan.Step, f Forecast) Forecast {
	f.Does, f.Detail = plan.Foretell(s, next, j.Command)
	f.Published, f.Gone = s.ShowsFrames(), !s.Facts.Snapshot.Present
	f.name = productName{s.Facts.Wanted.Project, s.Facts.Wanted.SKU, s.Facts.Wanted.Title}
	if f.Does == "create" && s.Record.Run == nil {
		f = w.renamed(ctx, j, s, f)
	}
	return f
}

// renamed finds out whether a folder without a product is a gone folder under another name, as the
// create would. No two folders are the same one.
func (w dryWalk) renamed(ctx context.Context, j *publish.Job, s plan.Scene, f Forecast) Forecast {
	before, err := j.Predecessor(ctx, s, func(before renamed.Predecessor) bool { return w.taken[before.Key] })
	switch {
	case outcome.Needs(err, status.Twins):
		f.Does, f.Detail = string(status.Attention), err.Error()
		return f
	case err != nil:
		return f.waits(err)
	case before == nil:
		return w.copied(ctx, j, s, f)
	}
	w.taken[before.Key] = true
	was := status.Name(status.NameFrom(f.Root, before.Key))
	f.Does, f.Detail = "rename", fmt.Sprintf("renamed from %s, its product is kept", was)
	return f
}

// copied says whose photos a new folder has.
func (w dryWalk) copied(ctx context.Context, j *publish.Job, s plan.Scene, f Forecast) Forecast {
	switch name, err := j.HasPhotosOf(ctx, s); {
	case err != nil:
		return f.waits(err)
	case name != "":
		f.Detail += "; it has the photos of " + status.Name(name)
	}
	return f
}

func (b *board) isPublished(key syncstate.Folder) (is bool) {
	b.folders.with(key, func(f *folder) { is = f.status.State == status.Published })
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
	s.Frames, s.Sidecars = still(s.Frames), still(s.Sidecars)
	s.Changed = time.Now().Add(-plan.LongAgo)
	return s
}

// still are the files as they are if none of them changes any more.
func still(files []watcher.File) []watcher.File {
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
	newest := absent(key)
	b.folders.with(key, func(f *folder) {
		if newest = f.snapshot(); f.newest != nil {
			newest = *f.newest
		}
	})
	return newest, true
}
