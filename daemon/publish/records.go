package publish

import (
	"sync/atomic"

	"spinsync/syncstate"
)

// Records are the state file, and whether it can be written at present.
type Records struct {
	*syncstate.Store
	Fatal        chan error
	WriteFailure atomic.Value // string: why the file could not be written the last time
}

// NewRecords are those of a state file that can be written.
func NewRecords(store *syncstate.Store) *Records {
	return &Records{Store: store, Fatal: make(chan error, 1)}
}

// Failed stops all work: after a failed commit the recorded state is not known, and nothing may be
// done until the file was read anew.
func (r *Records) Failed(err error) {
	select {
	case r.Fatal <- StateFailure{err}:
	default:
	}
}

// Works notes that the file was written.
func (r *Records) Works() { r.WriteFailure.Store("") }

// StateFailure is a change of the state file that did not succeed for certain.
type StateFailure struct{ Err error }

func (f StateFailure) Error() string { return "state file: " + f.Err.Error() }

func (f StateFailure) Unwrap() error { return f.Err }
