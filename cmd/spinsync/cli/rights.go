package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"spinsync/daemon/config"
)

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
	return fmt.Errorf("%w; it belongs to another user, perhaps to the service of the whole system: use sudo", err)
}

// keepsThere reports whether a path is one of sync.toml, the passwords and keys that it names, and
// what lies beside the state file.
func (call *Call) keepsThere(path string) bool {
	own := []string{absolute(call.ConfigFile())}
	if c, err := config.Load(call.ConfigFile(), call.Env); err == nil {
		own = append(own, c.Service.PasswordFile, c.Dashboard.PasswordFile, c.Dashboard.CertFile, c.Dashboard.KeyFile)
		own = append(own, filepath.Dir(c.State.Path))
	}
	return slices.Contains(own, path) || slices.Contains(own, filepath.Dir(path))
}
