package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A renamed or moved folder is recognised by its content: it has the same frames as a folder that
// is gone from the disk. It takes over the record of that folder, so that spinsync uploads nothing
// again and makes no product twice. This holds for a published product, for an upload under way,
// and for a create whose answer is not known yet. A product stays in the project that it was made
// in, because no request moves a product to another project (interface 4.9).

// extent is the size key of the recorded frames of a folder: their number and their bytes. The
// content index finds folders by it.
type extent struct {
	images int
	bytes  int64
}

// unfinished is the size key of a folder whose frames are not all recorded yet, because its product
// is only just asked for or its set still being shot. There are never many of these folders.
var unfinished = extent{images: -1}

func extentOf(r syncstate.Record) extent {
	switch run := r.Run; {
	case run != nil && len(run.Frames) > 0 && len(run.Frames) == run.Images:
		e := extent{images: run.Images}
		for _, f := range run.Frames {
			e.bytes += f.Size
		}
		return e
	case run == nil && r.Published != nil:
		return extent{r.Published.Images, r.Published.Bytes}
	case r.Product.UUID != "" || r.Intent != nil:
		return unfinished
	}
	return extent{}
}

// outlineOf is the listing hash of frames: over their names, sizes and times. It is recorded before
// any frame is sent.
func outlineOf(frames []watcher.File) string {
	sum := sha256.New()
	for _, f := range frames {
		fmt.Fprintf(sum, "%q %d %d\n", f.Name, f.Size, f.ModTime.UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// sketch records the listing hash of the frames with a create or a reupload.
func (j *job) sketch(r *syncstate.Record) {
	if j.snapshot.Present {
		r.Outline = outlineOf(j.snapshot.Frames)
	}
}

// predecessors finds the folders that are gone from the disk and whose content this one has.
func (j *job) predecessors(ctx context.Context, g gathering) ([]predecessor, error) {
	var found []predecessor
	for _, key := range j.contents.unseen(j.stillSince(), g.extent(), unfinished) {
		asked := time.Now()
		if j.mayStand(key) {
			j.contents.seen(key, asked)
			continue
		}
		record, err := j.records.Record(key)
		if err != nil {
			return nil, err
		}
		if same, err := j.continues(ctx, g, record); err != nil {
			return nil, err
		} else if !same {
			continue
		}
		gone, err := j.isGone(ctx, key)
		if err != nil {
			return nil, err
		}
		if gone {
			found = append(found, predecessor{key, record})
		}
	}
	return found, nil
}

// mayStand reports whether a folder stands at its place, or may stand there because its drive does
// not answer. A drive of another root keeps this folder waiting for a moment only.
func (j *job) mayStand(key syncstate.Folder) bool {
	if key.Root == j.key.Root {
		return j.files.Stands(key.Root, key.Path)
	}
	if !j.files.readable(key.Root) {
		return true
	}
	answer := make(chan bool, 1)
	go func() { answer <- j.files.Stands(key.Root, key.Path) }()
	patience := time.NewTimer(standsPatience)
	defer patience.Stop()
	select {
	case stands := <-answer:
		return stands
	case <-patience.C:
		return true
	}
}

// isGone reports whether a folder that does not stand at its place is gone for good. Below another
// root only whole reads tell that, which a look that finds nothing brings about: a drive may be on
// its way out.
func (j *job) isGone(ctx context.Context, key syncstate.Folder) (bool, error) {
	elsewhere := key.Root != j.key.Root
	switch _, err := j.files.Look(ctx, key.Root, key.Path); {
	case err == nil:
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	case elsewhere && !j.board.isMissed(key):
		return false, outcome.Later(time.Now().Add(absenceSpan),
			&status.Cause{Kind: status.LookingForMoved, Name: key.Path, Other: key.Root}, nil)
	}
	return true, nil
}

// isMissed reports whether the last whole reads did not find a folder.
func (b *board) isMissed(key syncstate.Folder) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	return ok && f.gone
}

func (g gathering) extent() extent {
	e := extent{images: len(g.whole)}
	for _, f := range g.whole {
		e.bytes += f.Size
	}
	return e
}

// stillSince is when the folder stopped changing. A published folder that stood beside it after
// that time is another folder.
func (j *job) stillSince() time.Time {
	if j.snapshot.Changed.IsZero() {
		return time.Now()
	}
	return j.snapshot.Changed.Add(j.root.watch.Settle)
}

// takeOver gives the folder the record of the one it was before, if there is such a one. It reports
// whether it did.
func (j *job) takeOver(ctx context.Context, s scene) (bool, error) {
	found, err := j.predecessors(ctx, s.gather())
	if err != nil {
		return false, err
	}
	before, err := recogniseAs(s, found, j.key)
	if before == nil || err != nil {
		return false, err
	}
	return j.moveRecord(before.key, before.record)
}

// inherit gives the folder the product of its SKU and title from a folder that is gone. That folder
// had been renamed, for instance, and was removed before its product got the new name. inherit
// reports whether it did so.
func (j *job) inherit(ctx context.Context, from syncstate.Folder) (bool, error) {
	if j.mayStand(from) {
		return false, nil
	}
	if gone, err := j.isGone(ctx, from); !gone || err != nil {
		return false, err
	}
	record, err := j.records.Record(from)
	if err != nil {
		return false, err
	}
	return j.moveRecord(from, record)
}

// moveRecord takes over the record of a folder that is gone, unless the removal of its product has
// begun. It holds both folders: a step for the other folder comes to its end first. It reports
// whether the record was moved.
func (j *job) moveRecord(from syncstate.Folder, seen syncstate.Record) (bool, error) {
	before, release, free := j.board.hold(from)
	if !free {
		return false, outcome.ErrChanged
	}
	defer release()
	head, err := j.records.Head(from)
	switch {
	case err != nil:
		return false, err
	case head.Product.UUID != seen.Product.UUID, (head.Intent == nil) != (seen.Intent == nil):
		return false, outcome.ErrChanged
	case !head.DeleteSent.IsZero():
		return false, nil
	}
	if err := j.records.Move(from, j.key); err != nil {
		return false, err
	}
	j.resumed = before.resumed
	if before.asked.After(j.asked) {
		j.asked = before.asked
	}
	j.log.Info("the folder was renamed", "from", from, "to", j.key, "product", head.Product.UUID)
	j.board.renamed(from, j.key)
	j.board.followPriority(from)
	j.board.followPriority(j.key)
	return true, nil
}

// hold takes a folder that no worker has, and keeps it from all workers until release.
func (b *board) hold(key syncstate.Folder) (held *job, release func(), free bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok || f.busy {
		return nil, nil, false
	}
	f.busy, f.dirty = true, true
	b.stirs++
	b.queue.Remove(f.key)
	return b.jobOf(f), func() { b.finished(f, f.last) }, true
}

// maybeMoved reports whether a folder without a product holds as many bytes as a published folder
// that is gone. It may be that folder under another name, which is certain only once it is
// complete.
func (b *board) maybeMoved(gone syncstate.Folder) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.contents.of(gone)
	if was.images == 0 {
		return false
	}
	for key, f := range b.folders {
		if key.Root == gone.Root && !f.gone && f.status.Product == "" && f.status.TotalBytes == was.bytes {
			return true
		}
	}
	return false
}

// continues reports whether the folder holds the recorded frames of another folder, perhaps with
// more that came since. A record without frames is compared by its listing hash, from when its
// product was asked for.
func (j *job) continues(ctx context.Context, g gathering, r syncstate.Record) (bool, error) {
	known := recordedFrames(r)
	if len(known) == 0 {
		return r.Outline != "" && r.Outline == outlineOf(j.snapshot.Frames), nil
	}
	return j.holds(ctx, g, known)
}

// recordedFrames are the frames of a folder's run, else the published ones, by name.
func recordedFrames(r syncstate.Record) map[string]recorded {
	known := map[string]recorded{}
	switch {
	case r.Run != nil && len(r.Run.Frames) > 0:
		for _, f := range r.Run.Frames {
			if !f.Early {
				known[f.Name] = recorded{f.File, f.Digest}
			}
		}
	case r.Run == nil && r.Published != nil:
		for _, f := range r.Published.Frames {
			known[f.Name] = recorded{f.File, f.Digest}
		}
	}
	return known
}

// recorded is a frame of another folder. Its digest is nil as long as it was not sent.
type recorded struct {
	file   syncstate.File
	digest []byte
}

// holds compares frames, by their digests where they are not the very same files.
func (j *job) holds(ctx context.Context, g gathering, known map[string]recorded) (bool, error) {
	matched := 0
	for _, f := range g.whole {
		old, ok := known[f.Name]
		switch {
		case !ok:
			continue
		case old.file.Size != f.Size:
			return false, nil
		case old.file.ID != "" && old.file.Same(identity(f)), old.digest == nil && old.file.ModTime.Equal(f.ModTime):
			matched++
			continue
		case old.digest == nil:
			return false, nil
		}
		digest, err := j.digestOf(ctx, f)
		if err != nil || !bytes.Equal(digest, old.digest) {
			return false, err
		}
		matched++
	}
	return matched == len(known), nil
}

// digestOf reads a frame, once for all folders that it is compared with. A frame that is only
// foreseen to come to rest is read as it is: the reading does not stand for the one at rest.
func (j *job) digestOf(ctx context.Context, f watcher.File) ([]byte, error) {
	if r := j.readings[f.Name]; r.digest == nil || !r.file.Same(identity(f)) {
		others := func(now watcher.File) bool { return now.Name != f.Name }
		if err := j.readFrames(ctx, slices.DeleteFunc(slices.Clone(j.snapshot.Frames), others), true); err != nil {
			return nil, err
		}
	}
	return j.readings[f.Name].digest, ctx.Err()
}

// renamed follows a record that moved.
func (b *board) renamed(from, to syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owners.rename(from, to)
	if was, is := b.folders[from], b.folders[to]; was != nil && is != nil {
		b.contents.rename(from, to)
		is.logged = was.logged
	}
	b.drop(from)
	b.leave(from)
	b.announce()
}
