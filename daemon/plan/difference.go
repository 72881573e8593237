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
	unsure  []watcher.File // frames that only a digest can compare, when that decides anything
	none    bool           // nothing is changed or removed, as far as is known
	touched bool           // same content, but some files are not the ones that were read, or the marker
}

// compare compares the folder with the published revision. It asks for digests only while nothing
// else proves that the content differs, and where they may show that a known number of frames is new:
// of one frame at a time then, since quiet may pass meanwhile.
func (j *judge) compare() difference {
	var d difference
	published, left := j.record.Published, len(j.record.Published.Frames)
	for _, f := range j.set.Whole {
		var old syncstate.Frame // a new frame has no size and stored name
		if i, was := j.about.names[f.Name]; was {
			old = published.Frames[i]
			left--
		}
		switch {
		case old.Size != f.Size || j.set.Stored[f.Name] != StoredName(old.Stored, old.Name):
			d.changed++
			continue
		case old.Same(FileOf(f)):
			continue
		}
		switch r, isRead := j.about.read(f); {
		case !isRead || r.Digest == nil:
			d.unsure = append(d.unsure, f)
		case bytes.Equal(r.Digest, old.Digest):
			d.touched = true
		default:
			d.changed++
		}
	}
	d.removed = left
	if d.none = d.changed == 0 && d.removed == 0; !d.none {
		if d.perhaps, d.touched = len(d.unsure), false; d.perhaps > 0 && j.mayAllBeNew(d) {
			d.unsure = d.unsure[:1]
		} else {
			d.unsure = nil
		}
	} else if marker := j.facts.Snapshot.Marker; marker != nil && !published.Marker.Same(FileOf(*marker)) {
		d.touched = true
	}
	return d
}

// mayAllBeNew reports whether digests may show that each frame of a known number is new, before quiet
// makes that needless.
func (j *judge) mayAllBeNew(d difference) bool {
	all := j.set.counted && d.changed+d.perhaps == j.set.Expected
	return all && !j.facts.Snapshot.Mixed && !j.isQuiet()
}
