package daemon

import (
	"errors"
	"sync/atomic"

	"spinsync/syncstate"
)

// records are the state file, and whether it can be written at present.
type records struct {
	*syncstate.Store
	fatal   chan error
	trouble atomic.Value // string: why the file could not be written the last time
}

func newRecords(store *syncstate.Store) *records {
	return &records{Store: store, fatal: make(chan error, 1)}
}

// failed stops all work: after a failed commit the recorded state is not known, and nothing may be
// done until the file was read anew. The damaged record of one folder stops nothing: the step for
// that folder tells it.
func (r *records) failed(err error) {
	if errors.Is(err, syncstate.ErrDamaged) {
		return
	}
	select {
	case r.fatal <- stateFailure{err}:
	default:
	}
}

// works notes that the file was written.
func (r *records) works() { r.trouble.Store("") }
