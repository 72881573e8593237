package renamed

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A copy of a folder that still stands is a product of its own. A note names the folder whose
// photos it has, because it may have been copied by mistake.

// mostAlike is how many folders of one size are looked at: more of them are no mistake.
const mostAlike = 8

// PublishedAs is another folder that was published with just these photos, by their names and
// digests; empty for none.
func (f Search) PublishedAs(p *syncstate.Published) (name string, err error) {
	own := syncstate.Record{Published: p}
	return f.alike(SizeKeyOf(own), func(other syncstate.Record) (bool, error) {
		return haveSamePhotos(FilesOf(own), FilesOf(other)), nil
	})
}

// HasPhotosOf is the published folder whose photos a folder has that was never published; empty for
// none.
func (f Search) HasPhotosOf(ctx context.Context, g plan.Set) (name string, err error) {
	return f.alike(g.SizeKey(), func(other syncstate.Record) (bool, error) {
		return f.continues(ctx, g, other)
	})
}

// alike is the first published folder of this size key that is the same and stands, by name; empty
// for none. It has its root in front where that is another one.
func (f Search) alike(size plan.SizeKey, same func(syncstate.Record) (bool, error)) (name string, err error) {
	for _, key := range f.Index.alike(f.Folder.Key, size) {
		other, err := f.Store.Record(key)
		if err != nil {
			return "", err
		}
		if other.Run != nil || other.Published == nil {
			continue
		}
		is, err := same(other)
		switch stands, _ := f.stands(key); {
		case err != nil:
			return "", err
		case !is, !stands:
			continue
		}
		return status.NameFrom(f.Folder.Key.Root, key), nil
	}
	return "", nil
}

func haveSamePhotos(a, b Files) bool {
	for name, f := range a {
		if f.digest == nil || !bytes.Equal(f.digest, b[name].digest) {
			return false
		}
	}
	return len(a) == len(b)
}

// alike lists the other folders of this size key by their names, and none where there are many.
func (x *Index) alike(key syncstate.Folder, size plan.SizeKey) (others []syncstate.Folder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if size.Images == 0 || len(x.bySize[size]) > mostAlike+1 {
		return nil
	}
	for other := range x.bySize[size] {
		if other != key {
			others = append(others, other)
		}
	}
	slices.SortFunc(others, func(a, b syncstate.Folder) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Root, b.Root))
	})
	return others
}
