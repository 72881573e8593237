package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/rootlock"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/syncstate"
)

// examineState finds out whether the state file could be used, without making one.
func examineState(ctx context.Context, call *cli.Call, c *config.Config, r *Report) {
	path := c.State.Path
	if _, err := control.Dial(ctx, path); err == nil {
		r.ok("state", path+", in use by the running daemon")
	} else if !examineStateFile(c, r) {
		r.ok(AccessKeyRow, AccessKeyField(c, nil))
		return
	}
	s, err := (&backend.Reader{Call: call}).Status(ctx, c)
	r.ok(AccessKeyRow, AccessKeyField(c, s.AccessKeyFields))
	if s.Recovery != "" {
		r.warn("state", s.Recovery)
	}
	if s.StateFile != "" {
		err = cmp.Or(err, errors.New(s.StateFile))
	}
	if err != nil {
		r.fail("state", err)
	}
	for _, root := range s.Roots {
		if root.Untrusted && root.Offline() {
			r.warn("root", fmt.Sprintf("%s: it %s", root.Path, root.Reason))
			r.troubled = append(r.troubled, root.Path)
		}
	}
}

// AccessKeyRow is the name of the row with AccessKeyField.
const AccessKeyRow = "access key"

// AccessKeyField is the row about the form field that carries the access key of uploads (interface
// 4.3). found are the names that worked, by upload host.
func AccessKeyField(c *config.Config, found map[string]string) string {
	const field = "the upload form's field for it is "
	if name := c.Service.AccessKeyField; name != "" {
		return field + name + ", as sync.toml says"
	}
	var known []string
	for _, host := range slices.Sorted(maps.Keys(found)) {
		known = append(known, found[host]+" for "+host)
	}
	if known == nil {
		return field + "not known yet; the first upload finds it"
	}
	return field + strings.Join(known, ", ") + ", as the first upload found"
}

// examineHolders names roots that a program with another state file publishes, while none works with
// this one.
func examineHolders(c *config.Config, r *Report) {
	for _, w := range c.Watch {
		if err := rootlock.Held(w.Path); err != nil {
			r.fail("root", err)
			r.troubled = append(r.troubled, w.Path)
		}
	}
}

// examineStateFile reports whether there is one to be read.
func examineStateFile(c *config.Config, r *Report) bool {
	path := c.State.Path
	err := syncstate.Check(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if missing {
		examinePlace(path, r)
	}
	if !errors.Is(err, syncstate.ErrLocked) {
		examineHolders(c, r)
	}
	if disk := checkCanMake(path); err == nil && (syncstate.DiskFull(disk) || errors.Is(disk, syscall.EROFS)) {
		err = disk
	}
	return !missing && r.note("state", path, err)
}

// examinePlace notes whether a state file can be made where there is none.
func examinePlace(path string, r *Report) {
	r.note("state", path+", made by the first run or sync", checkCanMake(path))
}

// checkCanMake tries whether a file can be made, and filled, where the first directory above it exists.
func checkCanMake(path string) error {
	dir := filepath.Dir(path)
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	trial, err := os.CreateTemp(dir, ".spinsync-check-*")
	if err != nil {
		return syncstate.NoPlace(err)
	}
	_, err = trial.Write(make([]byte, 64<<10)) // more than a change of the state file needs
	err = errors.Join(err, trial.Close(), os.Remove(trial.Name()))
	if syncstate.DiskFull(err) {
		return fmt.Errorf("%w; make room on its disk", err)
	}
	return err
}
