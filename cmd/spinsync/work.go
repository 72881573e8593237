package main

import (
	"errors"
	"log/slog"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/rootlock"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// work is a daemon with its configuration, state file, client and locks.
type work struct {
	*daemon.Daemon
	config *config.Config
	store  *syncstate.Store
	client *apiclient.Client
	log    *slog.Logger
	env    func(string) string
	roots  *rootlock.Lock
}

// open makes a daemon on the state file and the roots. Until close no other program on this
// computer can use them.
func open(a *app, c *config.Config, log *slog.Logger) (*work, error) {
	client, err := a.client(c)
	if err != nil {
		return nil, err
	}
	lost := syncstate.Lost(c.State.Path)
	store, err := syncstate.Open(c.State.Path, account(c))
	if err != nil {
		return nil, err
	}
	if lost {
		log.Warn(
			"the state file is gone since it was used last, and a new one is begun; what is published is looked for on the service and "+
				"uploaded again, unless you stop now, and put the file back or run `spinsync rebuild`",
			"file", c.State.Path)
	}
	w := &work{nil, c, store, client, log, a.env, &rootlock.Lock{State: c.State.Path}}
	if err := w.lockRoots(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	defer collectLess(a.env)()
	w.Daemon, err = daemon.New(daemon.Options{
		Config: c, Store: store, Client: client, Log: log, PasswordRemedy: c.Service.PasswordRemedy(a.env),
	})
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// lockRoots refuses a root that another program publishes. Where the system cannot tell there is
// none to be found.
func (w *work) lockRoots() error {
	for _, watch := range w.config.Watch {
		err := w.roots.Take(watch.Path)
		switch {
		case errors.Is(err, rootlock.ErrHeld):
			return err
		case errors.Is(err, rootlock.ErrTwice):
			return usageError{err}
		}
		if err != nil {
			w.log.Warn("another program on this folder would not be noticed", "root", watch.Path, "error", err)
		}
	}
	return nil
}

func (w *work) close() error {
	w.client.CloseIdle()
	return errors.Join(w.roots.Release(), w.store.Close())
}
