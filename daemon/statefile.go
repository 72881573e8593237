package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"spinsync/daemon/publish"
	"spinsync/daemon/renamed"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
)

// A reopener opens the state file again after failures.
type reopener struct {
	board   *board // which reads its copies of the file again
	records *publish.Records
	log     *slog.Logger
	pulse   pulse

	gaveUp   func() bool // with a full disk
	failures int         // in a row
	failing  time.Time   // since when
	reopened time.Time
	outage   atomic.Pointer[outage] // nil while the file can be written
}

// An outage is why the state file cannot be written, and since when.
type outage struct {
	why   string
	since time.Time
}

func newReopener(b *board, p pulse) *reopener {
	return &reopener{
		board: b, records: b.publisher.Records, log: b.publisher.Log, pulse: p, gaveUp: func() bool { return false },
	}
}

// reopen opens the state file again after a failure, so that later reads return the saved state. It
// gives up, and with it the daemon, when the file is damaged, is not at its path any more, or keeps
// failing: the person who started the program should know. For room on a full disk a pass waits some
// minutes, and a daemon without a limit.
func (r *reopener) reopen(ctx context.Context, cause error) error {
	if time.Since(r.reopened) > reopenMemory {
		r.failures, r.failing = 0, time.Now()
	}
	for {
		if errors.Is(cause, syncstate.ErrDamaged) || errors.Is(cause, syncstate.ErrReplaced) {
			return cause
		}
		r.failures++
		full := syncstate.DiskFull(cause)
		if !full && r.failures > reopenTries {
			return cause
		}
		r.outage.Store(&outage{r.records.InWords(cause), r.failing})
		if full && r.gaveUp() {
			return cause
		}
		r.log.Error("the state file failed; opening it again", "error", cause)
		if !r.pulse.pause(ctx, schedule.Doubled(time.Second, r.failures-1, longestReopenPause(cause))) {
			return nil
		}
		if err := r.records.Store.Reopen(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		select {
		case <-r.records.Fatal: // of another folder, for the same reason
		default:
		}
		r.reopened = time.Now()
		if err := r.board.relearn(); err != nil {
			return err
		}
		if err := r.records.Store.Probe(); err != nil {
			cause = publish.StateFailure{Err: err}
			continue
		}
		r.outage.Store(nil)
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
func (b *board) relearn() error {
	index := new(renamed.Index)
	for key, record := range b.publisher.Records.Store.Heads() {
		index.File(key, record)
	}
	if err := b.publisher.Records.Store.Err(); err != nil {
		return publish.StateFailure{Err: err}
	}
	if err := b.readPause(); err != nil {
		return publish.StateFailure{Err: err}
	}
	b.publisher.Records.Index.Replace(index)
	for _, key := range b.folders.keys() {
		b.FollowWishes(key)
	}
	b.folders.changed()
	return b.publisher.Records.Store.Err()
}
