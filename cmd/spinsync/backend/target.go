package backend

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Target is what a person named for a verb.
type Target struct {
	Folder syncstate.Folder // a root's has no path; the zero one means everything
	Status daemon.Status    // as it was when the name was looked up
}

// All reports whether everything is meant.
func (t Target) All() bool { return t.Folder == syncstate.Folder{} }

// Has reports whether a product folder is meant, alone or with all.
func (t Target) Has(p daemon.ProductStatus) bool { return t.All() || p.Key() == t.Folder }

// FindTarget returns the folder that a person named: by its path below the root, as the export
// prints it, or with the root in front where several roots have one of that name. The path of a
// watched root means that root. No name means everything.
func FindTarget(ctx context.Context, b Backend, args []string) (t Target, err error) {
	if t.Status, err = b.Status(ctx); err != nil || len(args) == 0 {
		return t, err
	}
	for _, r := range t.Status.Roots {
		if filepath.Clean(args[0]) == r.Path {
			t.Folder = syncstate.Folder{Root: r.Path}
			return t, nil
		}
	}
	if alone := t.Status.Started.IsZero(); alone && isUnseen(t.Status, args[0]) {
		return t, cli.Usagef("product folder %s was not seen yet; run `spinsync sync`, or start the service",
			terminal.Printable(args[0]))
	}
	t.Folder, err = matchFolder(t.Status.Products, args[0])
	return t, err
}

// isUnseen reports whether a directory of this name stands below a watched root, and neither it nor
// any below it is known.
func isUnseen(s daemon.Status, name string) bool {
	wanted := strings.Trim(filepath.ToSlash(name), "/")
	for _, p := range s.Products {
		for _, known := range []string{p.Folder, strings.Trim(fullName(p), "/")} {
			if strings.HasPrefix(AsWritten(known)+"/", wanted+"/") {
				return false
			}
		}
	}
	return slices.ContainsFunc(s.Roots, func(r watcher.RootStatus) bool {
		below := filepath.Clean(name)
		if filepath.IsAbs(below) {
			below, _ = filepath.Rel(r.Path, below) // empty without a way: no local path
		}
		if !filepath.IsLocal(below) || below == "." {
			return false
		}
		info, err := os.Stat(filepath.Join(r.Path, below))
		return err == nil && info.IsDir()
	})
}
