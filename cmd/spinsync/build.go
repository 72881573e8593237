package main

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/rootlock"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// config reads sync.toml. All that can be wrong with it is a usage error.
func (a *app) config() (*config.Config, error) {
	path := a.configFile()
	c, err := config.Load(path, a.env)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, a.unconfigured()
	case err != nil:
		return nil, usageError{err}
	case c.State.Path == "":
		return nil, usageErrorf("%s: no place for the state file is known; set path in [state]", path)
	}
	return c, nil
}

// unconfigured names all places at which there is no sync.toml.
func (a *app) unconfigured() error {
	const remedy = "makes one, or name another file with --config FILE"
	if a.configPath != "" {
		return usageErrorf("no configuration at %s; `spinsync setup --config %s` %s",
			absolute(a.configPath), daemon.ShellWord(a.configPath), remedy)
	}
	paths := config.DefaultPaths(a.env)
	for i := range paths {
		paths[i] = absolute(paths[i])
	}
	last := len(paths) - 1
	return usageErrorf("no configuration at %s or %s; `spinsync setup` %s",
		strings.Join(paths[:last], ", "), paths[last], remedy)
}

// absolute is a path as people find it from everywhere.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func (a *app) configFile() string { return cmp.Or(a.configPath, config.DefaultPath(a.env)) }

// client returns the service as the configuration names it, with its password.
func (a *app) client(c *config.Config) (*apiclient.Client, error) {
	password, err := c.Service.ResolvePassword(a.env, a.keychain())
	if err != nil {
		return nil, usageError{err}
	}
	return a.clientWith(c, password)
}

func (a *app) clientWith(c *config.Config, password apiclient.Secret) (*apiclient.Client, error) {
	roots, err := trustRoots(c.Service.CAFile)
	if err != nil {
		return nil, usageError{err}
	}
	client, err := apiclient.New(apiclient.Options{
		BaseURL: c.Service.BaseURL, Username: c.Service.Username, Password: password,
		RootCAs: roots, UserAgent: "spinsync/" + version(),
	})
	if err != nil {
		return nil, usageError{err}
	}
	return client, nil
}

// trustRoots adds the certificates of a file to the system's. Without a file it returns nil, which
// means the system's.
func trustRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("ca_file %s: it holds no certificate; name a file in PEM form", file)
	}
	return roots, nil
}

func account(c *config.Config) syncstate.Account {
	return syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username}
}

func newLog(w io.Writer, c config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == config.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

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
func (a *app) open(c *config.Config, log *slog.Logger) (*work, error) {
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
