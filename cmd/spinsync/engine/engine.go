// Package engine is a daemon with all that it needs to work: state file, client, locks on the
// roots, page and messages. Run opens one and serves; a pass calls Open, then Pass. It also serves
// the other commands and follows changes of sync.toml.
package engine

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"os"

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
	Live     *daemon.Live
	Config   *config.Config // that holds
	Client   *apiclient.Client
	trust    *x509.CertPool // of ca_file, as it was read; nil means the system's
	password apiclient.Secret
	call     *cli.Call
	log      *slog.Logger
	store    *syncstate.Store
	stored   stateFile
	opened   int // how often the store was opened
	roots    *rootlock.Lock
	fleet    *fleet // nil at a computer alone
}

// A stateFile is what the store was opened for.
type stateFile struct {
	path    string
	account syncstate.Account
}

// Open makes a daemon on the state file and the roots. Until close no other program on this
// computer can use them.
func Open(call *cli.Call, c *config.Config, log *slog.Logger) (*Engine, error) {
	password, err := c.Service.ResolvePassword(call.Env, call.Keychain())
	if err != nil {
		return nil, cli.Usage(err)
	}
	w := &Engine{call: call}
	d, err := w.open(c, password, log, nil)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	w.Live = daemon.NewLive(d)
	return w, nil
}

// open makes the daemon of a configuration, in the place of the one before; nil for the first one.
func (w *Engine) open(
	c *config.Config, password apiclient.Secret, log *slog.Logger, before *daemon.Daemon,
) (*daemon.Daemon, error) {
	trust := w.trust
	if c != w.Config { // those that hold go on with what was read for them: the file may be gone
		var err error
		if trust, err = cli.TrustRoots(c.Service.CAFile); err != nil {
			return nil, cli.Usage(err)
		}
	}
	client, err := cli.ConnectTrusting(trust, c, password)
	if err != nil {
		return nil, err
	}
	first, then := w.openState, w.lockRoots // of two programs on one state file the second gets that error
	if before != nil {
		first, then = then, first // a refused root leaves the file as the present account left it
	}
	if err := first(c, log); err != nil {
		return nil, err
	}
	if err := then(c, log); err != nil {
		return nil, err
	}
	defer collectLess(w.call.Env)()
	o := daemon.Options{
		Config: c, Store: w.store, Client: client, Log: log, Before: before,
		PasswordRemedy: c.Service.PasswordRemedy(w.call.Env), MayRead: w.roots.Check,
	}
	if err := w.takePart(c, log, &o); err != nil {
		return nil, err
	}
	d, err := daemon.New(o)
	if err != nil {
		return nil, err
	}
	if w.Client != nil {
		w.Client.CloseIdle()
	}
	w.Config, w.Client, w.trust, w.password, w.log = c, client, trust, password, log
	return d, nil
}

// openState opens the state file, unless it is open and works. The present one is closed once the
// next one is open, as long as they are not the same file: it may have been moved, and be the only one.
// No other file is made in the place of one that was moved before its last change.
func (w *Engine) openState(c *config.Config, log *slog.Logger) error {
	wanted := stateFile{c.State.Path, cli.Account(c)}
	if w.store != nil && w.stored == wanted && w.store.Err() == nil {
		return nil
	}
	if w.fleet != nil && w.stored == wanted { // the station has it too
		return w.store.Reopen()
	}
	if wanted.path == w.stored.path {
		if w.store != nil && errors.Is(w.store.Err(), syncstate.ErrReplaced) {
			return w.store.Err()
		}
		if err := w.closeState(); err != nil {
			return err
		}
	}
	store, err := syncstate.Open(wanted.path, wanted.account)
	if errors.Is(err, syncstate.ErrLocked) && w.store != nil { // perhaps by the present one, under another name
		if err := w.closeState(); err != nil {
			return err
		}
		store, err = syncstate.Open(wanted.path, wanted.account)
	}
	if err != nil {
		return err
	}
	if err := w.closeState(); err != nil {
		return errors.Join(err, store.Close())
	}
	w.store, w.stored = store, wanted
	w.opened++
	if err := handOver(wanted.path); err != nil {
		log.Warn("the service may not be able to use the state file", "error", err)
	}
	return nil
}

func (w *Engine) closeState() error {
	if w.store == nil {
		return nil
	}
	store := w.store
	w.store = nil
	return store.Close()
}

// lockRoots refuses a root that another program publishes. Where the system has no way to know, it
// finds none.
func (w *Engine) lockRoots(c *config.Config, log *slog.Logger) error {
	if w.fleet != nil { // a station keeps its folders
		return nil
	}
	if err := w.freeRoots(); err != nil {
		return err
	}
	w.roots = &rootlock.Lock{State: c.State.Path, Fleet: cli.FleetID(c)}
	for _, watch := range c.Watch {
		err := w.roots.Take(watch.Path)
		switch {
		case errors.Is(err, rootlock.ErrHeld):
			return err
		case errors.Is(err, rootlock.ErrTwice):
			return cli.Usage(err)
		}
		if err != nil {
			log.Warn("cannot lock the folder", "root", watch.Path, "error", err)
		}
	}
	return nil
}

func (w *Engine) freeRoots() error {
	if w.roots == nil {
		return nil
	}
	return w.roots.Release()
}

// Close lets go of the state file and of the roots.
func (w *Engine) Close() error {
	if w.Client != nil {
		w.Client.CloseIdle()
	}
	return errors.Join(w.leaveFleet(), w.freeRoots(), w.closeState())
}

// Run runs until the context ends, which is no error. Each hangup has it read sync.toml again.
func Run(ctx context.Context, call *cli.Call, c *config.Config, hangups <-chan os.Signal) error {
	w, err := Open(call, c, daemonLog(call, c.Log))
	if err != nil {
		return err
	}
	w.log.Info("started", "version", cli.Version(), "config", c.Path, "state", c.State.Path,
		"service", c.Service.BaseURL)
	serve := func(ctx context.Context) error { return w.Serve(ctx, hangups) }
	err = osservice.Supervised{Pulse: w.Live.Pulse, Summary: w.summary}.Run(ctx, serve)
	w.log.Info("stopped")
	return errors.Join(err, w.Close())
}

// daemonLog writes where the service manager reads along, else to standard error.
func daemonLog(call *cli.Call, c config.Log) *slog.Logger {
	handler := func(w io.Writer) slog.Handler { return terminal.NewLog(w, c).Handler() }
	return slog.New(osservice.Log(call.Stderr, call.Env, handler))
}
