package plan

import (
	"errors"
	"path/filepath"
	"strings"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// planUnreadable plans for a folder that cannot be read. A published folder below an unreadable
// directory stays published: the directory has a status of its own.
func (s Scene) planUnreadable() Step {
	next := unreadable(s.Snapshot.Err)
	place := filepath.Join(s.Snapshot.Root, filepath.FromSlash(s.Snapshot.Folder))
	e, denied := errors.AsType[*watcher.AccessError](s.Snapshot.Err)
	switch {
	case !denied || e.Path == place:
	case status.State(s.Record.State) == status.Published:
		next.State = status.Published
	case !strings.HasPrefix(e.Path, place+string(filepath.Separator)):
		next.State = status.Retrying // a person is called to the directory above, once for all of its folders
	}
	return next
}

// unreadable is the step of a folder that cannot be read. A person is called when the account lacks
// a right.
func unreadable(err error) Step {
	if denied := outcome.NoAccess(err); denied != nil {
		return NeedsPerson(denied)
	}
	return Step{Action: Rest, State: status.Retrying, Cause: &status.Cause{Kind: status.Unreadable, Said: err.Error()}}
}
