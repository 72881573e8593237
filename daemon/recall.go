package daemon

import (
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// recall fills the folders from the state file, and returns for each root the listings that need no
// second look.
func (d *Daemon) recall() (map[string]map[string]watcher.Idle, error) {
	known := map[string]map[string]watcher.Idle{}
	for key, record := range d.Records.Heads() {
		if record.Trouble != nil {
			d.troubled = append(d.troubled, key)
			d.Service.Breakers.Recall(d.Started, record.Trouble)
		}
		r, watched := d.board.roots[key.Root]
		if record.Product.UUID != "" {
			d.Owners.Set(record.Product.UUID, key)
		}
		if record.Published != nil {
			d.Polls.Observe(record.Published.Images, record.Published.Took, false)
		}
		if !watched {
			continue
		}
		var rested watcher.Idle
		if r.MayRest(record.Settings) && record.Run == nil && record.DeleteSent.IsZero() && !record.Unreconciled && !record.Rush {
			rested.Fingerprint = plan.FingerprintOf(record.Rest)
		}
		if record.Published != nil {
			rested.At = record.Published.At
		}
		if known[key.Root] == nil {
			known[key.Root] = map[string]watcher.Idle{}
		}
		known[key.Root][key.Path] = rested
		f := &folder{key: key, root: r, status: status.ProductOf(key, record), recalled: record.State != "", resumed: record.Run != nil, begun: record.Run != nil, before: standBefore(record)}
		if !r.Rules.Places(key.Path) && f.status.PublishedAt != nil && f.status.State == status.Attention {
			f.status.State, f.status.Cause = status.Published, nil // its problem is told anew
		}
		f.recorded, f.logged = record.Cause, loggedOf(toldBefore(key, record))
		d.Contents.Set(key, renamed.SizeKeyOf(record))
		d.board.priorities.Set(key, record.Rush)
		d.board.folders[key] = f
		d.board.ordered = append(d.board.ordered, f) // heads come in this order
	}
	if err := d.Records.Err(); err != nil {
		return nil, err
	}
	paused, err := d.Records.Paused()
	if err != nil {
		return nil, err
	}
	d.board.paused.Store(paused)
	d.unopened, err = d.Records.FromBackup()
	return known, err
}

// toldBefore is a folder's status as people were told of it last, be it before a pause.
func toldBefore(key syncstate.Folder, r syncstate.Record) status.ProductStatus {
	if before := r.Before; before != nil && status.State(r.State) == status.Paused {
		r.State, r.Cause = before.State, before.Cause
	}
	return status.ProductOf(key, r)
}
