package plan

import (
	"errors"
	"strings"

	"spinsync/daemon/products"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Facts are what is known of a folder's files and settings at one instant. Package reading finds
// them out.
type Facts struct {
	Snapshot watcher.Snapshot
	Readings map[string]Reading        // of frames, by name; each valid for the file it names
	Stood    map[string]syncstate.File // frames at the first look at a folder from an earlier process, by name
	Network  bool                      // the folder lies on a network drive
	Blind    *Blind                    // nil while all files can be read

	Rules        Rules
	Outside      bool         // by its depth it is no product folder
	Wanted       Product      // the product by the folder and the configuration
	Row          products.Row // the folder's row in the products file
	Settings     string       // identifies the rules and the row
	Unidentified error        // why the product is unknown
	Texts        Texts
}

// ContentOf is how the listing of a folder and its settings are recorded: the rules of its root, and
// its row in the products file.
func ContentOf(s watcher.Snapshot, settings string) string { return ListingHash(s) + " " + settings }

// IsContent reports whether the folder and its settings are as recorded. While its row is not known,
// the folder alone counts.
func (f Facts) IsContent(recorded string) bool {
	if errors.Is(f.Row.Err, products.ErrBeingWritten) {
		listing, _, _ := strings.Cut(recorded, " ")
		return listing == ListingHash(f.Snapshot)
	}
	return recorded == ContentOf(f.Snapshot, f.Settings)
}

// stood reports whether a frame is from before this process, and the folder too.
func (f Facts) stood(frame watcher.File) bool {
	was, known := f.Stood[frame.Name]
	return known && was.Same(FileOf(frame))
}

// TotalBytes is the size of all frames.
func (f Facts) TotalBytes() int64 {
	var total int64
	for _, frame := range f.Snapshot.Frames {
		total += frame.Size
	}
	return total
}
