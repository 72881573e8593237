package reading

import (
	"slices"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/syncstate"
	"spinsync/watcher"
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
	textsOf watcher.Fingerprint // the listing the texts were read from

	Recalled   bool      // an earlier process knew the folder, and this process did not look yet
	firstLook  time.Time // at a recalled folder
	blindUntil time.Time // frames could not be read, and are not tried before
}

// New is a folder of which nothing was read.
func New(files Files, key syncstate.Folder, root *Root) *Folder {
	return &Folder{files: files, Key: key, Root: root}
}

// Fill gives a scene all known facts of the folder.
func (p *Folder) Fill(s *plan.Scene) {
	p.noteFirstLook()
	s.Snapshot, s.Readings, s.FirstLook, s.BlindUntil = p.Snapshot, p.Readings, p.firstLook, p.blindUntil
	s.Network, s.Around.Offline = p.OnNetwork(), p.files.offline(p.Key.Root)
	if p.textsOf == p.Snapshot.Fingerprint {
		s.Texts.Said = p.texts
		s.Texts.Partly = slices.ContainsFunc(p.Problems, func(p alttext.Problem) bool { return p.Unread })
	}
	s.Stopped = p.isStopped(&s.Record)
	s.Rules, s.Wanted, s.Row, s.Unidentified = p.identify(&s.Record)
	p.row, s.Settings = s.Row, p.Root.SettingsOf(s.Row)
	if s.Outside = !s.Rules.Places(p.Key.Path); s.Outside {
		s.Rules.Frames = 0
	}
}

// noteFirstLook notes when a folder that an earlier process knew was first looked at.
func (p *Folder) noteFirstLook() {
	if !p.Recalled || p.Snapshot.Idle || !p.Snapshot.Present || len(p.Snapshot.Frames) == 0 {
		return
	}
	p.Recalled = false
	for _, f := range p.Snapshot.Frames {
		if f.Since.After(p.firstLook) {
			p.firstLook = f.Since
		}
	}
}

// OnNetwork reports whether the folder lies on a network drive.
func (p *Folder) OnNetwork() bool { return p.files.onNetwork(p.Key.Root) }

// Content is how the listing of the folder, the rules of its root and its row in the products file
// are recorded.
func (p *Folder) Content() string { return plan.ContentOf(p.Snapshot, p.Root.SettingsOf(p.row)) }

// Blind has no frame read for a while, because one could not be read.
func (p *Folder) Blind() { p.blindUntil = time.Now().Add(UnreadPause) }

// LetGo drops the data that a folder needs only while something is owed. Most folders are at rest,
// and these are to take little memory.
func (p *Folder) LetGo() {
	p.Snapshot = IdleSnapshotOf(p.Snapshot).Of(p.Key)
	p.Readings = nil
	p.ForgetTexts()
}
