package daemon

import (
	"context"
	"errors"
	"time"

	"spinsync/daemon/publish"
	"spinsync/daemon/renamed"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
)

// A reopener opens the state file again after failures.
type reopener struct {
	*board
	pulse    pulse
	failures int // in a row
	reopened time.Time
}

// reopen opens the state file again after a failure, so that later reads return the saved state. It
// gives up, and with it the daemon, when the file is damaged or keeps failing: the person who
// started the program should know. For room on a full disk it waits without a limit.
func (r *reopener) reopen(ctx context.Context, cause error) error {
	if time.Since(r.reopened) > reopenMemory {
		r.failures = 0
	}
	for {
		if errors.Is(cause, syncstate.ErrDamaged) {
			return cause
		}
		if r.failures++; r.failures > reopenTries && !syncstate.DiskFull(cause) {
			return cause
		}
		r.Log.Error("the state file failed; opening it again", "error", cause)
		r.Records.WriteFailure.Store(cause.Error())
		if !r.pulse.pause(ctx, schedule.Doubled(time.Second, r.failures-1, longestReopenPause(cause))) {
			return nil
		}
		if err := r.Records.Reopen(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		select {
		case <-r.Records.Fatal: // of another folder, for the same reason
		default:
		}
		r.reopened = time.Now()
		if err := r.relearn(); err != nil {
			return err
		}
		if err := r.Records.Probe(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		r.Records.Works()
		return nil
	}
}

// longestReopenPause is the longest pause before a failing state file is tried again. It is short for a
// full disk: a person who makes room waits for the program to go on.
func longestReopenPause(cause error) time.Duration {
	if syncstate.DiskFull(cause) {
		return fullPause
	}
	return time.Minute
}

// relearn reads the copies of the state file in memory again. A change that failed may have been
// saved.
func (r *reopener) relearn() error {
	index := new(renamed.Index)
	first, paused := map[syncstate.Folder]bool{}, map[syncstate.Folder]time.Time{}
	for key, record := range r.Records.Heads() {
		index.File(key, record)
		if record.Priority {
			first[key] = true
		}
		paused[key] = record.Paused
	}
	if err := r.Records.Err(); err != nil {
		return publish.StateFailure{Err: err}
	}
	if err := r.readPause(); err != nil {
		return publish.StateFailure{Err: err}
	}
	r.priorities.Replace(first)
	r.Records.Index.Replace(index)
	for _, key := range r.folders.keys() {
		r.folders.change(key, func(f *folder) bool {
			f.paused = paused[key]
			return true
		})
	}
	return nil
}
