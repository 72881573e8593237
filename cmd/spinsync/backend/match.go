package backend

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/syncstate"
)

func matchFolder(products []daemon.ProductStatus, name string) (syncstate.Folder, error) {
	wanted := strings.Trim(filepath.ToSlash(name), "/")
	var found []syncstate.Folder
	for _, p := range products {
		if wanted == AsWritten(p.Folder) || wanted == strings.Trim(AsWritten(fullName(p)), "/") {
			found = append(found, p.Key())
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return syncstate.Folder{}, cli.Usagef("unknown product folder %s; %s",
			terminal.Printable(name), nearestFolders(products, wanted))
	}
	var full []string
	for _, f := range found {
		full = append(full, terminal.Printable(filepath.ToSlash(f.Root)+"/"+f.Path))
	}
	return syncstate.Folder{}, cli.Usagef("several roots have a folder %s; name one of %s",
		terminal.Printable(name), strings.Join(full, ", "))
}

// AsWritten is a path as JSON prints it: bytes that are no text become U+FFFD.
func AsWritten(path string) string { return strings.ToValidUTF8(path, "\ufffd") }

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
		return fmt.Sprintf("name one of the %d below it, such as %s", len(below), terminal.Printable(below[0]))
	}
	near := cli.Nearest(wanted, names)
	if len(near) == 0 {
		near = below
	}
	if len(near) == 0 {
		return "spinsync status lists them"
	}
	for i := range near {
		near[i] = terminal.Printable(near[i])
	}
	near = slices.Compact(near) // two roots may have the same
	return fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
}

// FolderName puts the root in front when there are several.
func FolderName(p daemon.ProductStatus, all []daemon.ProductStatus) string {
	if all[0].Root == all[len(all)-1].Root { // they are sorted
		return p.Folder
	}
	return fullName(p)
}
