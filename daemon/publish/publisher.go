package publish

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Board lets a job see the folders beside its own, and shows people how each folder stands.
type Board interface {
	// What a job asks about the others, and finds out about them.
	TakeLatest(key syncstate.Folder, have watcher.Snapshot) watcher.Snapshot
	NameInShell(key syncstate.Folder) string
	Namesake(key syncstate.Folder, in apiclient.Project, sku, title string) string
	Around(key syncstate.Folder, absent *watcher.Absence) plan.Around
	IsPaused(key syncstate.Folder) bool
	IsMissed(key syncstate.Folder) bool
	New(root string, bytes int64) []syncstate.Folder
	Hold(key syncstate.Folder) (unchecked bool, release func(), free bool)
	Renamed(from, to syncstate.Folder)
	Forget(key syncstate.Folder)

	// What people see.
	Show(told *status.ProductStatus, next plan.Step) (known, news bool)
	ShowFrames(key syncstate.Folder, c Condition)
	NoteLogEntry(told status.ProductStatus) bool
	SentBytes(key syncstate.Folder) *atomic.Int64
	FrameSent(key syncstate.Folder)
	FollowPriority(key syncstate.Folder)
}

// A Condition is how the frames of a folder stand.
type Condition struct {
	status.TableSignal
	Settled int               // frames; -1 as before
	Broken  map[string]string // why frames are not whole, by name
}

// A Publisher is what the jobs of all folders have in common.
type Publisher struct {
	Files   reading.Files
	Service *hosting.Service
	Records *Records
	Board   Board
	Log     *slog.Logger
	Metrics *metrics.Metrics

	Slots    *schedule.Slots
	Throttle *schedule.Throttle
	Poll     config.Poll

	// Unwatched are the roots that are recorded, and not watched any more. A folder below one of them
	// has its product until the folder of its path and name below another root takes its record.
	Unwatched []string

	Started      time.Time // of the process
	Random       func(n int64) int64
	StaggerPause func(folder syncstate.Folder, frame string) time.Duration // nil but in a simulation
}

// RetryPause is the pause after so many tries in a row.
func (p *Publisher) RetryPause(attempt int) time.Duration { return schedule.Pause(attempt, p.Random) }

// soonestStatus is when the status of a product may be asked for again, whichever folder asked
// before. An earlier process may have asked a moment before this one started.
func (p *Publisher) soonestStatus(product string) time.Time {
	last := p.Service.Asked.At(product)
	if last.Before(p.Started) {
		last = p.Started
	}
	return last.Add(p.Poll.First)
}

// nextPoll is the time of the next status request about a product that is processed since then.
func (p *Publisher) nextPoll(product string, since time.Time) time.Time {
	now := time.Now()
	next := now.Add(schedule.PollPause(now.Sub(since), p.Poll.First, p.Poll.Max, p.Random))
	if soonest := p.soonestStatus(product); next.Before(soonest) {
		return soonest
	}
	return next
}

// Stagger keeps folders that waited for the same thing from going on at the same instant. Only a
// simulation that is replayed needs that; elsewhere it does nothing.
func (p *Publisher) Stagger(ctx context.Context, folder syncstate.Folder, frame string) {
	if p.StaggerPause == nil {
		return
	}
	select {
	case <-time.After(p.StaggerPause(folder, frame)):
	case <-ctx.Done():
	}
}
