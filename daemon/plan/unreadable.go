package plan

import (
	"errors"
	"path/filepath"
	"strings"

	"spinsync/daemon/outcome"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// planUnreadable plans for a folder that cannot be read. A published folder below an unreadable
// directory stays published: the directory has a status of its own.
func (s Scene) planUnreadable() Step {
	next := unreadable(s.Facts.Snapshot.Err)
	place := filepath.Join(s.Facts.Snapshot.Root, filepath.FromSlash(s.Facts.Snapshot.Folder))
	e, denied := errors.AsType[*watcher.AccessError](s.Facts.Snapshot.Err)
	switch {
	case !denied || e.Path == place:
	case status.State(s.Record.Shown.State) == status.Published:
		next.State = status.Published
	case !strings.HasPrefix(e.Path, place+string(filepath.Separator)):
		next.State = status.Retrying // a person is called to the directory above, once for all of its folders
	}
	return next
}

// unreadable is the step of a folder that cannot be read. A person is called when the account lacks
// a right, or the folder another name.
func unreadable(err error) Step {
	if denied := outcome.NoAccess(err); denied != nil {
		return NeedsPerson(denied)
	}
	if _, is := errors.AsType[*watcher.NameError](err); is {
		return NeedsPerson(&status.Cause{Kind: status.Misplaced, Text: err.Error()})
	}
	return Step{Action: Idle, State: status.Retrying, Cause: &status.Cause{Kind: status.Unreadable, Text: err.Error()}}
}

// An UnreadError is for a file that cannot be read for the time being.
type UnreadError struct{ Err error }

func (e UnreadError) Error() string { return e.Err.Error() }

// Unwrap is the error of the file system.
func (e UnreadError) Unwrap() error { return e.Err }

// planUnidentified plans for a folder whose product is unknown.
func (s Scene) planUnidentified() Step {
	switch err := s.Facts.Unidentified; {
	case errors.Is(err, products.ErrBeingWritten):
		return Step{
			Action: Wait, State: status.Collecting, Cause: &status.Cause{Kind: status.AwaitsFile, Text: err.Error()},
			Until: s.Facts.Rules.StillAt(s.Now),
		}
	case errors.As(err, new(UnreadError)):
		next := unreadable(err)
		next.Action, next.Until = Wait, s.Now.Add(AccessPause)
		return next
	default:
		return NeedsPerson(&status.Cause{Kind: status.Mistake, Text: status.OneLine(err.Error())})
	}
}
