package watcher

import (
	"maps"
	"time"

	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// listing is what one reading of one product folder found.
type listing struct {
	start, end time.Time     // of the reading
	overslept  time.Duration // clock.Overslept at its end
	id         volume.FileID // the folder's own
	// changed is the folder's own modification time in nanoseconds: its names last changed then.
	changed int64
	files   [names.Kinds][]File
	print   Fingerprint
	opened  []string // files that were asked through a handle, where that matters
	beside  *beside  // nil for nothing
	// bare means that the files were left out, because the listing is equal to the idle folder's.
	bare bool
}

// blank reports whether a listing has no frame.
func (l listing) blank() bool { return !l.bare && len(l.files[names.Frame]) == 0 }

// directories are those that a reading found something wrong with, and what.
type directories map[string]error

// beside is what lies in a product folder and does not belong there.
type beside struct {
	photos NotTaken
	below  directories // of the folder in which photos lie
}

func (b *beside) notTaken() *NotTaken {
	if b == nil || b.photos.Count == 0 {
		return nil
	}
	return &b.photos
}

func (b *beside) directories() directories {
	if b == nil || len(b.below) == 0 {
		return nil
	}
	return maps.Clone(b.below)
}

// mostNotTaken is how many of the files that are not taken are kept by name: there may be thousands
// of folders with them.
const mostNotTaken = 5

// other is a name in a product folder that is no frame, and why, where it is the name of a photo.
type other struct{ name, why string }

// add counts the photos that have no frame of the same name.
func (n *NotTaken) add(others []other, taken map[string]bool) {
	for _, o := range others {
		if o.why == "" || taken[names.Stem(o.name)] {
			continue
		}
		if n.Count++; len(n.Files) < mostNotTaken {
			n.Files = append(n.Files, NotTakenFile{o.name, o.why})
		}
	}
}
