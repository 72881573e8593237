package reading

import (
	"context"
	"slices"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/clock"
)

// UnreadPause is the time after which a file is tried again that could not be read, for instance
// because another program keeps it locked.
const UnreadPause = time.Minute

// A Folder is a product folder with all that was read of it. One goroutine at a time changes it.
type Folder struct {
	Key      syncstate.Folder
	Root     *Root
	Snapshot watcher.Snapshot
	Readings map[string]plan.Reading // by the frame's name
	Problems []alttext.Problem

	files   Files
	product productFile
	row     products.Row // of the products file
	texts   alttext.Texts
	textsOf textSource

	Recalled bool                      // an earlier process knew the folder, and this process has not read it yet
	stood    map[string]syncstate.File // frames of a recalled folder when it was first read, by name
	blind    *plan.Blind               // why files could not be read the last time; nil once they were
	blindAt  watcher.Fingerprint       // the listing of which that holds
}

// New is a folder of which nothing was read.
func New(files Files, key syncstate.Folder, root *Root) *Folder {
	return &Folder{files: files, Key: key, Root: root}
}

// Facts is all that is known of the folder now. Of its record, the product and the trouble count.
func (p *Folder) Facts(now time.Time, record syncstate.Record) plan.Facts {
	p.noteFirstLook()
	f := plan.Facts{
		Snapshot: p.Snapshot, Readings: p.current(now), Stood: p.stood, Network: p.OnNetwork(),
		Outside: !p.Root.Rules.Places(p.Key.Path),
	}
	f.Snapshot.Changed = awake(p.Snapshot, clock.Overslept())
	if p.blind != nil && p.blindAt == p.Snapshot.Fingerprint && now.Before(p.blind.Until) {
		f.Blind = p.blind
	}
	f.Rules, f.Wanted, f.Row, f.Unidentified = p.identify(record.Product.SKU)
	if p.textsOf == p.sourceOfTexts(f) {
		f.Texts.Said = p.texts
		f.Texts.Partly = slices.ContainsFunc(p.Problems, func(p alttext.Problem) bool { return p.Unread })
	}
	p.row, f.Settings = f.Row, p.Root.SettingsOf(f.Row)
	if t := record.Trouble; t != nil && t.Cause.Is(status.Deadly) && f.IsContent(t.Content) {
		f.Blind = &plan.Blind{Err: errDeadly}
	}
	if f.Outside {
		f.Rules.Frames = 0
	}
	return f
}

// Offline is why the folder's root cannot be read, although it was read before; nil when it can.
func (p *Folder) Offline() *status.Cause { return p.files.offline(p.Key.Root) }

// awake is when a folder changed last, without the sleep of the machine since its last snapshot:
// nothing has changed in that time, and yet nobody was done.
func awake(s watcher.Snapshot, overslept time.Duration) time.Time {
	if s.Changed.IsZero() {
		return s.Changed
	}
	return s.Changed.Add(overslept - s.Overslept)
}

// noteFirstLook notes what a folder that an earlier process knew had when it was first read.
func (p *Folder) noteFirstLook() {
	if !p.Recalled || p.Snapshot.Idle || !p.Snapshot.Present || p.Snapshot.Err != nil {
		return
	}
	p.Recalled, p.stood = false, map[string]syncstate.File{}
	for _, f := range p.Snapshot.Frames {
		p.stood[f.Name] = plan.FileOf(f)
	}
}

// Look lists the folder as it is now. It fails where the folder cannot be read, as watcher.IsGone
// where it is not there.
func (p *Folder) Look(ctx context.Context) (watcher.Snapshot, error) {
	return p.files.Watcher.ReadFolder(ctx, p.Key.Root, p.Key.Path)
}

// HasLeft reports whether the folder was at its place, and is not there any more.
func (p *Folder) HasLeft() bool {
	return p.Snapshot.Present && !p.files.Watcher.Exists(p.Key.Root, p.Key.Path)
}

// OnNetwork reports whether the folder lies on a network drive.
func (p *Folder) OnNetwork() bool { return p.files.onNetwork(p.Key.Root) }

// Content is how the listing of the folder, the rules of its root and its row in the products file
// are recorded.
func (p *Folder) Content() string { return plan.ContentOf(p.Snapshot, p.Root.SettingsOf(p.row)) }

// Read reads what is needed of the folder's files. Where that fails, nothing is read for a while,
// unless the listing changes.
func (p *Folder) Read(ctx context.Context, facts plan.Facts, need plan.Need) error {
	err := p.read(ctx, facts, need)
	switch {
	case err == nil:
		p.blind = nil
	case ctx.Err() == nil && !outcome.Is(err, outcome.Changed) && !outcome.Is(err, outcome.Panicked):
		p.blind, p.blindAt = &plan.Blind{Err: err, Until: readAgainAt(err)}, p.Snapshot.Fingerprint
	}
	return err
}

// read reads what is needed, with a mark for the next process.
func (p *Folder) read(ctx context.Context, facts plan.Facts, need plan.Need) error {
	done, err := p.files.Marks.begin(ctx, p.Key, p.Snapshot.Fingerprint)
	if err != nil {
		return err
	}
	defer done()
	if need.Texts {
		return p.ReadTexts(ctx, facts, need.Frames)
	}
	return p.ReadFrames(ctx, need.Frames, need.Digest)
}

// ForgetDeaths has the folder read again, as if no process had died over it.
func (p *Folder) ForgetDeaths() {
	p.files.Marks.forget(p.Key)
	p.blind = nil
}

func readAgainAt(err error) time.Time {
	if o := outcome.Of(err); o != nil && !o.Until.IsZero() {
		return o.Until
	}
	return time.Now().Add(plan.AccessPause)
}

// SetIdle notes that the listing of the folder is done with, see watcher.SetIdle.
func (p *Folder) SetIdle() {
	p.files.Watcher.SetIdle(p.Key.Root, p.Key.Path, p.Snapshot.Fingerprint)
}

// LetGo drops the data that a folder needs only while something is owed. Most folders are at rest,
// and these are to take little memory.
func (p *Folder) LetGo(live bool) {
	p.Snapshot = IdleSnapshotOf(p.Snapshot).Of(p.Key)
	p.Readings = nil
	if live {
		p.stood = nil // only a set that is not live yet asks which photos are from before the start
	}
	p.ForgetTexts()
}
