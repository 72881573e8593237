// Package cli is what the commands share: what the process gave, sync.toml, the hosting service's
// client, and the errors for a mistake in the command line. Each command gets one Call.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
)

// Call is what the commands share: what the process gave, and the flags of all commands.
type Call struct {
	Env            func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	ConfigPath     string      // as --config names it; empty for the default
	LogLevel       *slog.Level // in place of that in sync.toml; nil for none
	Understood     bool        // the command line was, so that what fails now is not its fault
	Endless        bool        // the command runs until Ctrl-C, which is not reported
}

// Fancy reports whether a stream may have colour and bars.
func (call *Call) Fancy(stream any) bool {
	_, ok := terminal.IsTerminal(stream)
	return ok && call.Env("NO_COLOR") == "" && call.Env("TERM") != "dumb"
}

// Version is what the build recorded: the module's version, which between releases names the commit
// too.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	if info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "(devel) " + s.Value
		}
	}
	return info.Main.Version
}

// WithRights adds what an ordinary user can do who may not use the files of another user's
// spinsync, as those of the service of the whole system are.
func (call *Call) WithRights(err error) error {
	var denied *fs.PathError
	if !errors.Is(err, fs.ErrPermission) || !errors.As(err, &denied) || os.Geteuid() == 0 ||
		!call.keepsThere(denied.Path) {
		return err
	}
	if runtime.GOOS == "windows" {
		return fmt.Errorf("%w; run this in a terminal that was opened as administrator", err)
	}
	return fmt.Errorf("%w; use sudo if it belongs to the service of the whole system, else correct its owner or mode", err)
}

// keepsThere reports whether a path is one of sync.toml, the passwords and keys that it names, and
// the files of the state file's directory.
func (call *Call) keepsThere(path string) bool {
	own := []string{absolute(call.ConfigFile())}
	if c, err := config.Load(call.ConfigFile(), call.Env); err == nil {
		own = append(own, c.Service.PasswordFile, c.Dashboard.PasswordFile, c.Dashboard.CertFile, c.Dashboard.KeyFile)
		own = append(own, filepath.Dir(c.State.Path))
	}
	return slices.Contains(own, path) || slices.Contains(own, filepath.Dir(path))
}
