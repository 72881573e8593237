package daemon

import (
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// keepReasons records the reasons that people were told last. While the daemon runs only changes of
// the state are recorded, because a reason changes with each frame.
func (b *board) keepReasons() {
	for _, told := range b.unrecorded() {
		record, err := b.Records.Head(told.Key())
		if err != nil {
			b.Records.Failed(err)
			return
		}
		if record.State != "" && !record.Cause.Same(told.Cause) {
			b.keepStatus(told)
		}
	}
}

func (b *board) keepStatus(told status.ProductStatus) {
	err := b.Records.Update(told.Key(), func(r *syncstate.Record) error { told.Keep(r); return nil })
	if err != nil {
		b.Records.Failed(err)
	}
}

// unrecorded lists the statuses whose reason the state file may not have.
func (b *board) unrecorded() []status.ProductStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []status.ProductStatus
	for _, f := range b.folders {
		if p := b.shown(f); !p.Cause.Same(f.recorded) {
			all = append(all, p)
		}
	}
	sortProducts(all)
	return all
}

// NoteRecorded notes the reason that the state file gives for a folder's state.
func (b *board) NoteRecorded(told *status.ProductStatus) {
	b.with(told.Key(), func(f *folder) { f.recorded = told.Cause })
}
