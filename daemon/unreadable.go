package daemon

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
func (s scene) planUnreadable() step {
	next := unreadable(s.snapshot.Err)
	place := filepath.Join(s.snapshot.Root, filepath.FromSlash(s.snapshot.Folder))
	e, denied := errors.AsType[*watcher.AccessError](s.snapshot.Err)
	switch {
	case !denied || e.Path == place:
	case State(s.record.State) == Published:
		next.state = Published
	case !strings.HasPrefix(e.Path, place+string(filepath.Separator)):
		next.state = Retrying // a person is called to the directory above, once for all of its folders
	}
	return next
}

// unreadable is the step of a folder that cannot be read. A person is called when the account lacks
// a right.
func unreadable(err error) step {
	if denied := outcome.NoAccess(err); denied != nil {
		return attention(denied)
	}
	return step{action: rest, state: Retrying, cause: &status.Cause{Kind: status.Unreadable, Said: err.Error()}}
}
