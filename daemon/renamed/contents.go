package renamed

import (
	"sync"
	"time"

	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// A ContentIndex finds folders by the size key of their recorded frames.
type ContentIndex struct {
	mu     sync.Mutex
	sizes  map[syncstate.Folder]plan.SizeKey
	bySize map[plan.SizeKey]map[syncstate.Folder]time.Time // when each was last found on the disk
}

// Set files a folder under a size key; the zero size key takes it out.
func (c *ContentIndex) Set(key syncstate.Folder, e plan.SizeKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file(key, e)
}

func (c *ContentIndex) file(key syncstate.Folder, e plan.SizeKey) {
	was := c.sizes[key]
	if was == e {
		return
	}
	found := c.bySize[was][key]
	if delete(c.bySize[was], key); len(c.bySize[was]) == 0 {
		delete(c.bySize, was)
	}
	if e == (plan.SizeKey{}) {
		delete(c.sizes, key)
		return
	}
	if c.sizes == nil {
		c.sizes, c.bySize = map[syncstate.Folder]plan.SizeKey{}, map[plan.SizeKey]map[syncstate.Folder]time.Time{}
	}
	if c.bySize[e] == nil {
		c.bySize[e] = map[syncstate.Folder]time.Time{}
	}
	c.sizes[key], c.bySize[e][key] = e, found
}

// Of is the size key of a folder; zero for none.
func (c *ContentIndex) Of(key syncstate.Folder) plan.SizeKey {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizes[key]
}

// unseen lists the folders of these size keys that were not found on the disk since a time.
func (c *ContentIndex) unseen(since time.Time, sizes ...plan.SizeKey) []syncstate.Folder {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []syncstate.Folder
	for _, e := range sizes {
		for key, found := range c.bySize[e] {
			if found.Before(since) {
				all = append(all, key)
			}
		}
	}
	return all
}

// seen notes that a folder was found on the disk, as proof against a rename.
func (c *ContentIndex) seen(key syncstate.Folder, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, filed := c.sizes[key]; filed {
		c.bySize[e][key] = at
	}
}

// Rename files a folder under another name.
func (c *ContentIndex) Rename(from, to syncstate.Folder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file(to, c.sizes[from])
	c.file(from, plan.SizeKey{})
}

// unfinished is the size key of a folder whose frames are not all recorded yet, because its product
// is only just asked for or its set still being shot. There are never many of these folders.
var unfinished = plan.SizeKey{Images: -1}

// SizeKeyOf is the size key of the frames that a record has.
func SizeKeyOf(r syncstate.Record) plan.SizeKey {
	switch run := r.Run; {
	case run != nil && len(run.Frames) > 0 && len(run.Frames) == run.Images:
		e := plan.SizeKey{Images: run.Images}
		for _, f := range run.Frames {
			e.Bytes += f.Size
		}
		return e
	case run == nil && r.Published != nil:
		return plan.SizeKey{Images: r.Published.Images, Bytes: r.Published.Bytes}
	case r.Product.UUID != "" || run != nil:
		return unfinished
	}
	return plan.SizeKey{}
}
