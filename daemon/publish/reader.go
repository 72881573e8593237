package publish

import (
	"context"
	"log/slog"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
)

// A reader reads the files of one folder that a step needs.
type reader struct {
	folder      *reading.Folder
	screen      *screen
	conclusions conclusions
	log         *slog.Logger

	unread string // why files could not be read the last time, as the log has it; empty once they were
	warned string // of the sidecars, as the log has it
}

// read reads the files that a step needs. A failure is not recorded as trouble: the next plan shows
// it, unless the folder waits for something else. It returns a last step when the folder cannot go
// on.
func (r *reader) read(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	r.screen.show(next, s)
	err := r.folder.Read(ctx, s.Facts, next.Need)
	if next.Need.Texts {
		r.logProblems(s)
	}
	switch {
	case err == nil:
		r.unread = ""
		return nil
	case outcome.Needs(err, status.Deadly) && s.Record.Run.IsBound():
		return nil // the run is seen through first
	case outcome.Needs(err, status.Deadly):
		defer r.folder.ForgetDeaths()
		return r.conclusions.fail(s, err)
	case outcome.Is(err, outcome.Panicked), interrupted(ctx, err), outcome.Is(err, outcome.Changed):
		return r.conclusions.conclude(ctx, s, next, err)
	}
	if outcome.Of(err) == nil && outcome.NoAccess(err) == nil && err.Error() != r.unread {
		r.log.Warn("a file cannot be read", "folder", r.folder.Key.Path, "error", err)
	}
	r.unread = err.Error()
	return nil
}

// logProblems logs the problems of the sidecars, once for as long as they stay the same.
func (r *reader) logProblems(s plan.Scene) {
	found := plan.ProblemsInShort(r.folder.LastingProblems())
	if found != "" && found != r.warned && !s.ShowsProblem(found) {
		r.log.Warn("alt texts", "folder", r.folder.Key.Path, "problem", found)
	}
	r.warned = found
}
