package backend

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Target is what a person named for a verb.
type Target struct {
	Folder syncstate.Folder // a root's has no path; the zero one means everything
	Status status.Status    // as it was when the name was found
}

// All reports whether everything is meant.
func (t Target) All() bool { return t.Folder == syncstate.Folder{} }

// Has reports whether a product folder is meant, alone or with all.
func (t Target) Has(p status.ProductStatus) bool { return t.All() || p.Key() == t.Folder }

// Product is the status of the product folder that is meant alone; zero for none.
func (t Target) Product() (p status.ProductStatus) {
	if i := slices.IndexFunc(t.Status.Products, func(p status.ProductStatus) bool { return p.Key() == t.Folder }); i >= 0 {
		p = t.Status.Products[i]
	}
	return p
}

// FindTarget returns the folder that a person named: by its path below the root, as the export
// prints it, or with the root in front where several watched folders have one of that name. The path of a
// watched root means that root. No name means everything.
func FindTarget(ctx context.Context, b Backend, args []string) (t Target, err error) {
	if t.Status, err = b.Status(ctx); err != nil || len(args) == 0 {
		return t, err
	}
	if t.Folder.Root = rootNamed(t.Status.Roots, filepath.Clean(args[0])); t.Folder.Root != "" {
		return t, nil
	}
	if alone := t.Status.Started.IsZero(); alone && isUnseen(t.Status, args[0]) {
		return t, cli.Usagef("spinsync has not seen product folder %s yet; run `spinsync sync`, or start the service",
			terminal.Printable(args[0]))
	}
	t.Folder, err = matchFolder(t.Status.Products, args[0])
	return t, err
}

// isUnseen reports whether there is a directory of this name below a watched root, and neither it
// nor any below it is known.
func isUnseen(s status.Status, name string) bool {
	wanted := strings.Trim(filepath.ToSlash(name), "/")
	for _, p := range s.Products {
		for _, known := range []string{p.Folder, strings.Trim(fullName(p), "/")} {
			if strings.HasPrefix(asTyped(known)+"/", asTyped(wanted)+"/") {
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

// rootNamed is the watched root of this path, or "" for none or several.
func rootNamed(roots []watcher.RootStatus, path string) string {
	for _, form := range forms {
		others := func(r watcher.RootStatus) bool { return form(r.Path) != form(path) }
		if named := slices.DeleteFunc(slices.Clone(roots), others); len(named) == 1 {
			return named[0].Path
		}
	}
	return ""
}

func matchFolder(products []status.ProductStatus, name string) (syncstate.Folder, error) {
	wanted := strings.Trim(filepath.ToSlash(name), "/")
	var found []syncstate.Folder
	for _, form := range forms {
		if len(found) == 0 {
			found = foldersNamed(products, wanted, form)
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
		full = append(full, terminal.Printable(NameOf(f, true)))
	}
	return syncstate.Folder{}, cli.Usagef("several folders are called %s; name one of %s",
		terminal.Printable(name), strings.Join(full, ", "))
}

// foldersNamed are the product folders with this name in a form.
func foldersNamed(products []status.ProductStatus, name string, form func(string) string) (found []syncstate.Folder) {
	for _, p := range products {
		if form(name) == form(p.Folder) || form(name) == strings.Trim(form(fullName(p)), "/") {
			found = append(found, p.Key())
		}
	}
	return found
}

// forms are those in which names are compared, the first one in which any is found.
var forms = []func(string) string{AsWritten, asTyped}

// asTyped is a path as keyboards write it, in any letter case. macOS lists é as two characters, e and
// an accent.
func asTyped(path string) string { return strings.ToLower(norm.NFC.String(AsWritten(path))) }

// AsWritten is a path as JSON prints it: each byte that is no text becomes U+FFFD.
func AsWritten(path string) string { return string([]rune(path)) }

func fullName(p status.ProductStatus) string { return NameOf(p.Key(), true) }

// nearestFolders names product folders for a person who named none.
func nearestFolders(products []status.ProductStatus, wanted string) string {
	var names, below []string
	for _, p := range products {
		names = append(names, p.Folder)
		if strings.HasPrefix(p.Folder, wanted+"/") || strings.HasPrefix(fullName(p), wanted+"/") {
			below = append(below, p.Folder)
		}
	}
	if len(below) > 1 {
		return fmt.Sprintf("name one of the %d folders below it, such as %s", len(below), terminal.Printable(below[0]))
	}
	near := config.Nearest(wanted, names)
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

// FolderName is a product folder as a table names it, with the root in front when there are
// several.
func FolderName(p status.ProductStatus, all []status.ProductStatus) string {
	return NameOf(p.Key(), all[0].Root != all[len(all)-1].Root) // they are sorted
}

// NameOf is FolderName of one root or several. A root that needs a person itself has its own path.
func NameOf(folder syncstate.Folder, several bool) string {
	switch root := filepath.ToSlash(folder.Root); {
	case folder.Path == ".":
		return root
	case several:
		return strings.TrimSuffix(root, "/") + "/" + folder.Path // a drive ends in a slash
	}
	return folder.Path
}
