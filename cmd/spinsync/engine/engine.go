// Package engine is a daemon with all that it needs to work: state file, client, locks on the
// roots, page and messages. It also serves the other commands and follows changes of sync.toml.
package engine

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/rootlock"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// Engine is a daemon with its configuration, state file, client and locks.
type Engine struct {
	*daemon.Daemon
	Config *config.Config
	store  *syncstate.Store
	Client *apiclient.Client
	log    *slog.Logger
	env    func(string) string
	roots  *rootlock.Lock
}

// Open makes a daemon on the state file and the roots. Until close no other program on this
// computer can use them.
func Open(call *cli.Call, c *config.Config, log *slog.Logger) (*Engine, error) {
	client, err := call.Client(c)
	if err != nil {
		return nil, err
	}
	store, err := syncstate.Open(c.State.Path, cli.Account(c))
	if err != nil {
		return nil, err
	}
	if err := handOver(c.State.Path); err != nil {
		log.Warn("the service may not be able to use the state file", "error", err)
	}
	w := &Engine{nil, c, store, client, log, call.Env, &rootlock.Lock{State: c.State.Path}}
	if err := w.lockRoots(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	defer collectLess(call.Env)()
	w.Daemon, err = daemon.New(daemon.Options{
		Config: c, Store: store, Client: client, Log: log, PasswordRemedy: c.Service.PasswordRemedy(call.Env),
		MayRead: w.roots.Check,
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// lockRoots refuses a root that another program publishes. Where the system cannot tell there is
// none to be found.
func (w *Engine) lockRoots() error {
	for _, watch := range w.Config.Watch {
		err := w.roots.Take(watch.Path)
		switch {
		case errors.Is(err, rootlock.ErrHeld):
			return err
		case errors.Is(err, rootlock.ErrTwice):
			return cli.Usage(err)
		}
		if err != nil {
			w.log.Warn("cannot lock the folder", "root", watch.Path, "error", err)
		}
	}
	return nil
}

// Close lets go of the state file and of the roots.
func (w *Engine) Close() error {
	w.Client.CloseIdle()
	return errors.Join(w.roots.Release(), w.store.Close())
}

// Run runs until the context ends, which is no error.
func Run(ctx context.Context, call *cli.Call, c *config.Config) error {
	w, err := Open(call, c, daemonLog(call, c.Log))
	if err != nil {
		return err
	}
	w.log.Info("started", "version", cli.Version(), "config", c.Path, "state", c.State.Path,
		"service", c.Service.BaseURL)
	err = w.serveSupervised(ctx)
	w.log.Info("stopped")
	return errors.Join(err, w.Close())
}

// daemonLog writes where the service manager reads along, else to standard error.
func daemonLog(call *cli.Call, c config.Log) *slog.Logger {
	handler := func(w io.Writer) slog.Handler { return terminal.NewLog(w, c).Handler() }
	return slog.New(osservice.Log(call.Stderr, call.Env, handler))
}
