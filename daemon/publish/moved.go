package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// unfinished is the size key of a folder whose frames are not all recorded yet, because its product
// is only just asked for or its set still being shot. There are never many of these folders.
var unfinished = plan.SizeKey{Images: -1}

func SizeKeyOf(r syncstate.Record) plan.SizeKey {
	switch run := r.Run; {
	case run != nil && len(run.Frames) > 0 && len(run.Frames) == run.Images:
		e := plan.SizeKey{Images: run.Images}
		for _, f := range run.Frames {
			e.Bytes += f.Size
		}
		return e
	case run == nil && r.Published != nil:
		return plan.SizeKey{Images: r.Published.Images, Bytes: r.Published.Bytes}
	case r.Product.UUID != "" || r.Intent != nil:
		return unfinished
	}
	return plan.SizeKey{}
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
func (j *Job) sketch(r *syncstate.Record) {
	if j.Snapshot.Present {
		r.Outline = outlineOf(j.Snapshot.Frames)
	}
}

// predecessors finds the folders that are gone from the disk and whose content this one has.
func (j *Job) predecessors(ctx context.Context, g plan.FrameSet) ([]predecessor, error) {
	var found []predecessor
	for _, key := range j.Contents.unseen(j.stillSince(), g.SizeKey(), unfinished) {
		asked := time.Now()
		if j.mayStand(key) {
			j.Contents.seen(key, asked)
			continue
		}
		record, err := j.Records.Record(key)
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
func (j *Job) mayStand(key syncstate.Folder) bool {
	if key.Root == j.Key.Root {
		return j.Files.Stands(key.Root, key.Path)
	}
	if !j.Files.Readable(key.Root) {
		return true
	}
	answer := make(chan bool, 1)
	go func() { answer <- j.Files.Stands(key.Root, key.Path) }()
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
func (j *Job) isGone(ctx context.Context, key syncstate.Folder) (bool, error) {
	elsewhere := key.Root != j.Key.Root
	switch _, err := j.Files.Look(ctx, key.Root, key.Path); {
	case err == nil:
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	case elsewhere && !j.Board.IsMissed(key):
		return false, outcome.Later(time.Now().Add(plan.AbsenceSpan),
			&status.Cause{Kind: status.LookingForMoved, Name: key.Path, Other: key.Root}, nil)
	}
	return true, nil
}

// stillSince is when the folder stopped changing. A published folder that stood beside it after
// that time is another folder.
func (j *Job) stillSince() time.Time {
	if j.Snapshot.Changed.IsZero() {
		return time.Now()
	}
	return j.Snapshot.Changed.Add(j.Root.Watch.Settle)
}

// takeOver gives the folder the record of the one it was before, if there is such a one. It reports
// whether it did.
func (j *Job) takeOver(ctx context.Context, s plan.Scene) (bool, error) {
	found, err := j.predecessors(ctx, s.FrameSet())
	if err != nil {
		return false, err
	}
	before, err := recogniseAs(s, found, j.Key)
	if before == nil || err != nil {
		return false, err
	}
	return j.moveRecord(before.key, before.record)
}

// inherit gives the folder the product of its SKU and title from a folder that is gone. That folder
// had been renamed, for instance, and was removed before its product got the new name. inherit
// reports whether it did so.
func (j *Job) inherit(ctx context.Context, from syncstate.Folder) (bool, error) {
	if j.mayStand(from) {
		return false, nil
	}
	if gone, err := j.isGone(ctx, from); !gone || err != nil {
		return false, err
	}
	record, err := j.Records.Record(from)
	if err != nil {
		return false, err
	}
	return j.moveRecord(from, record)
}

// moveRecord takes over the record of a folder that is gone, unless the removal of its product has
// begun. It holds both folders: a step for the other folder comes to its end first. It reports
// whether the record was moved.
func (j *Job) moveRecord(from syncstate.Folder, seen syncstate.Record) (bool, error) {
	before, release, free := j.Board.Hold(from)
	if !free {
		return false, outcome.ErrChanged
	}
	defer release()
	head, err := j.Records.Head(from)
	switch {
	case err != nil:
		return false, err
	case head.Product.UUID != seen.Product.UUID, (head.Intent == nil) != (seen.Intent == nil):
		return false, outcome.ErrChanged
	case !head.DeleteSent.IsZero():
		return false, nil
	}
	if err := j.Records.Move(from, j.Key); err != nil {
		return false, err
	}
	j.Resumed = before.Resumed
	if before.Asked.After(j.Asked) {
		j.Asked = before.Asked
	}
	j.Log.Info("the folder was renamed", "from", from, "to", j.Key, "product", head.Product.UUID)
	j.Board.Renamed(from, j.Key)
	j.Board.FollowPriority(from)
	j.Board.FollowPriority(j.Key)
	return true, nil
}

// continues reports whether the folder holds the recorded frames of another folder, perhaps with
// more that came since. A record without frames is compared by its listing hash, from when its
// product was asked for.
func (j *Job) continues(ctx context.Context, g plan.FrameSet, r syncstate.Record) (bool, error) {
	known := recordedFrames(r)
	if len(known) == 0 {
		return r.Outline != "" && r.Outline == outlineOf(j.Snapshot.Frames), nil
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
func (j *Job) holds(ctx context.Context, g plan.FrameSet, known map[string]recorded) (bool, error) {
	matched := 0
	for _, f := range g.Whole {
		old, ok := known[f.Name]
		switch {
		case !ok:
			continue
		case old.file.Size != f.Size:
			return false, nil
		case old.file.ID != "" && old.file.Same(plan.FileOf(f)), old.digest == nil && old.file.ModTime.Equal(f.ModTime):
			matched++
			continue
		case old.digest == nil:
			return false, nil
		}
		digest, err := j.DigestOf(ctx, f)
		if err != nil || !bytes.Equal(digest, old.digest) {
			return false, err
		}
		matched++
	}
	return matched == len(known), nil
}
