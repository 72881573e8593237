package renamed

import (
	"slices"
	"sync"
	"time"

	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// An Index finds recorded folders by their product, and by the size key of their frames. It follows
// the state file: a record that is saved is filed here too.
type Index struct {
	mu        sync.Mutex
	folders   map[syncstate.Folder]filed
	byProduct map[string][]syncstate.Folder
	bySize    map[plan.SizeKey]map[syncstate.Folder]bool
}

// filed is what the index knows of a folder.
type filed struct {
	product string       // empty for none
	size    plan.SizeKey // zero for a folder that has nothing to be known by
	holds   plan.SizeKey // what its recorded frames amount to, though it may be a folder of any size
	seen    time.Time    // when it was last found on the disk
}

// File files a folder by its record.
func (x *Index) File(key syncstate.Folder, r syncstate.Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	is := x.folders[key]
	is.product, is.size, is.holds = r.Product.UUID, SizeKeyOf(r), framesOf(r)
	x.file(key, is)
}

// Drop takes out a folder that is not recorded any more.
func (x *Index) Drop(key syncstate.Folder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.file(key, filed{})
}

// Move files a folder whose record moved.
func (x *Index) Move(from, to syncstate.Folder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	is := x.folders[from]
	x.file(from, filed{})
	x.file(to, is)
}

// Replace has the index hold what another one holds.
func (x *Index) Replace(by *Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.folders, x.byProduct, x.bySize = by.folders, by.byProduct, by.bySize
}

// file files a folder. The mutex is held.
func (x *Index) file(key syncstate.Folder, is filed) {
	if x.folders == nil {
		x.folders, x.byProduct = map[syncstate.Folder]filed{}, map[string][]syncstate.Folder{}
		x.bySize = map[plan.SizeKey]map[syncstate.Folder]bool{}
	}
	was := x.folders[key]
	if was.product != is.product {
		x.fileProduct(key, was.product, is.product)
	}
	if was.size != is.size {
		x.fileSize(key, was.size, is.size)
	}
	if is.product == "" && is.size == (plan.SizeKey{}) {
		delete(x.folders, key)
		return
	}
	x.folders[key] = is
}

func (x *Index) fileProduct(key syncstate.Folder, was, is string) {
	others := slices.DeleteFunc(x.byProduct[was], func(f syncstate.Folder) bool { return f == key })
	if x.byProduct[was] = others; len(others) == 0 {
		delete(x.byProduct, was)
	}
	if is != "" {
		x.byProduct[is] = append(x.byProduct[is], key)
	}
}

func (x *Index) fileSize(key syncstate.Folder, was, is plan.SizeKey) {
	if delete(x.bySize[was], key); len(x.bySize[was]) == 0 {
		delete(x.bySize, was)
	}
	if is == (plan.SizeKey{}) {
		return
	}
	if x.bySize[is] == nil {
		x.bySize[is] = map[syncstate.Folder]bool{}
	}
	x.bySize[is][key] = true
}

// Another is another folder that has a product, whether it is present or not.
func (x *Index) Another(key syncstate.Folder, product string) (other syncstate.Folder, has bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, other := range x.byProduct[product] {
		if other != key {
			return other, true
		}
	}
	return syncstate.Folder{}, false
}

// SizeOf is what the recorded frames of a folder amount to; zero for none.
func (x *Index) SizeOf(key syncstate.Folder) plan.SizeKey {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.folders[key].holds
}

// unseen lists the folders of this size key, and those with a run that is not complete, that were
// not found on the disk since a time.
func (x *Index) unseen(since time.Time, size plan.SizeKey) []syncstate.Folder {
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []syncstate.Folder
	for _, size := range []plan.SizeKey{size, anySize} {
		for key := range x.bySize[size] {
			if x.folders[key].seen.Before(since) {
				all = append(all, key)
			}
		}
	}
	return all
}

// seen notes that a folder was found on the disk, as proof against a rename.
func (x *Index) seen(key syncstate.Folder, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if is, known := x.folders[key]; known {
		is.seen = at
		x.folders[key] = is
	}
}

// anySize is the size key of a folder whose run does not have all of its frames yet, or whose
// product is still to be compared: it may be a folder of any size. There are never many of these
// folders.
var anySize = plan.SizeKey{Images: -1}

// SizeKeyOf is the size key of the frames that a record has.
func SizeKeyOf(r syncstate.Record) plan.SizeKey {
	frames := framesOf(r)
	complete := frames.Images > 0 && (r.Run == nil || r.Run.Images == frames.Images)
	if !complete && (r.Run != nil || r.Product.UUID != "") {
		return anySize
	}
	return frames
}

// framesOf is what the frames of a record's run amount to, else the published ones.
func framesOf(r syncstate.Record) (all plan.SizeKey) {
	switch {
	case r.Run != nil && len(r.Run.Frames) > 0:
		for _, f := range r.Run.Frames {
			all.Images++
			all.Bytes += f.Size
		}
	case r.Published != nil:
		all = plan.SizeKey{Images: r.Published.Images, Bytes: r.Published.Bytes}
	}
	return all
}
