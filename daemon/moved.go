package daemon

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"time"

	"spinsync/syncstate"
)

// A folder that was renamed or moved is recognised by its content: the same frames as a published folder that is not there
// any more. It takes over that folder's product, so that nothing is uploaded again and nothing is made twice.

// extent is what the status keeps of a published folder, enough to look for it by content.
type extent struct {
	images int
	bytes  int64
}

// kin are the published folders of one root and one extent. A camera without compression makes thousands of them.
type kin struct {
	root   string
	extent extent
}

// setExtent notes what is published of a folder, the zero extent when nothing is any more. The mutex is held.
func (d *Daemon) setExtent(f *folder, e extent) {
	if f.extent == e {
		return
	}
	old, now := kin{f.job.key.Root, f.extent}, kin{f.job.key.Root, e}
	if delete(d.kin[old], f); len(d.kin[old]) == 0 {
		delete(d.kin, old)
	}
	f.extent = e
	if e == (extent{}) {
		return
	}
	if d.kin[now] == nil {
		d.kin[now] = map[*folder]struct{}{}
	}
	d.kin[now][f] = struct{}{}
}

func extentOf(r syncstate.Record) extent {
	if r.Published == nil {
		return extent{}
	}
	return extent{r.Published.Images, r.Published.Bytes}
}

// predecessor finds the one published folder of the same root and extent that is gone from the disk. Two that fit are
// none: nobody can tell which it was.
func (j *job) predecessor(ctx context.Context, g gathering) (syncstate.Folder, bool, error) {
	var found []syncstate.Folder
	for _, f := range j.d.unseen(kin{j.key.Root, g.extent()}, j.stillSince()) {
		key, asked := f.job.key, time.Now()
		if j.d.watcher.Stands(key.Root, key.Path) {
			j.d.seen(f, asked)
			continue
		}
		_, err := j.d.watcher.Look(ctx, key.Root, key.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, key)
		case err != nil:
			return syncstate.Folder{}, false, err
		}
	}
	if len(found) != 1 {
		return syncstate.Folder{}, false, nil
	}
	return found[0], true, nil
}

func (g gathering) extent() extent {
	e := extent{images: len(g.whole)}
	for _, f := range g.whole {
		e.bytes += f.Size
	}
	return e
}

// stillSince is when the folder had stopped changing. A published folder that stood beside it since then is not the one
// that it was before.
func (j *job) stillSince() time.Time {
	if j.snapshot.Changed.IsZero() {
		return time.Now()
	}
	return j.snapshot.Changed.Add(j.root.watch.Settle)
}

// unseen lists the kin that nobody has found on the disk since then.
func (d *Daemon) unseen(k kin, since time.Time) []*folder {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*folder
	for f := range d.kin[k] {
		if f.stood.Before(since) {
			all = append(all, f)
		}
	}
	return all
}

func (d *Daemon) seen(f *folder, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.stood = at
}

// takeOver gives the folder the record of the one it was before, if there is such a one with the same content in the same
// project. It reports whether it did.
func (j *job) takeOver(ctx context.Context, s scene) (bool, error) {
	g := s.gather()
	from, ok, err := j.predecessor(ctx, g)
	if !ok || err != nil {
		return false, err
	}
	record, err := j.d.store.Record(from)
	if err != nil || record.Published == nil || record.Run != nil || !sameProject(s.wanted.project, record.Project) {
		return false, err
	}
	same, err := j.sameContent(ctx, g, record.Published)
	if !same || err != nil {
		return false, err
	}
	return j.moveRecord(from, record.Product.UUID)
}

// moveRecord takes a product over, unless its removal has begun. Whoever does so holds both folders: what is under way for
// the one that is gone comes to its end first.
func (j *job) moveRecord(from syncstate.Folder, product string) (bool, error) {
	release, free := j.d.hold(from)
	if !free {
		return false, errChanged
	}
	defer release()
	head, err := j.d.store.Head(from)
	if err != nil || head.Product.UUID != product || !head.DeleteSent.IsZero() {
		return false, err
	}
	if err := j.d.store.Move(from, j.key); err != nil {
		return false, err
	}
	j.d.log.Info("the folder was renamed", "from", from.Path, "to", j.key.Path, "product", product)
	j.d.renamed(from, j.key)
	return true, nil
}

// hold takes a folder that is in no hand, so that nobody else works on it until release.
func (d *Daemon) hold(key syncstate.Folder) (release func(), free bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.folders[key]
	if !ok || f.busy {
		return nil, false
	}
	f.busy, f.dirty = true, true
	d.queue.remove(f)
	return func() { d.finished(f, f.last) }, true
}

// maybeMoved reports whether a folder without a product holds as many bytes as the published one that is gone: it may be
// that one under another name, which is certain only when it is complete.
func (d *Daemon) maybeMoved(gone syncstate.Folder) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was, ok := d.folders[gone]
	if !ok || was.extent.images == 0 {
		return false
	}
	for key, f := range d.folders {
		if key.Root == gone.Root && !f.gone && f.status.Product == "" && f.status.TotalBytes == was.extent.bytes {
			return true
		}
	}
	return false
}

func sameProject(titleOrUUID string, p syncstate.Project) bool {
	return titleOrUUID == p.Title || titleOrUUID == p.UUID
}

// sameContent compares the digests of all frames, reading those it does not know.
func (j *job) sameContent(ctx context.Context, g gathering, published *syncstate.Published) (bool, error) {
	before := map[string]syncstate.Frame{}
	for _, f := range published.Frames {
		before[f.Name] = f
	}
	for _, f := range g.whole {
		old, ok := before[f.Name]
		if !ok || old.Size != f.Size {
			return false, nil
		}
		if old.ID != "" && old.Same(identity(f)) {
			continue
		}
		r, err := j.readFrame(f, true)
		if err != nil || !bytes.Equal(r.digest, old.Digest) {
			return false, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// renamed follows a record that moved.
func (d *Daemon) renamed(from, to syncstate.Folder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for uuid, owner := range d.owners {
		if owner == from {
			d.owners[uuid] = to
		}
	}
	d.drop(from)
	d.watcher.Forget(from.Root, from.Path)
	d.announce()
}
