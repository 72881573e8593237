package publish

import (
	"context"
	"log/slog"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/reading"
	"spinsync/daemon/renamed"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Neighbours let a job see the other folders. No method reads a file or sends a request, and none
// waits for a worker. A folder that is not known has no neighbour.
type Neighbours interface {
	surroundings
	pauses
	namesakes
	renamed.Others
}

// A Keeper keeps the folders in memory, and gives each to one worker at a time.
type Keeper interface {
	// Hold keeps a folder from all workers until release, after which it is planned again. free is
	// false where a worker has it or nobody knows it: then there is nothing to release.
	Hold(key syncstate.Folder) (unchecked bool, release func(), free bool)
	// TakeLatest is the newest snapshot of the folder, and have where none came since. It hands out
	// each snapshot once.
	TakeLatest(key syncstate.Folder, have watcher.Snapshot) watcher.Snapshot
	// Renamed forgets a folder whose record is another one's now.
	Renamed(from, to syncstate.Folder)
	// Forget drops a folder whose record is gone. The watcher reports it once more if it is back.
	Forget(key syncstate.Folder)
	// FollowWishes reads from the record whether the folder goes first, and since when it is
	// paused. What it cannot read stays.
	FollowWishes(key syncstate.Folder)
}

// A Display shows people the status of each folder. No method fails; a call for an unknown folder
// is dropped.
type Display interface {
	progress
	// Last is the status of the folder as it was shown last. known is false for one that is not on
	// display.
	Last(key syncstate.Folder) (last status.ProductStatus, known bool)
	// Show puts the status of its folder on display.
	Show(shown status.ProductStatus)
	// ShowFrames shows the condition of a folder's frames.
	ShowFrames(key syncstate.Folder, c Condition)
	// NameInShell is the folder as a person writes it behind a command of spinsync.
	NameInShell(key syncstate.Folder) string
}

// A Condition describes the frames of a folder, as status.ProductStatus has it.
type Condition struct {
	Arrived  time.Time
	Complete bool
	Corrupt  string
	Settled  int               // frames; -1 as before
	Broken   map[string]string // why frames are not whole, by name
}

// A Publisher is what the jobs of all folders have in common.
type Publisher struct {
	Files      reading.Files
	Service    *hosting.Service
	Records    *Records
	Neighbours Neighbours
	Views      *Views // nil at a computer alone
	Keeper     Keeper
	Display    Display
	Log        *slog.Logger
	Metrics    *metrics.Metrics

	Slots    *schedule.Slots
	Throttle *schedule.Throttle
	Poll     config.Poll

	// Unwatched are the roots that are recorded, and not watched any more. A folder below one of
	// them has its product until the folder of its path and name below another root takes its
	// record.
	Unwatched []string

	Random       func(n int64) int64
	StaggerPause func(folder syncstate.Folder, frame string) time.Duration // nil but in a simulation
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
