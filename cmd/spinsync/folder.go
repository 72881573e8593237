package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spinsync/daemon"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// findFolder returns the folder that a person named: by its path below the root, as the export
// prints it, or with the root in front where several roots have one of that name. The path of a
// watched root means that root, as a folder without a path. No name means all, which is the zero
// Folder.
func findFolder(ctx context.Context, k keeper, args []string) (syncstate.Folder, error) {
	if len(args) == 0 {
		return syncstate.Folder{}, nil
	}
	status, err := k.Status(ctx)
	if err != nil {
		return syncstate.Folder{}, err
	}
	for _, r := range status.Roots {
		if filepath.Clean(args[0]) == r.Path {
			return syncstate.Folder{Root: r.Path}, nil
		}
	}
	if alone := status.Started.IsZero(); alone && isUnseen(status, args[0]) {
		return syncstate.Folder{}, usageErrorf(
			"product folder %s was not seen yet; run `spinsync sync`, or start the service", printable(args[0]))
	}
	return matchFolder(status.Products, args[0])
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

// completeFolder lets the shell complete the names of product folders.
func (a *app) completeFolder(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_ = a.withStatus(c.Context(), func(s daemon.Status) error { // no status, no completion
		for _, p := range s.Products {
			names = append(names, folderName(p, s.Products))
		}
		return nil
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

func matchFolder(products []daemon.ProductStatus, name string) (syncstate.Folder, error) {
	wanted := strings.Trim(filepath.ToSlash(name), "/")
	var found []syncstate.Folder
	for _, p := range products {
		if wanted == asWritten(p.Folder) || wanted == strings.Trim(asWritten(fullName(p)), "/") {
			found = append(found, p.Key())
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return syncstate.Folder{}, usageErrorf("unknown product folder %s; %s",
			printable(name), nearestFolders(products, wanted))
	}
	var full []string
	for _, f := range found {
		full = append(full, printable(filepath.ToSlash(f.Root)+"/"+f.Path))
	}
	return syncstate.Folder{}, usageErrorf("several roots have a folder %s; name one of %s",
		printable(name), strings.Join(full, ", "))
}

// asWritten is a path as JSON prints it: bytes that are no text become U+FFFD.
func asWritten(path string) string { return strings.ToValidUTF8(path, "\ufffd") }

func fullName(p daemon.ProductStatus) string { return filepath.ToSlash(p.Root) + "/" + p.Folder }

// nearestFolders tells a person who named no product folder which ones there are.
func nearestFolders(products []daemon.ProductStatus, wanted string) string {
	var names, below []string
	for _, p := range products {
		names = append(names, p.Folder)
		if strings.HasPrefix(p.Folder, wanted+"/") || strings.HasPrefix(fullName(p), wanted+"/") {
			below = append(below, p.Folder)
		}
	}
	if len(below) > 1 {
		return fmt.Sprintf("name one of the %d below it, such as %s", len(below), printable(below[0]))
	}
	near := nearest(wanted, names)
	if len(near) == 0 {
		near = below
	}
	if len(near) == 0 {
		return "spinsync status lists them"
	}
	for i := range near {
		near[i] = printable(near[i])
	}
	near = slices.Compact(near) // two roots may have the same
	return fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
}

// nearest returns up to three names that a person who wrote word may have meant, the nearest first.
func nearest(word string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var candidates []candidate
	for _, name := range names {
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if strings.HasSuffix(strings.ToLower(name), "/"+strings.ToLower(word)) {
			d = 0 // the last part of the path alone
		}
		if d <= max(2, len(word)/4) {
			candidates = append(candidates, candidate{name, d})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var near []string
	for _, c := range candidates[:min(3, len(candidates))] {
		near = append(near, c.name)
	}
	return near
}

// distance counts the characters to insert, remove or replace to make b out of a.
func distance(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range []rune(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			replaced := diagonal
			if r != s {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
