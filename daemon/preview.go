package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Preview is what a pass would do with one product folder, if nothing in it changed any more.
type Preview struct {
	Root   string `json:"root"`
	Folder string `json:"folder"`
	// Does is create, rename, reupload, finish, describe, update, remove, nothing, missing, wait,
	// attention or paused.
	Does   string `json:"does"`
	Detail string `json:"detail"`
}

// Survey reads all roots once and previews every folder. It is for a daemon that does not run.
func (d *Daemon) Survey(ctx context.Context) ([]Preview, error) {
	watching, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel()
	d.files.WatchLazily()
	watcher.Go(func() { d.files.Run(watching) })
	d.followProducts(watching, &watcher)
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
		case s := <-d.files.Snapshots():
			d.board.see(s)
			d.files.Took()
		case <-tick.C:
			if p.allRead() && d.productsLooked() && d.files.Delivered() {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Preview lists the owed action of every folder. A renamed folder is listed under its new name
// only. Preview reads frames where it must, sends nothing and records nothing.
func (d *Daemon) Preview(ctx context.Context) ([]Preview, error) {
	var all []Preview
	renamed := map[syncstate.Folder]bool{}
	for _, status := range d.Status().Products {
		p, err := d.previewFolder(ctx, status.Key(), renamed)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return slices.DeleteFunc(all, func(p Preview) bool {
		return renamed[syncstate.Folder{Root: p.Root, Path: p.Folder}]
	}), nil
}

// previewFolder adds the earlier name of the folder to renamed.
func (d *Daemon) previewFolder(
	ctx context.Context, key syncstate.Folder, renamed map[syncstate.Folder]bool,
) (Preview, error) {
	preview := Preview{Root: key.Root, Folder: key.Path}
	snapshot, isDirectory := d.board.directory(key)
	var err error
	if !isDirectory {
		snapshot, err = d.files.Look(ctx, key.Root, key.Path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		snapshot = absent(key)
	case err != nil:
		return waits(ctx, preview, err)
	}
	j := &job{publisher: d.publisher, key: key, root: d.board.roots[key.Root], snapshot: stilled(snapshot)}
	for {
		s, err := j.scene()
		if err != nil {
			return preview, err
		}
		s.record.Trouble = nil
		s.record.Unreconciled = s.record.Unreconciled && s.record.Product.UUID != ""
		next := plan(s)
		switch next.action {
		case read:
			err = j.readFrames(ctx, next.frames, next.digest)
			stayBroken(j.readings)
		case readTexts:
			err = j.readTexts(ctx, s, next.frames)
		default:
			preview.Does, preview.Detail = foretell(s, next)
			if preview.Does != "create" || s.record.Intent != nil {
				return preview, nil
			}
			j.snapshot.Changed = snapshot.Changed
			return j.previewCreate(ctx, s, preview, renamed)
		}
		if outcome.Is(err, outcome.Changed) {
			preview.Does, preview.Detail = "wait", "the folder is changing"
			return preview, nil
		}
		if err != nil {
			return waits(ctx, preview, err)
		}
	}
}

// previewCreate finds out whether a folder without a product is a gone folder under another name,
// as the create would.
func (j *job) previewCreate(
	ctx context.Context, s scene, p Preview, renamed map[syncstate.Folder]bool,
) (Preview, error) {
	found, err := j.predecessors(ctx, s.gather())
	if err != nil {
		return waits(ctx, p, err)
	}
	found = slices.DeleteFunc(found, func(before predecessor) bool {
		return renamed[before.key] || !before.record.DeleteSent.IsZero()
	})
	before, err := recogniseAs(s, found, j.key)
	switch {
	case err != nil:
		p.Does, p.Detail = string(Attention), err.Error()
		return p, nil
	case before == nil:
		return p, nil
	}
	renamed[before.key] = true
	was := status.Name(before.key.Path)
	if before.key.Root != p.Root {
		was = before.key.Root + "/" + was
	}
	p.Does, p.Detail = "rename", fmt.Sprintf("renamed from %s, its product is kept", was)
	return p, nil
}

// waits tells of a folder that cannot be read at present. It does not keep the others from being
// told.
func waits(ctx context.Context, p Preview, err error) (Preview, error) {
	p.Does, p.Detail = "wait", err.Error()
	if denied := outcome.NoAccess(err); denied != nil {
		p.Does, p.Detail = string(Attention), status.Sentence(denied, status.AnyFolder)
	}
	return p, ctx.Err()
}

const longAgo = 24 * time.Hour

// absent is the snapshot of a folder that stays away.
func absent(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{
		Root: key.Root, Folder: key.Path,
		Absent: watcher.Absence{Since: time.Now().Add(-longAgo), Reads: 2},
	}
}

// stilled is the snapshot of a folder in which nothing changes any more.
func stilled(s watcher.Snapshot) watcher.Snapshot {
	s.Frames = atRest(s.Frames)
	s.Changed = time.Now().Add(-longAgo)
	return s
}

// atRest are the frames as they are if none of them changes any more.
func atRest(frames []watcher.File) []watcher.File {
	frames = slices.Clone(frames)
	for i := range frames {
		frames[i].Still = true
	}
	return frames
}

// stayBroken dates the broken readings back: if nothing changes any more, the frames stay broken.
func stayBroken(readings map[string]reading) {
	for name, r := range readings {
		if !r.whole {
			r.since = r.since.Add(-longAgo)
			readings[name] = r
		}
	}
}

// joined are the parts of a detail, without the empty ones.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// sentence is why a step is owed, in words.
func (s scene) sentence(next step) string { return status.Sentence(next.cause, s.command) }

func foretell(s scene, next step) (does, detail string) {
	switch actions[next.action].forecast {
	case asUpload:
		return s.foretellUpload(s.gather())
	case asFinish:
		return "finish", s.sentence(next)
	case asItself:
		return string(next.action), s.sentence(next)
	case asNothing:
		return "nothing", joined("published", NotTaken(s.snapshot.NotTaken))
	case asMissing:
		return string(Missing), status.Sentence(s.gone(), s.command)
	}
	switch next.state {
	case Published:
		return "nothing", joined("published", NotTaken(s.snapshot.NotTaken))
	case Attention, Missing, Paused:
		return string(next.state), s.sentence(next)
	}
	return "wait", s.sentence(next)
}

func (s scene) foretellUpload(g gathering) (does, detail string) {
	// Of an incomplete set some frames may be sent, but nothing is published.
	if ready, pending := s.complete(g); !ready {
		return "wait", s.sentence(pending)
	}
	switch {
	case s.record.Product.UUID == "":
		where := fmt.Sprintf("%s %s in project %s",
			status.Frames(g.count()), size(s.totalBytes()), status.Name(s.wanted.project))
		return "create", joined(where, s.inOrder(g), NotTaken(s.snapshot.NotTaken))
	case s.record.Published == nil && s.record.Run != nil && !s.record.Run.Reupload:
		return "finish", "the first upload is under way, " + status.Frames(g.count())
	}
	return "reupload", joined(s.foretellReupload(g), s.inOrder(g), NotTaken(s.snapshot.NotTaken))
}

// inOrder shows the order of the frames where their names leave it open; see
// manifest.Order.Explain.
func (s scene) inOrder(g gathering) string {
	names := make([]string, len(g.whole))
	for i, f := range g.whole {
		names[i] = f.Name
	}
	return s.rules.order.Explain(names)
}

func (s scene) foretellReupload(g gathering) string {
	if s.record.Published == nil {
		return status.Frames(g.count())
	}
	d := g.compare(s.record.Published)
	changed := fmt.Sprintf("%d of them new or changed", d.changed)
	if d.perhaps > 0 {
		changed += fmt.Sprintf(" and %d perhaps", d.perhaps)
	}
	return fmt.Sprintf("%s, %s, %d removed", status.Frames(g.count()), changed, d.removed)
}

func size(bytes int64) string {
	return fmt.Sprintf("(%.1f MB)", float64(bytes)/1e6)
}
