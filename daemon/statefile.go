package daemon

import (
	"context"
	"errors"
	"time"

	"spinsync/syncstate"
)

// stateFailure is a change of the state file that did not succeed for certain.
type stateFailure struct{ err error }

func (f stateFailure) Error() string { return "state file: " + f.err.Error() }

func (f stateFailure) Unwrap() error { return f.err }

// mendState opens the state file anew after a failure, so that later reads return the saved state.
// It gives up, and with it the daemon, when the file is damaged or fails again and again: the
// person who started the program should know. For room on a full disk it waits as long as it takes.
func (d *Daemon) mendState(ctx context.Context, cause error) error {
	if errors.Is(cause, syncstate.ErrBroken) {
		return cause
	}
	if time.Since(d.mendedAt) > mendMemory {
		d.mends = 0
	}
	for {
		if d.mends++; d.mends > mendTries && !syncstate.DiskFull(cause) {
			return cause
		}
		d.log.Error("the state file failed; opening it again", "error", cause)
		d.records.trouble.Store(cause.Error())
		if !d.pauseFor(ctx, doubled(time.Second, d.mends-1, longestMend(cause))) {
			return nil
		}
		if err := d.records.Reopen(); err != nil {
			cause = stateFailure{err}
			continue
		}
		select {
		case <-d.records.fatal: // of another folder, for the same reason
		default:
		}
		d.mendedAt = time.Now()
		if err := d.relearn(); err != nil {
			return err
		}
		if err := d.records.Probe(); err != nil {
			cause = stateFailure{err}
			continue
		}
		d.records.works()
		return nil
	}
}

// longestMend is the longest pause before a failing state file is tried again. It is short for a
// full disk: a person who makes room waits for the program to go on.
func longestMend(cause error) time.Duration {
	if syncstate.DiskFull(cause) {
		return fullPause
	}
	return time.Minute
}

// relearn reads the copies that memory keeps of the state file anew. A change that failed may have
// been saved all the same.
func (d *Daemon) relearn() error {
	owners, extents := map[string]syncstate.Folder{}, map[syncstate.Folder]extent{}
	rushed, paused := map[syncstate.Folder]bool{}, map[syncstate.Folder]bool{}
	for key, record := range d.records.Heads() {
		if record.Product.UUID != "" {
			owners[record.Product.UUID] = key
		}
		extents[key] = extentOf(record)
		if record.Rush {
			rushed[key] = true
		}
		paused[key] = record.Paused
	}
	if err := d.records.Err(); err != nil {
		return stateFailure{err}
	}
	all, err := d.records.Paused()
	if err != nil {
		return stateFailure{err}
	}
	d.board.priorities.Replace(rushed)
	d.board.paused.Store(all)
	d.board.mu.Lock()
	defer d.board.mu.Unlock()
	d.owners.replace(owners)
	for key, f := range d.board.folders {
		d.contents.set(f.key, extents[key])
		f.status.Paused = paused[key]
		if !all && !paused[key] {
			f.paused = time.Time{}
		}
	}
	return nil
}
