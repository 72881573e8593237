package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Config reads sync.toml. All that can be wrong with it is a usage error.
func (call *Call) Config() (*config.Config, error) {
	c, err := call.Load(call.ConfigFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, call.unconfigured()
	case err != nil:
		return nil, Usage(err)
	}
	return c, nil
}

// Load reads a sync.toml as this call wants it.
func (call *Call) Load(path string) (*config.Config, error) {
	c, err := config.Load(path, call.Env)
	if err == nil && call.LogLevel != nil {
		c.Log.Level = *call.LogLevel
	}
	return c, err
}

// unconfigured names all places at which there is no sync.toml.
func (call *Call) unconfigured() error {
	const remedy = "makes one, or name another file with --config FILE"
	if call.ConfigPath != "" {
		return Usagef("no configuration at %s; `spinsync setup --config %s` %s",
			absolute(call.ConfigPath), status.ShellWord(call.ConfigPath), remedy)
	}
	paths := config.DefaultPaths(call.Env)
	for i := range paths {
		paths[i] = absolute(paths[i])
	}
	last := len(paths) - 1
	return Usagef("no configuration at %s or %s; `spinsync setup` %s",
		strings.Join(paths[:last], ", "), paths[last], remedy)
}

// absolute is a path as people find it from everywhere.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// ConfigFile is the sync.toml that is read.
func (call *Call) ConfigFile() string { return cmp.Or(call.ConfigPath, config.DefaultPath(call.Env)) }

// Account is whose state file it is.
func Account(c *config.Config) syncstate.Account {
	return syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username}
}
