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
	// Candidates lists what a folder with these frames may have been before: the folders that the last
	// whole reads did not find, for a day, and those that were last read with one of these very files.
	Candidates(frames []watcher.File) []syncstate.Folder
	// Holds reports whether a folder without a product holds most of the very files of another one.
	Holds(files Files) bool
	// MayStandElsewhere reports whether a folder without a product may be a folder that is gone, under
	// another name. The folder that asks does not count.
	MayStandElsewhere(gone, asking syncstate.Folder, files Files) bool
}

// A Predecessor is what the folder was before under another name.
type Predecessor struct {
	Key    syncstate.Folder
	Record syncstate.Record
}

// Predecessor is the folder that is gone from the disk and whose content this one has; nil for
// none, or where a person denied that there is one. leaveOut drops some of them; nil drops none.
func (f Search) Predecessor(
	ctx context.Context, s plan.Scene, leaveOut func(Predecessor) bool,
) (*Predecessor, error) {
	if s.Record.Wishes.NoTwin {
		return nil, nil
	}
	found, err := f.predecessors(ctx, s)
	if err != nil {
		return nil, err
	}
	if leaveOut != nil {
		found = slices.DeleteFunc(found, leaveOut)
	}
	before, err := recogniseAs(s, found, f.Folder.Key)
	if before == nil {
		return nil, err
	}
	if files := FilesOf(before.Record); !files.AreMostlyIn(s.Facts.Snapshot.Frames) && f.Others.Holds(files) {
		return nil, nil // this folder has copies
	}
	return before, nil
}

// IsGone reports whether a folder is not at its place and is gone for good.
func (f Search) IsGone(ctx context.Context, key syncstate.Folder) (bool, error) {
	if stands, answers := f.stands(key); stands || !answers {
		return false, nil
	}
	return f.isGone(ctx, key, false)
}

// predecessors finds the folders that are gone from the disk and whose content this one has. One that
// was missed lately, or is known by a file, may have lost photos since it was recorded, or got others.
func (f Search) predecessors(ctx context.Context, s plan.Scene) (found []Predecessor, _ error) {
	alike := f.Index.unseen(f.stillSince(), s.Set.SizeKey())
	others := slices.DeleteFunc(f.Others.Candidates(s.Facts.Snapshot.Frames), func(key syncstate.Folder) bool {
		return key == f.Folder.Key || slices.Contains(alike, key)
	})
	for i, key := range slices.Concat(alike, others) {
		before, err := f.predecessor(ctx, s, key, i < len(alike))
		if err != nil {
			return nil, err
		}
		if before != nil {
			found = append(found, *before)
		}
	}
	return found, nil
}

// predecessor is a folder if it is gone, and this one has most of its very files or, where its
// content may tell, the same content; else nil.
func (f Search) predecessor(
	ctx context.Context, s plan.Scene, key syncstate.Folder, contentTells bool,
) (*Predecessor, error) {
	asked := time.Now()
	stands, answers := f.stands(key)
	if stands {
		f.Index.seen(key, asked)
		return nil, nil
	}
	record, err := f.Store.Record(key)
	if err != nil {
		return nil, err
	}
	veryFiles := FilesOf(record).AreMostlyIn(s.Facts.Snapshot.Frames)
	if !veryFiles {
		if !contentTells || !answers && !f.Files.IsEmptied(key.Root) {
			return nil, nil
		}
		if same, err := f.continues(ctx, s.Set, record); err != nil || !same {
			return nil, err
		}
	}
	switch {
	case answers:
		if gone, err := f.isGone(ctx, key, veryFiles); err != nil || !gone {
			return nil, err
		}
	case !veryFiles: // which lie in one place
		return nil, outcome.PersonUntil(time.Now().Add(twinsPause), &status.Cause{
			Kind: status.FromEmptied, Name: key.Path, Other: key.Root, Remedy: status.HowToAccept(key.Root),
		})
	}
	return &Predecessor{key, record}, nil
}

// stands reports whether a folder is at its place. answers is false where nobody knows, because its
// drive is away or does not answer. A drive of another root keeps this folder waiting for a moment
// only.
func (f Search) stands(key syncstate.Folder) (stands, answers bool) {
	if key.Root == f.Folder.Key.Root {
		return f.Files.Watcher.Exists(key.Root, key.Path), true
	}
	if !f.Files.Readable(key.Root) || slices.Contains(f.Files.Watcher.Aside(key.Root), key.Path) {
		return false, false
	}
	answer := make(chan bool, 1)
	go func() { answer <- f.Files.Watcher.Exists(key.Root, key.Path) }()
	patience := time.NewTimer(standsPatience)
	defer patience.Stop()
	select {
	case stands := <-answer:
		return stands, true
	case <-patience.C:
		return false, false
	}
}

// isGone reports whether a folder that is not at its place is gone for good. Below another root
// only whole reads prove that, which a read that finds nothing brings about: a drive may be on its
// way out. Very files of the folder in another place prove it too.
func (f Search) isGone(ctx context.Context, key syncstate.Folder, veryFiles bool) (bool, error) {
	elsewhere := key.Root != f.Folder.Key.Root
	switch _, err := f.Files.Watcher.ReadFolder(ctx, key.Root, key.Path); {
	case err == nil:
		return false, nil
	case outcome.NoAccess(err) != nil:
		return veryFiles, nil // else it may stand in the closed directory
	case !watcher.IsGone(err):
		return false, err
	case elsewhere && !veryFiles && !f.Others.IsMissed(key):
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
	missing := FilesOf(r)
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
func (f Search) wasAmong(ctx context.Context, have watcher.File, missing Files) (name string, err error) {
	if name := missing.nameOf(have); name != "" {
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
