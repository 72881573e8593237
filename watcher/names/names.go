// Package names decides what a name in a product folder means: New makes the rules of a root, and
// Classify returns the kind of a name. It is a frame, a file that is being written, a sidecar, the
// marker, or foreign.
//
// The package knows the temporary files and the junk of cameras, editors, systems and file servers,
// and the patterns of gitignore. It touches no disk.
package names

import (
	"fmt"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Kind is what a name directly in a product folder means.
type Kind uint8

// The kinds up to Kinds are listed in a snapshot.
const (
	Frame   Kind = iota
	Busy         // a program writes it, or left it behind
	Sidecar      // metadata and alt texts
	Marker       // the file that marks a folder as complete
	Kinds        // how many kinds a listing holds
	Photo        // a photo or film that include does not name
	Foreign      // nothing that include names, and nothing of the built-in list either
	Unseen       // nothing of ours: it restarts no timer and holds nothing up
)

// Rules decide what the names below one root mean.
type Rules struct {
	names    *nameSet // of lines, in their order
	lines    []builtin
	hidden   *nameSet // names of directories alone
	include  *nameSet
	ignore   []pattern // the user's, the last match wins
	marker   string    // folded; "" = none
	anchored bool      // one of the user's patterns is about more than the name
}

// New makes the rules of include, patterns of names; of ignore, lines in the language of gitignore;
// and of a marker, "" for none.
func New(include, ignore []string, marker string) (*Rules, error) {
	r := &Rules{marker: fold(marker), include: new(nameSet), names: new(nameSet), hidden: new(nameSet)}
	for _, p := range include {
		if err := r.include.add(p); err != nil {
			return nil, fmt.Errorf("include %q: %w", p, err)
		}
	}
	r.lines = builtins()
	for _, b := range r.lines {
		if err := r.names.add(b.pattern); err != nil {
			return nil, fmt.Errorf("built-in list %q: %w", b.pattern, err)
		}
	}
	for _, pattern := range unseenDirectories {
		if err := r.hidden.add(pattern); err != nil {
			return nil, fmt.Errorf("built-in list %q: %w", pattern, err)
		}
	}
	for _, line := range ignore {
		p, err := parsePattern(line)
		if err != nil {
			return nil, fmt.Errorf("ignore %q: %w", line, err)
		}
		if p.glob != "" {
			r.ignore = append(r.ignore, p)
			r.anchored = r.anchored || p.anchored
		}
	}
	return r, nil
}

// Classify returns the kind of a name directly in folder. The reason is filled in for Busy names
// and for a Photo.
func (r *Rules) Classify(folder, name string) (k Kind, reason string) {
	folded := fold(name)
	if folded == r.marker {
		return Marker, ""
	}
	k, reason = r.byName(folded)
	switch said := r.byUser(folder, folded, false); {
	case said == ignored:
		return Unseen, ""
	case said == wanted && k != Sidecar:
		k = Frame
	case said == silent && isHidden(name) && k != Busy:
		return r.hiddenFile(k, folder, name)
	}
	if k != Frame || r.include.last(folded) >= 0 {
		return k, reason
	}
	if why := whyNotTaken(folded); why != "" {
		return Photo, why
	}
	return Foreign, ""
}

// isHidden reports whether a name begins with a dot. Trash, snapshots and staging directories have
// such names, and so have the files that programs write before they give them their name.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// hiddenFile returns the kind of a name that begins with a dot, k by the built-in list: never a
// frame, though a program may be writing one under it, as rsync and lftp do.
func (r *Rules) hiddenFile(k Kind, folder, name string) (Kind, string) {
	switch before, is := strings.CutSuffix(name, iCloud); {
	case is && len(before) > 1:
		if stoodFor, _ := r.Classify(folder, before[1:]); stoodFor < Kinds {
			return Busy, "on iCloud alone; have it kept on this Mac"
		}
	case k == Frame && r.FrameOf(name) != "":
		return Busy, "a hidden file, as programs make it of a photo that they write"
	}
	return Unseen, ""
}

// iCloud is the end of the name of a placeholder: ".3.jpg.icloud" for 3.jpg.
const iCloud = ".icloud"

// IsPlaceholder reports whether a busy name is the placeholder of a file whose content a cloud has
// taken off the disk.
func IsPlaceholder(name string) bool { return isHidden(name) && strings.HasSuffix(name, iCloud) }

// FrameOf gives the frame to which a temporary name belongs, in lower case, or "": a program adds a
// dot, a tilde or a word of its own in front, and endings behind.
func (r *Rules) FrameOf(name string) string {
	name = strings.TrimLeft(strings.TrimRight(fold(name), "~"), ".~")
	for _, word := range []string{"syncthing", "in."} { // of Syncthing and lftp
		name = strings.TrimLeft(strings.TrimPrefix(name, word), ".~")
	}
	for name != "" && r.include.last(name) < 0 {
		ending := path.Ext(name)
		if ending == "" {
			return ""
		}
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// Hidden reports whether a directory, given by its path below the root, is not ours. One whose name
// begins with a dot is ours only if a pattern with "!" names it.
func (r *Rules) Hidden(dir string) bool {
	folded := fold(path.Base(dir))
	switch r.byUser(path.Dir(dir), folded, true) {
	case ignored:
		return true
	case wanted:
		return false
	}
	k, _ := r.byName(folded)
	return isHidden(folded) || k == Unseen || r.hidden.last(folded) >= 0
}

// HiddenAnywhere is Hidden for the directory and for all above it.
func (r *Rules) HiddenAnywhere(dir string) bool {
	for ; dir != "." && dir != ""; dir = path.Dir(dir) {
		if r.Hidden(dir) {
			return true
		}
	}
	return false
}

// byName asks the built-in list; frame means that no line fits.
func (r *Rules) byName(folded string) (Kind, string) {
	if i := r.names.last(folded); i >= 0 {
		return r.lines[i].kind, r.lines[i].reason
	}
	return Frame, ""
}

type opinion int

const (
	silent  opinion = iota
	ignored         // a pattern fits
	wanted          // a pattern with "!" fits
)

func (r *Rules) byUser(folder, folded string, dir bool) opinion {
	if len(r.ignore) == 0 {
		return silent
	}
	full := folded
	if r.anchored && folder != "." {
		full = fold(folder) + "/" + folded
	}
	said := silent
	for _, p := range r.ignore {
		if p.match(full, folded, dir) {
			said = p.says
		}
	}
	return said
}

// fold gives a name the form in which names are compared: NFC, small letters.
func fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// Stem is a name without its last part, in which a photo and its raw file agree.
func Stem(name string) string { return strings.TrimSuffix(fold(name), fold(path.Ext(name))) }
