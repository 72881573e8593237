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

// A mender opens the state file anew after failures.
type mender struct {
	*board
	pulse    pulse
	failures int // in a row
	mended   time.Time
}

// mend opens the state file anew after a failure, so that later reads return the saved state.
// It gives up, and with it the daemon, when the file is damaged or fails again and again: the
// person who started the program should know. For room on a full disk it waits as long as it takes.
func (m *mender) mend(ctx context.Context, cause error) error {
	if time.Since(m.mended) > mendMemory {
		m.failures = 0
	}
	for {
		if errors.Is(cause, syncstate.ErrDamaged) {
			return cause
		}
		if m.failures++; m.failures > mendTries && !syncstate.DiskFull(cause) {
			return cause
		}
		m.Log.Error("the state file failed; opening it again", "error", cause)
		m.Records.WriteFailure.Store(cause.Error())
		if !m.pulse.pause(ctx, schedule.Doubled(time.Second, m.failures-1, longestMend(cause))) {
			return nil
		}
		if err := m.Records.Reopen(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		select {
		case <-m.Records.Fatal: // of another folder, for the same reason
		default:
		}
		m.mended = time.Now()
		if err := m.relearn(); err != nil {
			return err
		}
		if err := m.Records.Probe(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		m.Records.Works()
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
func (m *mender) relearn() error {
	owners, sizes := map[string]syncstate.Folder{}, map[syncstate.Folder]plan.SizeKey{}
	first, paused := map[syncstate.Folder]bool{}, map[syncstate.Folder]bool{}
	for key, record := range m.Records.Heads() {
		owners[record.Product.UUID] = key
		sizes[key] = renamed.SizeKeyOf(record)
		if record.Priority {
			first[key] = true
		}
		paused[key] = record.Paused
	}
	if err := m.Records.Err(); err != nil {
		return publish.StateFailure{Err: err}
	}
	all, err := syncstate.AllPaused.Read(m.Records.Store)
	if err != nil {
		return publish.StateFailure{Err: err}
	}
	m.priorities.Replace(first)
	m.board.paused.Store(all)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Owners.Replace(owners)
	for key, f := range m.folders {
		m.Contents.Set(f.key, sizes[key])
		m.notePause(f, paused[key])
	}
	m.changes.announce()
	return nil
}
