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
	none    bool           // nothing is changed or removed, as far as is known
	touched bool           // same content, but some files are not the ones that were read, or the marker
}

// compare compares the folder with the published revision. It asks for digests only while nothing
// else proves that the content differs.
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
		d.perhaps, d.unsure, d.touched = len(d.unsure), nil, false
	} else if marker := j.facts.Snapshot.Marker; marker != nil && !published.Marker.Same(FileOf(*marker)) {
		d.touched = true
	}
	return d
}
