// Package backend knows the product folders behind a command: a running daemon, or the state file
// when none runs. Call Read to show them, Change to give an order.
package backend

import (
	"context"
	"errors"
	"io/fs"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A Backend knows the product folders: a running daemon, or the state file when none runs.
type Backend interface {
	Status(context.Context) (status.Status, error)
	Export(context.Context, func(status.ExportedProduct) error) error
	Do(context.Context, daemon.Verb, syncstate.Folder) error
}

// Read gives do the saved state. Without a daemon the state file is opened for reading only.
func Read(ctx context.Context, c *config.Config, do func(Backend) error) error {
	return use(ctx, c, do, func() (*syncstate.Store, error) {
		store, err := syncstate.OpenReadOnly(c.State.Path, cli.Account(c))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil // nothing was ever done
		}
		return store, err
	})
}

// Change lets do change the saved state.
func Change(ctx context.Context, c *config.Config, do func(Backend) error) error {
	return use(ctx, c, do, func() (*syncstate.Store, error) {
		return syncstate.Open(c.State.Path, cli.Account(c))
	})
}

// Despite lets do work with a daemon that runs with the sync.toml of its start, although the file has
// become wrong since. The mistake is a warning then. Without such a daemon it is returned.
func Despite(ctx context.Context, call *cli.Call, mistake error, do func(Backend) error) error {
	found, err := withOldSettings(ctx, call, do)
	if !found {
		return mistake
	}
	terminal.Warn(call.Stderr, OldSettings{mistake}.Error())
	return err
}

// OldSettings is a mistake that came into sync.toml since the start of the daemon that answered.
type OldSettings struct{ mistake error }

func (o OldSettings) Error() string {
	return "sync.toml is wrong, and the daemon uses the old settings: " + o.mistake.Error()
}

// withOldSettings reports whether a daemon was found, and lets do work with it.
func withOldSettings(ctx context.Context, call *cli.Call, do func(Backend) error) (found bool, err error) {
	path := config.StatePath(call.ConfigFile(), call.Env)
	if path == "" {
		return false, nil
	}
	running, err := control.Dial(ctx, path)
	if err != nil {
		return false, nil
	}
	return true, do(running)
}

func use(ctx context.Context, c *config.Config, do func(Backend) error, open func() (*syncstate.Store, error)) error {
	return Reach(ctx, c.State.Path, func(running *control.Client) error { return do(running) }, func() error {
		store, err := open()
		switch {
		case err != nil:
			return err
		case store == nil:
			return do(records{config: c})
		}
		return errors.Join(do(records{c, store}), store.Close())
	})
}

// Reach does something with the daemon that works on a state file, or alone when none runs. It begins
// again when the daemon ends meanwhile, as a sync does that this command waited for, and when another
// program is quicker to take the file.
func Reach(ctx context.Context, statePath string, beside func(*control.Client) error, alone func() error) error {
	const tries = 5 // for a daemon that has just started: it holds the file before it answers
	for try := 1; ; try++ {
		running, err := control.Dial(ctx, statePath)
		if err == nil {
			err = beside(running)
		}
		if !errors.Is(err, control.ErrNoDaemon) {
			return err
		}
		err = alone() // waits a second for the file
		if !errors.Is(err, syncstate.ErrLocked) || try == tries || ctx.Err() != nil {
			return err
		}
	}
}

// records is the state file alone. One without a file knows of no folder.
type records struct {
	config *config.Config
	store  *syncstate.Store
}

func (r records) Status(context.Context) (status.Status, error) {
	s, err := daemon.RecordedStatus(r.config, r.store)
	return s.InWords(), err
}

func (r records) Export(_ context.Context, yield func(status.ExportedProduct) error) error {
	if r.store == nil {
		return nil
	}
	return daemon.ExportStore(r.config, r.store, yield)
}

func (r records) Do(_ context.Context, v daemon.Verb, folder syncstate.Folder) error {
	return daemon.DoRecorded(r.store, v, folder)
}
