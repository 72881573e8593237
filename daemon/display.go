package daemon

import (
	"maps"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// list gives a status its products, but those of an earlier status when these are the same. It
// reports whether they are.
func (b *board) list(current *status.Status, before status.Status) (same bool) {
	changes := b.folders.changes() // before the folders: later changes count for the next status
	entered, standing := b.queue.Entered()
	if before.Generation == (status.Generation{Whole: true, Changes: changes, Entered: entered}) {
		current.Products, current.Generation = before.Products, before.Generation
		return true
	}
	current.Generation = status.Generation{Whole: !standing, Changes: changes, Entered: entered}
	current.Products = make([]status.ProductStatus, 0, len(before.Products))
	for f := range b.folders.inOrder {
		current.Products = append(current.Products, b.shown(f))
		current.Generation.Whole = current.Generation.Whole && !f.busy
	}
	for i := range current.Products {
		b.word(&current.Products[i])
	}
	return false
}

// word gives a status its reason as a sentence.
func (b *board) word(p *status.ProductStatus) {
	name := func(verb string) string { return status.CommandFor(verb, b.NameInShell(p.Key())) }
	p.Reason = status.Sentence(p.Cause, name)
}

// shown is a folder's status as people see it, without its sentence. It is called under the lock of
// folders.
func (b *board) shown(f *folder) status.ProductStatus {
	p := withState(f.status)
	p.SentBytes, p.Priority = f.sent.Load(), b.priorities.Has(f.key)
	if f.busy {
		p.Sending = b.publisher.Slots.Of(f.key)
	}
	if b.awaitsTurn(f) {
		p.State, p.Cause = status.Queued, status.Because(status.AwaitsTurn)
	}
	return b.folders.pauseOf(f).Over(p)
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
func (b *board) awaitsTurn(f *folder) bool {
	waits := f.last.Action == plan.Wait && !f.last.Until.IsZero()
	return f.status.State == status.Collecting && waits && b.queue.Standing(f.key)
}

// statusOf is a folder's status, with the reasons why frames are not whole, by name.
func (b *board) statusOf(
	key syncstate.Folder,
) (p status.ProductStatus, broken map[string]string, r *reading.Root, err error) {
	if !b.folders.with(key, func(f *folder) { p, broken, r = b.shown(f), f.broken, f.root }) {
		return p, nil, nil, errUnknownFolder
	}
	b.word(&p)
	return p, broken, r, nil
}

// Last is the status of a folder as it was shown last.
func (b *board) Last(key syncstate.Folder) (last status.ProductStatus, known bool) {
	known = b.folders.with(key, func(f *folder) { last = f.status })
	return last, known
}

// Show puts the status of a folder on display.
func (b *board) Show(shown status.ProductStatus) {
	b.folders.change(shown.Key(), func(f *folder) bool {
		f.status = shown
		return true
	})
}

// ShowFrames shows the condition of a folder's frames.
func (b *board) ShowFrames(key syncstate.Folder, c publish.Condition) {
	b.folders.change(key, func(f *folder) (changed bool) {
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
func (b *board) FrameSent(key syncstate.Folder) {
	b.folders.change(key, func(f *folder) bool {
		frames := &f.status.Frames
		frames.Uploaded++
		f.status.Cause = &status.Cause{
			Kind: status.Sending, Count: frames.Uploaded, Of: max(frames.Expected, frames.Settled),
		}
		return true
	})
}
