package renamed

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// A copy of a folder that still stands is a product of its own. People are told whose photos it
// has, because they may have copied it by mistake.

// mostAlike is how many folders of one size are looked at: more of them are no mistake.
const mostAlike = 8

// PublishedAs is the folder that was published with the photos of this one before, by the names and
// digests that are recorded; empty for none. Of a view that was only found nobody knows when it went
// live.
func (f Search) PublishedAs(r syncstate.Record) (name string, err error) {
	if r.Run != nil || r.Published == nil || r.Published.Found {
		return "", nil
	}
	own := recordedFrames(r)
	return f.alike(SizeKeyOf(r), func(key syncstate.Folder, other syncstate.Record) (bool, error) {
		first := cmp.Or(other.Published.At.Compare(r.Published.At), strings.Compare(key.Path, f.Folder.Key.Path)) < 0
		return first && haveSamePhotos(own, recordedFrames(other)), nil
	})
}

// HasPhotosOf is the published folder whose photos a folder has that was never published; empty for
// none.
func (f Search) HasPhotosOf(ctx context.Context, g plan.Set) (name string, err error) {
	return f.alike(g.SizeKey(), func(_ syncstate.Folder, other syncstate.Record) (bool, error) {
		return f.continues(ctx, g, other)
	})
}

// alike is the first published folder that stands, of this size key, that is the same, by name; empty for none.
// It has its root in front where that is another one.
func (f Search) alike(size plan.SizeKey, same func(syncstate.Folder, syncstate.Record) (bool, error)) (name string, err error) {
	for _, key := range f.Index.alike(f.Folder.Key, size) {
		other, err := f.Store.Record(key)
		if err != nil {
			return "", err
		}
		if other.Run != nil || other.Published == nil || f.Others.IsMissed(key) {
			continue
		}
		is, err := same(key, other)
		switch {
		case err != nil:
			return "", err
		case is && key.Root != f.Folder.Key.Root:
			return filepath.ToSlash(key.Root) + "/" + key.Path, nil
		case is:
			return key.Path, nil
		}
	}
	return "", nil
}

func haveSamePhotos(a, b map[string]recorded) bool {
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
