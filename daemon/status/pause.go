package status

import "time"

// A Pause keeps spinsync from sending anything for a folder. It holds since when a person paused the
// folder by itself, and since when all folders are paused; zero: they are not.
type Pause struct{ Folder, All time.Time }

// Holds reports whether the folder is paused, by itself or with all.
func (p Pause) Holds() bool { return !p.Folder.IsZero() || !p.All.IsZero() }

// Over is the status of a folder as people see it while the pause holds. The pause is laid over the
// status where that is displayed, and is recorded in no status: after the pause, state, reason and
// since are what they were. A folder for which nothing is owed keeps its state: a shop that reads the
// export finds its published views there. Frames that are on their way still go through.
func (p Pause) Over(shown ProductStatus) ProductStatus {
	shown.Paused = !p.Folder.IsZero()
	if !p.Holds() || shown.owesNothing() {
		return shown
	}
	if shown.Since.Before(p.since()) {
		shown.Since = p.since()
	}
	shown.State, shown.Cause, shown.Detail = Paused, Because(FolderPaused), ""
	shown.NextTry, shown.QuietAt = nil, time.Time{}
	if !p.All.IsZero() {
		shown.Cause.Kind = AllPaused
	}
	if shown.Sending > 0 {
		shown.Cause.Parts = []Cause{*About(OnTheWay, shown.Sending)}
	}
	return shown
}

// since is when the pause began.
func (p Pause) since() time.Time {
	if p.Folder.IsZero() || !p.All.IsZero() && p.All.Before(p.Folder) {
		return p.All
	}
	return p.Folder
}

// OutlastsPause reports whether a pause leaves every folder in this state: spinsync has nothing to do
// for it.
func (s State) OutlastsPause() bool { return s == Published || s == Missing || s == Attention }

// owesNothing reports whether spinsync has nothing to do for a folder as long as its files stay.
func (p ProductStatus) owesNothing() bool {
	return p.State.OutlastsPause() || p.Cause.Is(NoFrames) || p.Cause.Is(NoFramesLeft)
}
