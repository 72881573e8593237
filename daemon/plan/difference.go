package plan

import (
	"bytes"

	"spinsync/syncstate"
	"spinsync/watcher"
)

// A difference is how a folder's frames compare with the published ones.
type difference struct {
	changed int            // frames that are new, of another content or elsewhere in the order
	removed int            // published frames that the folder no longer has
	perhaps int            // frames without a digest to compare, when the content differs anyway
	unsure  []watcher.File // frames that only a digest can compare, when nothing else differs
	touched bool           // same content, but some files are not the ones that were read
}

func (d difference) none() bool { return d.changed == 0 && d.removed == 0 }

// compare compares the folder with the published revision. It asks for digests only while nothing
// else proves that the content differs.
func (set FrameSet) compare(published *syncstate.Published) difference {
	var d difference
	before := PublishedFrames(published)
	for _, f := range set.Whole {
		old := before[f.Name] // a new frame has no size and stored name
		delete(before, f.Name)
		switch r := set.scene.Facts.Readings[f.Name]; {
		case old.Size != f.Size || set.Stored[f.Name] != StoredName(old.Stored, old.Name):
			d.changed++
		case old.Same(FileOf(f)):
		case !r.File.Same(FileOf(f)) || r.Digest == nil:
			d.unsure = append(d.unsure, f)
		case bytes.Equal(r.Digest, old.Digest):
			d.touched = true
		default:
			d.changed++
		}
	}
	d.removed = len(before)
	if !d.none() {
		d.perhaps, d.unsure, d.touched = len(d.unsure), nil, false
	}
	return d
}
