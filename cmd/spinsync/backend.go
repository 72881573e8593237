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

// A backend knows the product folders: a running daemon, or the state file when none runs.
type backend interface {
	Status(context.Context) (daemon.Status, error)
	Export(context.Context, func(daemon.ExportedProduct) error) error
	Retry(ctx context.Context, folder syncstate.Folder, asIs bool) error
	Pause(context.Context, syncstate.Folder) error
	Resume(context.Context, syncstate.Folder) error
	Rush(ctx context.Context, folder syncstate.Folder, first bool) error
}

// read lets do look at the saved state. Without a daemon the state file is opened for reading only.
func read(ctx context.Context, c *config.Config, do func(backend) error) error {
	return use(ctx, c, do, func() (*syncstate.Store, error) {
		store, err := syncstate.OpenReadOnly(c.State.Path, account(c))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil // nothing was ever done
		}
		return store, err
	})
}

// change lets do change the saved state. It does not begin a lost state file anew, which would hide
// the loss.
func change(ctx context.Context, c *config.Config, do func(backend) error) error {
	return use(ctx, c, do, func() (*syncstate.Store, error) {
		if lost := daemon.LostStateFile(c.State.Path); lost != "" {
			return nil, errors.New(lost)
		}
		return syncstate.Open(c.State.Path, account(c))
	})
}

// despite lets do work with a daemon that runs by what sync.toml said at its start, although it has
// become wrong since. It reports whether one was found.
func despite(ctx context.Context, a *app, do func(backend) error) (found bool, err error) {
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

func use(ctx context.Context, c *config.Config, do func(backend) error, open func() (*syncstate.Store, error)) error {
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
