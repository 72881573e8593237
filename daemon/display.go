package daemon

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// list gives a status its products, but those of an earlier status when these are the same. It
// reports whether they are.
func (b *board) list(current *status.Status, before status.Status) (same bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entered, standing := b.queue.Entered()
	if before.Generation == (status.Generation{Whole: true, Changes: b.changes.generation, Entered: entered}) {
		current.Products, current.Generation = before.Products, before.Generation
		return true
	}
	current.Generation = status.Generation{Whole: !standing, Changes: b.changes.generation, Entered: entered}
	current.Products = make([]status.ProductStatus, 0, len(b.folders))
	for _, f := range b.inOrder() {
		current.Products = append(current.Products, b.shown(f))
		current.Generation.Whole = current.Generation.Whole && !f.busy
	}
	return false
}

// inOrder are all folders by root, then path. The mutex is held.
func (b *board) inOrder() []*folder {
	if b.ordered == nil {
		b.ordered = slices.SortedFunc(maps.Values(b.folders), func(a, b *folder) int { return byPlace(a.key, b.key) })
	}
	return b.ordered
}

// shown is a folder's status as people see it. The mutex is held.
func (b *board) shown(f *folder) status.ProductStatus {
	p := f.status
	if p.State == "" {
		p.State, p.Cause = status.Collecting, status.Because(status.NotSeen)
	}
	p.SentBytes, p.Priority = f.sent.Load(), b.priorities.Has(f.key)
	if f.busy {
		p.Sending = b.Slots.Of(f.key)
	}
	if b.awaitsTurn(f) {
		p.State, p.Cause = status.Queued, status.Because(status.AwaitsTurn)
	}
	p = b.pauseOf(f).Over(p)
	p.Reason = status.Sentence(p.Cause, func(verb string) string { return status.CommandFor(verb, b.shellName(f.key)) })
	return p
}

// awaitsTurn reports whether a folder has become complete by being quiet and no worker is free for
// it yet. The mutex is held.
func (b *board) awaitsTurn(f *folder) bool {
	waits := f.last.Action == plan.Wait && !f.last.Until.IsZero()
	return f.status.State == status.Collecting && waits && b.queue.Standing(f.key)
}

// sortProducts sorts by root, then folder.
func sortProducts(products []status.ProductStatus) {
	slices.SortFunc(products, func(a, b status.ProductStatus) int { return byPlace(a.Key(), b.Key()) })
}

func byPlace(a, b syncstate.Folder) int {
	return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Path, b.Path))
}

// statusOf is a folder's status, with the reasons why frames are not whole, by name.
func (b *board) statusOf(key syncstate.Folder) (status.ProductStatus, map[string]string, *reading.Root, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok {
		return status.ProductStatus{}, nil, nil, errUnknownFolder
	}
	return b.shown(f), f.broken, f.root, nil
}

func (b *board) changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes.next
}

// A savedStatus is a state, and since when the folder is in it.
type savedStatus struct {
	state status.State
	since time.Time
}

// since is when a folder came into its present state. A folder that was only looked at, and is found
// as before, never left its state. The mutex is held.
func (f *folder) since(state status.State) time.Time {
	switch {
	case state == f.status.State:
		return f.status.Since
	case state == f.before.state:
		return f.before.since
	}
	return status.WholeSecond(time.Now())
}

// Show puts a known folder's status on display, with the time since when it is in that state. It
// reports whether the state is another one. A step that a pause holds up leaves the reason of a state
// that stands.
func (b *board) Show(told *status.ProductStatus, next plan.Step) (known, news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[told.Key()]
	if !ok {
		return false, false
	}
	news = f.status.State != told.State
	if next.State == status.Paused && !news {
		told.Cause, told.Detail = f.status.Cause, f.status.Detail
	}
	told.Since, told.Arrived = f.since(told.State), f.status.Arrived
	told.Complete, told.Corrupt = f.status.Complete, f.status.Corrupt
	switch {
	case !next.Looks():
		f.before = savedStatus{}
	case f.before == savedStatus{}:
		f.before = savedStatus{f.status.State, f.status.Since}
	}
	f.status = *told
	b.changes.announce()
	return true, news
}

// ShowFrames puts on display how the frames of a folder stand.
func (b *board) ShowFrames(key syncstate.Folder, c publish.Condition) {
	b.with(key, func(f *folder) {
		now := f.status
		now.Complete, now.Corrupt = c.Complete, c.Corrupt
		if c.Settled >= 0 {
			now.Frames.Settled = c.Settled
		}
		if c.Arrived.After(now.Arrived) {
			now.Arrived = c.Arrived.Round(0).UTC()
		}
		if now != f.status || !maps.Equal(f.broken, c.Broken) {
			f.status, f.broken = now, c.Broken
			b.changes.announce()
		}
	})
}

// FrameSent counts one more uploaded frame for those who watch.
func (b *board) FrameSent(key syncstate.Folder) {
	b.with(key, func(f *folder) {
		frames := &f.status.Frames
		frames.Uploaded++
		f.status.Cause = &status.Cause{
			Kind: status.Sending, Count: frames.Uploaded, Of: max(frames.Expected, frames.Settled),
		}
		b.changes.announce()
	})
}
