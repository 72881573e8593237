package daemon

import (
	"fmt"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
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

// LostStateFile tells a person that the state file is gone; empty when it is there or never was.
func LostStateFile(path string) string {
	if !syncstate.Lost(path) {
		return ""
	}
	return fmt.Sprintf("the state file %s is gone since it was used last; put it back, or the next `spinsync run`, "+
		"`spinsync sync` or `spinsync rebuild` makes it anew from the service and the folders", path)
}

// recoveryTold tells how far the comparison is; empty when there is none. A folder that waits for
// its frames or for a person tells that itself.
func recoveryTold(products []status.ProductStatus, unopened bool) string {
	left := 0
	for _, p := range products {
		if p.IsReconciling() {
			left++
		}
	}
	switch {
	case unopened:
		return "the state file is older than the one that was used last, as from a backup; " +
			"the next run or sync compares every product folder with the service before anything else"
	case left == 0:
		return ""
	}
	return fmt.Sprintf("the state file is new or from a backup: %d of %d product folders are still to be compared with the service, "+
		"and nothing is uploaded for them before", left, len(products))
}

// logRecovery tells at the start that folders are compared with the service first.
func (d *Daemon) logRecovery() {
	known := 0
	for _, p := range d.Status().Products {
		if p.Unreconciled {
			known++
		}
	}
	if known > 0 {
		d.Log.Warn("the state file is older than the one that was used last, as from a backup; "+
			"the product folders that it knows are compared with the service before anything else", "folders", known)
	}
	for _, r := range d.board.roots {
		if !r.Reconciled.Load() {
			d.Log.Info("the state file does not know the root yet; its product folders are looked for on the service "+
				"before anything else", "root", r.Watch.Path)
		}
	}
}

// rememberReconciled records that every folder of a root is recorded, reconciled or marked. A
// folder that appears from then on is a new one.
func (b *board) rememberReconciled() {
	for _, status := range b.Files.Roots() {
		r := b.roots[status.Path]
		if r.Reconciled.Load() || !status.Online || status.LastRead.IsZero() || !b.allRecorded(r) {
			continue
		}
		if err := b.Records.SetReconciled(r); err != nil {
			b.Records.Failed(err)
			return
		}
	}
}

// allRecorded reports whether a worker has had every folder of a root.
func (b *board) allRecorded(r *reading.Root) bool {
	if _, standing := b.queue.Entered(); standing || !b.Files.Delivered() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.folders {
		if f.root == r && !f.gone && (f.busy || f.status.State == "") {
			return false
		}
	}
	return true
}

// IsAnothers reports whether another folder has the very name of a product.
func (b *board) IsAnothers(key syncstate.Folder, project apiclient.Project, p apiclient.Product) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for other, f := range b.folders {
		is, err := f.root.Rules.ProductOf(other.Path, config.Product{})
		if err == nil && other != key && !f.gone && hosting.SameLetters(is.SKU, p.SKU) && hosting.SameLetters(is.Title, p.Title) &&
			(is.Project == project.UUID || hosting.SameLetters(is.Project, project.Title)) {
			return true
		}
	}
	return false
}
