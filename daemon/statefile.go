package daemon

import (
	"context"
	"errors"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/renamed"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
)

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
		d.Log.Error("the state file failed; opening it again", "error", cause)
		d.Records.Trouble.Store(cause.Error())
		if !d.pauseFor(ctx, schedule.Doubled(time.Second, d.mends-1, longestMend(cause))) {
			return nil
		}
		if err := d.Records.Reopen(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		select {
		case <-d.Records.Fatal: // of another folder, for the same reason
		default:
		}
		d.mendedAt = time.Now()
		if err := d.relearn(); err != nil {
			return err
		}
		if err := d.Records.Probe(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		d.Records.Works()
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
	owners, extents := map[string]syncstate.Folder{}, map[syncstate.Folder]plan.SizeKey{}
	rushed, paused := map[syncstate.Folder]bool{}, map[syncstate.Folder]bool{}
	for key, record := range d.Records.Heads() {
		if record.Product.UUID != "" {
			owners[record.Product.UUID] = key
		}
		extents[key] = renamed.SizeKeyOf(record)
		if record.Rush {
			rushed[key] = true
		}
		paused[key] = record.Paused
	}
	if err := d.Records.Err(); err != nil {
		return publish.StateFailure{Err: err}
	}
	all, err := d.Records.Paused()
	if err != nil {
		return publish.StateFailure{Err: err}
	}
	d.board.priorities.Replace(rushed)
	d.board.paused.Store(all)
	d.board.mu.Lock()
	defer d.board.mu.Unlock()
	d.Owners.Replace(owners)
	for key, f := range d.board.folders {
		d.Contents.Set(f.key, extents[key])
		f.status.Paused = paused[key]
		if !all && !paused[key] {
			f.paused = time.Time{}
		}
	}
	return nil
}
