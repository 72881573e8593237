package daemon

import (
	"log/slog"
	"sync/atomic"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Board shows people how each folder stands, and lets a job see the folders beside its own.
type Board interface {
	latest(key syncstate.Folder, have watcher.Snapshot) watcher.Snapshot
	nameInShell(key syncstate.Folder) string
	allPaused() bool
	isPaused(key syncstate.Folder) bool
	goneFrom(root string) int
	isMissed(key syncstate.Folder) bool
	maybeMoved(gone syncstate.Folder) bool
	isAnothers(key syncstate.Folder, project apiclient.Project, p apiclient.Product) bool
	hold(key syncstate.Folder) (held *job, release func(), free bool)

	show(told *ProductStatus, looks bool) (known, news bool)
	notice(key syncstate.Folder, c condition)
	isNews(told ProductStatus) bool
	isRecorded(told *ProductStatus)
	newRun(key syncstate.Folder)
	sentBytes(key syncstate.Folder) *atomic.Int64
	frameSent(key syncstate.Folder)
	followPriority(key syncstate.Folder)
	renamed(from, to syncstate.Folder)
	forget(key syncstate.Folder)
}

// A publisher is what the jobs of all folders have in common.
type publisher struct {
	files    files
	service  *hostingService
	records  *records
	board    Board
	owners   *owners
	contents *contents
	log      *slog.Logger

	slots    *schedule.Slots
	throttle *schedule.Throttle
	polls    *schedule.PollEstimator
	poll     config.Poll

	started      time.Time // of the process
	severalRoots bool
	random       func(n int64) int64
	stagger      func(folder syncstate.Folder, frame string) time.Duration
}

func (p *publisher) retryPause(attempt int) time.Duration { return retryPause(attempt, p.random) }
