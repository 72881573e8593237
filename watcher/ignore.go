package watcher

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind is what a name directly in a product folder stands for.
type kind uint8

const (
	frame kind = iota
	busy
	sidecar
	marker
	kinds             // how many kinds a listing holds
	foreign kind = 98 // nothing that include names, and nothing of the built-in list either
	unseen  kind = 99 // nothing of ours: it restarts no timer and holds nothing up
)

// builtin is one line of the built-in ignore list. Names are compared without regard to letter
// case, in NFC.
type builtin struct {
	kind    kind
	dir     bool // the line is about directories alone
	pattern string
	reason  string // for busy names it completes "frame.jpg.part: …"
}

// builtins lists the files that are no frames, even if Include names them. Where several lines fit,
// the last one wins: a file "._notes.txt" is junk, not a sidecar.
var builtins = []builtin{
	{sidecar, false, "product.toml", "what people say about the product"},
	{sidecar, false, "*.xmp", "metadata of Adobe's programs, darktable, digiKam"},
	{sidecar, false, "*.txt", "alt texts written by people"},
	{sidecar, false, "*.csv", "alt texts in a table"},
	{sidecar, false, "*.alt.json", "alt texts made by scripts"},

	{busy, false, "*.part", "an unfinished download or copy"},
	{busy, false, "*.filepart", "an unfinished transfer of WinSCP"},
	{busy, false, "*.crdownload", "a browser's unfinished download"},
	{busy, false, "*.download", "a browser's unfinished download"},
	{busy, false, "*.partial", "an unfinished download or copy"},
	{busy, false, "*.tmp", "a program's temporary file"},
	{busy, false, "*.temp", "a program's temporary file"},
	{busy, false, "~*", "a file that a program holds open"},
	{busy, false, "*~", "an editor's temporary file"},
	{busy, false, ".~lock.*", "a file that an office program holds open"},
	{busy, false, ".*.sw?", "a file that an editor holds open"},
	{busy, false, ".syncthing.*.tmp", "an unfinished transfer of Syncthing"},
	{busy, false, "~syncthing~*.tmp", "an unfinished transfer of Syncthing"},
	{busy, false, "*.sb-????????-??????", "a document that macOS is saving"},
	{busy, false, "(A Document Being Saved By*", "a document that macOS is saving"},

	{unseen, true, "CaptureOne", "settings and previews of Capture One"},
	{unseen, true, "*.lrdata", "previews of Lightroom"},
	{unseen, true, "Lightroom Catalog", "catalogue of Lightroom"},
	{unseen, true, ".photostructure", "library of PhotoStructure"},
	{unseen, true, "@eaDir", "thumbnails of Synology"},
	{unseen, true, "#recycle", "waste basket of Synology"},
	{unseen, true, "#snapshot", "snapshots of Synology"},
	{unseen, true, "@tmp", "work files of Synology"},
	{unseen, true, "@sharebin", "waste basket of Synology"},
	{unseen, true, ".SynologyWorkingDirectory", "work files of Synology Drive"},
	{unseen, true, "@Recycle", "waste basket of QNAP"},
	{unseen, true, ".@__thumb", "thumbnails of QNAP"},
	{unseen, true, "@__thumb", "thumbnails of QNAP"},
	{unseen, true, "$RECYCLE.BIN", "waste basket of Windows"},
	{unseen, true, "RECYCLER", "waste basket of old Windows"},
	{unseen, true, "System Volume Information", "restore points of Windows"},
	{unseen, true, "lost+found", "what a file system check found"},
	{unseen, true, ".AppleDouble", "resource forks on a file server"},
	{unseen, true, ".AppleDB", "catalogue of a file server for Macs"},
	{unseen, true, ".AppleDesktop", "icons on a file server for Macs"},
	{unseen, true, ".Spotlight-V100", "search index of macOS"},
	{unseen, true, ".Trashes", "waste basket of macOS"},
	{unseen, true, ".fseventsd", "change log of macOS"},
	{unseen, true, ".TemporaryItems", "work files of macOS"},
	{unseen, true, ".DocumentRevisions-V100", "old versions kept by macOS"},
	{unseen, true, "Network Trash Folder", "waste basket of a file server for Macs"},
	{unseen, true, "Temporary Items", "work files of a file server for Macs"},
	{unseen, true, "__MACOSX", "resource forks out of an archive"},
	{unseen, true, ".stfolder", "marker of Syncthing"},
	{unseen, true, ".stversions", "old versions kept by Syncthing"},

	{unseen, false, ".DS_Store", "view settings of macOS"},
	{unseen, false, "._*", "resource forks of macOS"},
	{unseen, false, ".LSOverride", "settings of macOS"},
	{unseen, false, "Icon\r", "a folder's icon on macOS"},
	{unseen, false, ".apdisk", "settings of a shared drive of macOS"},
	{unseen, false, ".VolumeIcon.icns", "a drive's icon on macOS"},
	{unseen, false, "Thumbs.db", "thumbnails of Windows"},
	{unseen, false, "ehthumbs.db", "thumbnails of Windows"},
	{unseen, false, "desktop.ini", "view settings of Windows"},
	{unseen, false, "*.lnk", "links of Windows"},
	{unseen, false, "*.cos", "settings of Capture One, rewritten long after the shot"},
	{unseen, false, "*.cot", "previews of Capture One"},
	{unseen, false, "*.cop", "previews of Capture One"},
	{unseen, false, "*.cof", "focus data of Capture One"},
	{unseen, false, "*.comask", "masks of Capture One"},
	{unseen, false, "*.icm", "colour profiles"},
	{unseen, false, "*.bc", "calibration of Capture One"},
	{unseen, false, "*.cosessiondb", "session of Capture One"},
	{unseen, false, "*.cocatalogdb", "catalogue of Capture One"},
	{unseen, false, ".BridgeCache*", "previews of Adobe Bridge"},
	{unseen, false, ".BridgeSort", "order of Adobe Bridge"},
	{unseen, false, ".BridgeLabelsAndRatings", "ratings of Adobe Bridge"},
	{unseen, false, "*.lrcat-lock", "lock of Lightroom's catalogue"},
	{unseen, false, "SYNOFILE_THUMB_*.*", "thumbnails of Synology"},
	{unseen, false, ".nfs*", "a file removed while open on NFS"},
	{unseen, false, ".fuse_hidden*", "a file removed while open on FUSE"},
	{unseen, false, ".smbdelete*", "a file removed while open on SMB"},
}

// rules decide what the names below one root stand for.
type rules struct {
	names    *nameSet // of builtins, in their order
	lines    []builtin
	include  *nameSet
	ignore   []pattern // the user's, the last match wins
	marker   string    // folded; "" = none
	anchored bool      // one of the user's patterns looks at more than the name
}

func newRules(include, ignore []string, marker string) (*rules, error) {
	r := &rules{marker: fold(marker), include: new(nameSet), names: new(nameSet)}
	for _, p := range include {
		if err := r.include.add(p); err != nil {
			return nil, fmt.Errorf("include %q: %w", p, err)
		}
	}
	r.lines = append(rsyncNames(include), builtins...)
	for _, b := range r.lines {
		if err := r.names.add(b.pattern); err != nil {
			return nil, fmt.Errorf("built-in list %q: %w", b.pattern, err)
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

// rsyncNames are the names under which rsync writes a frame: ".frame_01.jpg.x1Y2z3".
func rsyncNames(include []string) []builtin {
	var lines []builtin
	for _, p := range include {
		lines = append(lines, builtin{busy, false, "." + p + ".??????", "an unfinished transfer of rsync"})
	}
	return lines
}

// classify says what a name directly in folder stands for. The reason is filled in for busy names,
// and for photos that include does not name.
func (r *rules) classify(folder, name string) (k kind, reason string) {
	folded := fold(name)
	if r.marker != "" && folded == r.marker {
		return marker, ""
	}
	k, reason = r.byName(folded, false)
	switch r.byUser(folder, folded, false) {
	case ignored:
		return unseen, ""
	case wanted:
		if k != sidecar {
			k = frame
		}
	}
	switch {
	case k != frame || r.include.last(folded) >= 0:
		return k, reason
	case strings.HasPrefix(name, "."):
		return unseen, ""
	}
	return foreign, whyNotTaken(folded)
}

// frameOf gives the frame that a temporary name stands for, in lower case, or "": a program adds a
// dot, a tilde or its own name in front, and endings behind.
func (r *rules) frameOf(name string) string {
	name = strings.TrimLeft(strings.TrimRight(fold(name), "~"), ".~")
	name = strings.TrimLeft(strings.TrimPrefix(name, "syncthing"), ".~")
	for name != "" && r.include.last(name) < 0 {
		ending := path.Ext(name)
		if ending == "" {
			return ""
		}
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// hidden reports whether a directory, given by its path below the root, is none of ours.
func (r *rules) hidden(dir string) bool {
	folded := fold(path.Base(dir))
	switch r.byUser(path.Dir(dir), folded, true) {
	case ignored:
		return true
	case wanted:
		return false
	}
	k, _ := r.byName(folded, true)
	return k == unseen
}

// hiddenAnywhere is hidden for the directory and for all above it.
func (r *rules) hiddenAnywhere(dir string) bool {
	for ; dir != "." && dir != ""; dir = path.Dir(dir) {
		if r.hidden(dir) {
			return true
		}
	}
	return false
}

// byName asks the built-in list; frame means that no line fits.
func (r *rules) byName(folded string, dir bool) (kind, string) {
	i := r.names.last(folded)
	for i >= 0 && r.lines[i].dir && !dir {
		i = r.names.lastBefore(folded, i)
	}
	if i < 0 {
		return frame, ""
	}
	return r.lines[i].kind, r.lines[i].reason
}

type opinion int

const (
	silent  opinion = iota
	ignored         // a pattern fits
	wanted          // a pattern with "!" fits
)

func (r *rules) byUser(folder, folded string, dir bool) opinion {
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
func fold(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return strings.ToLower(norm.NFC.String(name))
		}
	}
	return strings.ToLower(name)
}
