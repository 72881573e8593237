package daemon

import (
	"fmt"

	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A state file that is new, lost or from a backup tells less than the service knows. So each folder
// that it tells of, and each folder that stands below a root it does not know yet, is unreconciled:
// before anything else is done for such a folder, it is compared with the service. A view that
// shows what is recorded stays as it is, one that shows exactly the folder's frames is recorded as
// published, and any other one gets a new upload. Where nothing tells whether a view is the
// folder's, a person is asked. The authors of alt texts from that time are not known: the texts
// count as those of others.

// A recovery follows the comparison of the folders on a board.
type recovery struct{ *board }

// remember records that every folder of a root with any frame is reconciled. A folder that
// appears from then on is a new one. A root without any folder may lack its drive.
func (b recovery) remember() {
	for _, status := range b.Files.Roots() {
		r := b.roots[status.Path]
		if r.Reconciled.Load() || !status.Online || !b.isOver(r) {
			continue
		}
		if err := b.setReconciled(r); err != nil {
			b.Records.Failed(err)
			return
		}
	}
}

// setReconciled records that all folders of a root were compared with the service.
func (b recovery) setReconciled(of *reading.Root) error {
	err := b.Records.UpdateRoot(of.Watch.Path, func(record *syncstate.RootRecord) error {
		record.Reconciled = true
		return nil
	})
	if err == nil {
		of.Reconciled.Store(true)
	}
	return err
}

// isOver reports whether a worker has had every folder of a root, there is one, and none is
// left to reconcile: it may get another name meanwhile.
func (b recovery) isOver(r *reading.Root) bool {
	if _, standing := b.queue.Entered(); standing || !b.Files.Delivered() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	some := false
	for _, f := range b.folders {
		if f.root != r || f.gone {
			continue
		}
		if f.busy || f.status.State == "" || f.status.AwaitsReconcile() {
			return false
		}
		some = true
	}
	return some
}

// recoveryTold tells how far the comparison is; empty when there is none.
func recoveryTold(products []status.ProductStatus, unopened bool) string {
	left := 0
	for _, p := range products {
		if p.IsReconciling() {
			left++
		}
	}
	switch {
	case unopened:
		return "the state file is older than the last one in use, as from a backup; " +
			"the next run or sync first compares every product folder with the service"
	case left == 0:
		return ""
	}
	return fmt.Sprintf("the state file is new or from a backup: %d of %d product folders "+
		"are still to be compared with the service, "+
		"and spinsync uploads nothing for them before that", left, len(products))
}

// log tells at the start that folders are compared with the service first.
func (b recovery) log() {
	b.mu.Lock()
	older := 0 // published folders; a new state file has no such folder that is not reconciled
	for _, f := range b.folders {
		if f.status.IsReconciling() && f.status.PublishedAt != nil {
			older++
		}
	}
	b.mu.Unlock()
	if older > 0 {
		b.Log.Warn("the state file is older than the last one in use, as from a backup; spinsync first compares " +
			status.Counted(older, "published product folder") + " with the service")
	}
	for _, r := range b.roots {
		if !r.Reconciled.Load() {
			b.Log.Info("spinsync first compares the product folders of the root with the service", "root", r.Watch.Path)
		}
	}
}
