package main

import (
	"context"
	"errors"
	"io/fs"

	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/syncstate"
)

// A keeper knows the product folders: a running daemon, or the state file when none runs.
type keeper interface {
	Status(context.Context) (daemon.Status, error)
	Export(context.Context, func(daemon.ExportedProduct) error) error
	Retry(ctx context.Context, folder syncstate.Folder, asIs bool) error
	Pause(context.Context, syncstate.Folder) error
	Resume(context.Context, syncstate.Folder) error
	Rush(ctx context.Context, folder syncstate.Folder, first bool) error
}

// read lets do look at the saved state. Without a daemon the state file is opened for reading only.
func (a *app) read(ctx context.Context, c *config.Config, do func(keeper) error) error {
	return keep(ctx, c, do, func() (*syncstate.Store, error) {
		store, err := syncstate.OpenReadOnly(c.State.Path, account(c))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil // nothing was ever done
		}
		return store, err
	})
}

// change lets do change the saved state. It does not begin a lost state file anew, which would hide
// the loss.
func (a *app) change(ctx context.Context, c *config.Config, do func(keeper) error) error {
	return keep(ctx, c, do, func() (*syncstate.Store, error) {
		if lost := daemon.LostStateFile(c.State.Path); lost != "" {
			return nil, errors.New(lost)
		}
		return syncstate.Open(c.State.Path, account(c))
	})
}

// despite lets do work with a daemon that runs by what sync.toml said at its start, although it has
// become wrong since. It reports whether one was found.
func (a *app) despite(ctx context.Context, do func(keeper) error) (found bool, err error) {
	path := config.StatePath(a.configFile(), a.env)
	if path == "" {
		return false, nil
	}
	running, err := control.Dial(ctx, path)
	if err != nil {
		return false, nil
	}
	return true, do(running)
}

func keep(ctx context.Context, c *config.Config, do func(keeper) error, open func() (*syncstate.Store, error)) error {
	const tries = 5 // for a daemon that has just started: it holds the file before it answers
	for try := 1; ; try++ {
		running, err := control.Dial(ctx, c.State.Path)
		if err == nil {
			err = do(running)
		}
		if !errors.Is(err, control.ErrNoDaemon) {
			return err
		}
		store, err := open() // waits a second for the file
		switch {
		case errors.Is(err, syncstate.ErrLocked) && try < tries && ctx.Err() == nil:
			continue
		case err != nil:
			return err
		}
		if store == nil {
			return do(records{config: c})
		}
		return errors.Join(do(records{c, store}), store.Close())
	}
}

// records keeps by the state file alone. One without a file knows of no folder.
type records struct {
	config *config.Config
	store  *syncstate.Store
}

func (r records) Status(context.Context) (daemon.Status, error) {
	s, err := daemon.RecordedStatus(r.config, r.store)
	return s.InWords(), err
}

// Export refuses where the file is lost: an empty list would be taken for the whole.
func (r records) Export(_ context.Context, yield func(daemon.ExportedProduct) error) error {
	if r.store == nil {
		if lost := daemon.LostStateFile(r.config.State.Path); lost != "" {
			return errors.New(lost)
		}
		return nil
	}
	return daemon.ExportStore(r.config, r.store, yield)
}

func (r records) Retry(_ context.Context, folder syncstate.Folder, asIs bool) error {
	return daemon.RetryRecorded(r.store, folder, asIs)
}

func (r records) Pause(_ context.Context, folder syncstate.Folder) error {
	return daemon.PauseRecorded(r.store, folder)
}

func (r records) Resume(_ context.Context, folder syncstate.Folder) error {
	return daemon.ResumeRecorded(r.store, folder)
}

func (r records) Rush(_ context.Context, folder syncstate.Folder, first bool) error {
	return daemon.RushRecorded(r.store, folder, first)
}
