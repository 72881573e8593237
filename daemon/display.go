package daemon

import (
	"maps"
	"path/filepath"
	"sync/atomic"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A display has the status of each folder as the work on it shows it. People see it with what the work
// does not know: whether the folder waits for its turn, goes first or is paused.
type display struct {
	folders    *folders
	queue      *schedule.Queue
	priorities *schedule.Priorities
	publisher  *publish.Publisher
	roots      roots
	active     atomic.Pointer[string] // the active station; nil at a computer alone
	standby    bool                   // another station works
}

// list gives a status its products, but those of an earlier status when these are the same. It
// reports whether they are.
func (d *display) list(current *status.Status, before status.Status) (same bool) {
	changes := d.folders.changes() // before the folders: later changes count for the next status
	entered, standing := d.queue.Entered()
	if before.Generation == (status.Generation{Whole: true, Changes: changes, Entered: entered}) {
		current.Products, current.Generation = before.Products, before.Generation
		return true
	}
	current.Generation = status.Generation{Whole: !standing, Changes: changes, Entered: entered}
	current.Products = make([]status.ProductStatus, 0, len(before.Products))
	for f := range d.folders.inOrder {
		current.Products = append(current.Products, d.shown(f))
		current.Generation.Whole = current.Generation.Whole && !f.busy
	}
	for i := range current.Products {
		d.word(&current.Products[i])
	}
	return false
}

// word gives a status its reason as a sentence.
func (d *display) word(p *status.ProductStatus) {
	name := func(verb string) string { return status.CommandFor(verb, d.NameInShell(p.Key())) }
	p.Reason = status.Sentence(p.Cause, name)
}

// shown is a folder's status as people see it, without its sentence. It is called under the lock of
// folders.
func (d *display) shown(f *folder) status.ProductStatus {
	p := withState(f.status)
	d.ofFleet(&p)
	p.SentBytes, p.Priority = f.sent.Load(), d.priorities.Has(f.key)
	if f.busy {
		p.Sending = d.publisher.Slots.Of(f.key)
		p = withHungDrive(p, d.publisher.Files.Hung(f.key.Root))
	}
	if d.awaitsTurn(f) {
		p.State, p.Cause = status.Queued, status.Because(status.AwaitsTurn)
	}
	return d.folders.pauseOf(f).Over(p)
}

// withHungDrive is the status of a folder that a worker holds. A folder whose files are read waits
// for a drive that does not answer.
func withHungDrive(p status.ProductStatus, hung *status.Cause) status.ProductStatus {
	if hung != nil && (p.State == status.Collecting || p.State == status.Uploading) {
		p.State, p.Cause = status.Retrying, hung
	}
	return p
}

// withState is a status, and for a folder that has no state yet that it was not seen.
func withState(p status.ProductStatus) status.ProductStatus {
	if p.State == "" {
		p.State, p.Cause = status.Collecting, status.Because(status.NotSeen)
	}
	return p
}

// awaitsTurn reports whether a folder has become complete by being quiet and no worker is free for
// it yet. It is called under the lock of folders.
func (d *display) awaitsTurn(f *folder) bool {
	waits := f.last.Action == plan.Wait && !f.last.Until.IsZero()
	return f.status.State == status.Collecting && waits && d.queue.Standing(f.key)
}

// statusOf is a folder's status, with the reasons why frames are not whole, by name.
func (d *display) statusOf(
	key syncstate.Folder,
) (p status.ProductStatus, broken map[string]string, r *reading.Root, err error) {
	if !d.folders.with(key, func(f *folder) { p, broken, r = d.shown(f), f.broken, f.root }) {
		return p, nil, nil, errUnknownFolder
	}
	d.word(&p)
	return p, broken, r, nil
}

// Last is the status of a folder as it was shown last.
func (d *display) Last(key syncstate.Folder) (last status.ProductStatus, known bool) {
	known = d.folders.with(key, func(f *folder) { last = f.status })
	return last, known
}

// Show puts the status of a folder on display.
func (d *display) Show(shown status.ProductStatus) {
	d.folders.change(shown.Key(), func(f *folder) bool {
		f.status = shown
		return true
	})
}

// ShowFrames shows the condition of a folder's frames.
func (d *display) ShowFrames(key syncstate.Folder, c publish.Condition) {
	d.folders.change(key, func(f *folder) (changed bool) {
		now := f.status
		now.Complete, now.Corrupt = c.Complete, c.Corrupt
		if c.Settled >= 0 {
			now.Frames.Settled = c.Settled
		}
		if c.Arrived.After(now.Arrived) {
			now.Arrived = c.Arrived.Round(0).UTC()
		}
		changed = now != f.status || !maps.Equal(f.broken, c.Broken)
		if changed {
			f.status, f.broken = now, c.Broken
		}
		return changed
	})
}

// FrameSent counts one more uploaded frame for those who watch.
func (d *display) FrameSent(key syncstate.Folder) {
	d.folders.change(key, func(f *folder) bool {
		frames := &f.status.Frames
		frames.Uploaded++
		f.status.Cause = &status.Cause{
			Kind: status.Sending, Count: frames.Uploaded, Of: max(frames.Expected, frames.Settled),
		}
		return true
	})
}

// SentBytes counts the bytes of a folder's run under way.
func (d *display) SentBytes(key syncstate.Folder) (sent *atomic.Int64) {
	sent = new(atomic.Int64)
	d.folders.with(key, func(f *folder) { sent = &f.sent })
	return sent
}

// NameInShell is a product folder as a person writes it behind `spinsync retry` in a shell: as the
// export names it, and with the root in front where another root has a folder of the same name.
func (d *display) NameInShell(key syncstate.Folder) string {
	name := key.Path
	for root := range d.roots {
		if root != key.Root && d.folders.knows(syncstate.Folder{Root: root, Path: key.Path}) {
			name = filepath.ToSlash(key.Root) + "/" + key.Path
		}
	}
	return status.ShellWord(name)
}
