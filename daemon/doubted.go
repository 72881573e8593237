package daemon

import (
	"fmt"
	"maps"
	"slices"

	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A state file that is new, or replaces a lost one, knows less than the service. So each folder
// below a root that it does not know yet is doubted: it is compared with the service before
// anything else is done for it. The authors of alt texts from before are not known: the texts count
// as those of others.

// noteKnownRoots records the roots that are known from now on: a worker has had every folder, there
// is one, and those that are still doubted wait for their marker or a person. A folder that appears
// below a known root is a new one. A root without any folder may lack its drive.
func (b *board) noteKnownRoots() {
	for _, status := range b.publisher.Files.Watcher.Roots() {
		r := b.roots[status.Path]
		if r.Known.Load() || !status.Online || !b.isReadThrough(r) {
			continue
		}
		if err := b.setKnown(r); err != nil {
			b.publisher.Records.Failed(err)
			return
		}
	}
}

// noteAddedRoots notes the roots that came into sync.toml while the state file was in use: it would
// know the views of their folders. They count as known, unless one may be another root with a new
// path.
func (b *board) noteAddedRoots() {
	isKnown := func(r *reading.Root) bool { return r.Known.Load() }
	if !slices.ContainsFunc(slices.Collect(maps.Values(b.roots)), isKnown) {
		return
	}
	for _, r := range b.roots {
		if !r.Met {
			r.Added = true
			r.Known.Store(len(b.publisher.Unwatched) == 0)
		}
	}
}

// setKnown records that all folders of a root were compared with the service.
func (b *board) setKnown(of *reading.Root) error {
	err := b.publisher.Records.Store.UpdateRoot(of.Path, func(record *syncstate.RootRecord) error {
		record.Known = true
		return nil
	})
	if err == nil {
		of.Known.Store(true)
	}
	return err
}

// isReadThrough reports whether a worker has had every folder of a root, and there is one. A directory
// that cannot be read may hold more. A folder that waits for its marker or for a person may do so for
// long: it stays doubted while others are new ones.
func (b *board) isReadThrough(r *reading.Root) bool {
	if _, standing := b.queue.Entered(); standing || !b.publisher.Files.Watcher.Delivered() {
		return false
	}
	some := false
	for f := range b.folders.each {
		if f.root != r || f.gone || f.status.Cause.Is(status.AwaitsMarker) || f.waitsForPerson() {
			continue
		}
		if f.status.Product == "" && !r.Rules.Places(f.key.Path) {
			return false
		}
		if f.busy || f.status.State == "" || f.status.AwaitsComparison() {
			return false
		}
		some = true
	}
	return some
}

// waitsForPerson reports whether a folder waits for a person for its own sake, and not because of the
// service or the state file. It is called under the lock of folders.
func (f *folder) waitsForPerson() bool {
	return !f.busy && f.last.Action == plan.Idle && f.last.State == status.Attention && !f.last.Cause.Is(status.StateFileFailed)
}

// stillDoubted is the sentence about folders that are not compared yet; empty for none.
func stillDoubted(products []status.ProductStatus) string {
	left := 0
	for _, p := range products {
		if p.IsBeingCompared() {
			left++
		}
	}
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s must first be compared with the service; spinsync uploads nothing for them before that",
		left, status.Counted(len(products), "product folder"))
}

// logUnknownRoots logs at the start that folders are compared with the service first.
func (b *board) logUnknownRoots() {
	for _, r := range b.roots {
		if !r.Known.Load() {
			b.publisher.Log.Info("spinsync first compares the product folders with the service", "root", r.Path)
		}
	}
}
