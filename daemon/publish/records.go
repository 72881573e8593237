package publish

import (
	"errors"

	"spinsync/daemon/renamed"
	"spinsync/syncstate"
)

// Records are the state file, the index of its folders, and what makes it fail. A record is changed by
// their methods, never by those of the store: the index has each change.
type Records struct {
	Store *syncstate.Store
	Index *renamed.Index
	Fatal chan error
}

// NewRecords are those of a state file that can be written.
func NewRecords(store *syncstate.Store) *Records {
	return &Records{Store: store, Index: new(renamed.Index), Fatal: make(chan error, 1)}
}

// Update is that of the store, and files the record in the index.
func (r *Records) Update(key syncstate.Folder, fn func(*syncstate.Record) error) error {
	return r.Store.Update(key, r.filing(key, fn))
}

// UpdatePatiently is that of the store, and files the record in the index.
func (r *Records) UpdatePatiently(key syncstate.Folder, fn func(*syncstate.Record) error) error {
	return r.Store.UpdatePatiently(key, r.filing(key, fn))
}

// filing files a record within the transaction that saves it, so that the index has the changes in
// the order of the file. Where the transaction fails, the file is read again.
func (r *Records) filing(
	key syncstate.Folder, fn func(*syncstate.Record) error,
) func(*syncstate.Record) error {
	return func(record *syncstate.Record) error {
		if err := fn(record); err != nil {
			return err
		}
		r.Index.File(key, *record)
		return nil
	}
}

// Move is that of the store, also in the index.
func (r *Records) Move(from, to syncstate.Folder, change func(*syncstate.Record) error) error {
	err := r.Store.Move(from, to, change)
	if err == nil {
		r.Index.Move(from, to)
	}
	return err
}

// Delete is that of the store, also in the index.
func (r *Records) Delete(key syncstate.Folder) error {
	err := r.Store.Delete(key)
	if err == nil {
		r.Index.Drop(key)
	}
	return err
}

// Failed stops all work: after a failed commit the recorded state is not known, and nothing may be
// done until the file was read again.
func (r *Records) Failed(err error) {
	if errors.Is(err, syncstate.ErrNotActive) {
		return // the file is well, and this daemon is about to end
	}
	select {
	case r.Fatal <- StateFailure{err}:
	default:
	}
}

// InWords is why the file cannot be written, for people.
func (r *Records) InWords(failure error) string {
	if syncstate.DiskFull(failure) {
		return "the disk with the state file " + r.Store.Path() + " is full; make room on it, and spinsync goes on by itself"
	}
	return failure.Error()
}

// StateFailure is a change of the state file that did not succeed for certain.
type StateFailure struct{ Err error }

func (f StateFailure) Error() string { return "state file: " + f.Err.Error() }

func (f StateFailure) Unwrap() error { return f.Err }
