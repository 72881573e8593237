package renamed

import (
	"bytes"
	"context"
	"slices"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// standsPatience is how long a drive of another root may take to answer whether a folder is there.
const standsPatience = 2 * time.Second

// A Search finds the folder that a product folder was before.
type Search struct {
	Folder *reading.Folder
	Files  reading.Files
	Store  *syncstate.Store
	Index  *Index
	Others Others
}

// Others are the folders in memory. No method reads a file.
type Others interface {
	// IsMissed reports whether the last whole reads did not find the folder.
	IsMissed(key syncstate.Folder) bool
	// New lists the folders of a root without a product that hold so many bytes, or that were not
	// read yet.
	New(root string, bytes int64) []syncstate.Folder
}

// A Predecessor is what the folder was before under another name.
type Predecessor struct {
	Key    syncstate.Folder
	Record syncstate.Record
}

// Predecessor is the folder that is gone from the disk and whose content this one has; nil for
// none. leaveOut drops some of them; nil drops none.
func (f Search) Predecessor(
	ctx context.Context, s plan.Scene, leaveOut func(Predecessor) bool,
) (*Predecessor, error) {
	found, err := f.predecessors(ctx, s.Set)
	if err != nil {
		return nil, err
	}
	if leaveOut != nil {
		found = slices.DeleteFunc(found, leaveOut)
	}
	before, err := recogniseAs(s, found, f.Folder.Key)
	if before == nil || hasFilesOf(s.Facts.Snapshot.Frames, before.Record) || !f.isCopied(ctx, before) {
		return before, err
	}
	return nil, nil
}

// isCopied reports whether another folder has the very files of the gone folder, so that this
// folder has copies.
func (f Search) isCopied(ctx context.Context, gone *Predecessor) bool {
	for _, other := range f.Others.New(gone.Key.Root, framesOf(gone.Record).Bytes) {
		if s, err := f.Files.Watcher.ReadFolder(ctx, other.Root, other.Path); err == nil && hasFilesOf(s.Frames, gone.Record) {
			return true
		}
	}
	return false
}

// IsGone reports whether a folder is not at its place and is gone for good.
func (f Search) IsGone(ctx context.Context, key syncstate.Folder) (bool, error) {
	if f.mayStand(key) {
		return false, nil
	}
	return f.isGone(ctx, key)
}

// predecessors finds the folders that are gone from the disk and whose content this one has.
func (f Search) predecessors(ctx context.Context, g plan.Set) ([]Predecessor, error) {
	var found []Predecessor
	for _, key := range f.Index.unseen(f.stillSince(), g.SizeKey()) {
		asked := time.Now()
		if f.mayStand(key) {
			f.Index.seen(key, asked)
			continue
		}
		record, err := f.Store.Record(key)
		if err != nil {
			return nil, err
		}
		if same, err := f.continues(ctx, g, record); err != nil {
			return nil, err
		} else if !same {
			continue
		}
		gone, err := f.isGone(ctx, key)
		if err != nil {
			return nil, err
		}
		if gone {
			found = append(found, Predecessor{key, record})
		}
	}
	return found, nil
}

// mayStand reports whether a folder is at its place, or may be because its drive does not answer. A
// drive of another root keeps this folder waiting for a moment only.
func (f Search) mayStand(key syncstate.Folder) bool {
	if key.Root == f.Folder.Key.Root {
		return f.Files.Watcher.Exists(key.Root, key.Path)
	}
	if !f.Files.Readable(key.Root) || slices.Contains(f.Files.Watcher.Aside(key.Root), key.Path) {
		return true
	}
	answer := make(chan bool, 1)
	go func() { answer <- f.Files.Watcher.Exists(key.Root, key.Path) }()
	patience := time.NewTimer(standsPatience)
	defer patience.Stop()
	select {
	case stands := <-answer:
		return stands
	case <-patience.C:
		return true
	}
}

// isGone reports whether a folder that is not at its place is gone for good. Below another root
// only whole reads prove that, which a read that finds nothing brings about: a drive may be on its
// way out.
func (f Search) isGone(ctx context.Context, key syncstate.Folder) (bool, error) {
	elsewhere := key.Root != f.Folder.Key.Root
	switch _, err := f.Files.Watcher.ReadFolder(ctx, key.Root, key.Path); {
	case err == nil:
		return false, nil
	case !watcher.IsGone(err):
		return false, err
	case elsewhere && !f.Others.IsMissed(key):
		return false, outcome.Later(time.Now().Add(plan.AbsenceSpan),
			&status.Cause{Kind: status.LookingForMoved, Name: key.Path, Other: key.Root}, nil)
	}
	return true, nil
}

// stillSince is when the folder stopped changing. A published folder that was also there after that
// time is another folder.
func (f Search) stillSince() time.Time {
	if f.Folder.Snapshot.Changed.IsZero() {
		return time.Now()
	}
	return f.Folder.Snapshot.Changed.Add(f.Folder.Root.Rules.Settle)
}

// continues reports whether the folder holds the recorded frames of another folder, perhaps under
// other names, or with more that came since.
func (f Search) continues(ctx context.Context, g plan.Set, r syncstate.Record) (bool, error) {
	missing := recordedFrames(r)
	more := len(g.Whole) - len(missing) // which may have come since
	if len(missing) == 0 || more < 0 {
		return false, nil
	}
	for _, have := range g.Whole {
		was, err := f.wasAmong(ctx, have, missing)
		if err != nil {
			return false, err
		}
		if delete(missing, was); was == "" {
			more--
		}
		if more < 0 { // the rest need not be read
			return false, nil
		}
	}
	return len(missing) == 0, nil
}

// wasAmong is the recorded name of a frame; empty where it is none of those that are still missing.
// The very file is known by its id, whatever its name. Otherwise its digest decides, or its name and
// time where it was not sent; the frame of its own name is looked at first.
func (f Search) wasAmong(ctx context.Context, have watcher.File, missing map[string]recorded) (name string, err error) {
	if name := fileAmong(have, missing); name != "" {
		return name, nil
	}
	is := func(old recorded) (bool, error) {
		switch {
		case old.file.Size != have.Size:
			return false, nil
		case old.digest == nil:
			return old.file.Name == have.Name && old.file.ModTime.Equal(have.ModTime), nil
		}
		digest, err := f.Folder.DigestOf(ctx, have)
		return err == nil && bytes.Equal(digest, old.digest), err
	}
	if old, ok := missing[have.Name]; ok {
		if same, err := is(old); same || err != nil {
			return have.Name, err
		}
	}
	for name, old := range missing {
		if same, err := is(old); same || err != nil {
			return name, err
		}
	}
	return "", nil
}
