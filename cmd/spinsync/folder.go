package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spinsync/daemon"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A target is what a person named for a verb.
type target struct {
	folder syncstate.Folder // a root's has no path; the zero one means everything
	status daemon.Status    // as it was when the name was looked up
}

func (t target) all() bool { return t.folder == syncstate.Folder{} }

// has reports whether a product folder is meant, alone or with all.
func (t target) has(p daemon.ProductStatus) bool { return t.all() || p.Key() == t.folder }

// findTarget returns the folder that a person named: by its path below the root, as the export
// prints it, or with the root in front where several roots have one of that name. The path of a
// watched root means that root. No name means everything.
func findTarget(ctx context.Context, b backend, args []string) (t target, err error) {
	if t.status, err = b.Status(ctx); err != nil || len(args) == 0 {
		return t, err
	}
	for _, r := range t.status.Roots {
		if filepath.Clean(args[0]) == r.Path {
			t.folder = syncstate.Folder{Root: r.Path}
			return t, nil
		}
	}
	if alone := t.status.Started.IsZero(); alone && isUnseen(t.status, args[0]) {
		return t, usageErrorf(
			"product folder %s was not seen yet; run `spinsync sync`, or start the service", printable(args[0]))
	}
	t.folder, err = matchFolder(t.status.Products, args[0])
	return t, err
}

// isUnseen reports whether a directory of this name stands below a watched root, and neither it nor
// any below it is known.
func isUnseen(s daemon.Status, name string) bool {
	wanted := strings.Trim(filepath.ToSlash(name), "/")
	for _, p := range s.Products {
		for _, known := range []string{p.Folder, strings.Trim(fullName(p), "/")} {
			if strings.HasPrefix(asWritten(known)+"/", wanted+"/") {
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
