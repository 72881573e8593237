package main

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

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

func account(c *config.Config) syncstate.Account {
	return syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username}
}
