package daemon

import (
	"sync"
	"time"

	"spinsync/syncstate"
)

// contents is the content index: the folders by the size key of their recorded frames.
type contents struct {
	mu     sync.Mutex
	sizes  map[syncstate.Folder]extent
	bySize map[extent]map[syncstate.Folder]time.Time // when each was last found on the disk
}

// set files a folder under a size key; the zero extent takes it out.
func (c *contents) set(key syncstate.Folder, e extent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file(key, e)
}

func (c *contents) file(key syncstate.Folder, e extent) {
	was := c.sizes[key]
	if was == e {
		return
	}
	found := c.bySize[was][key]
	if delete(c.bySize[was], key); len(c.bySize[was]) == 0 {
		delete(c.bySize, was)
	}
	if e == (extent{}) {
		delete(c.sizes, key)
		return
	}
	if c.sizes == nil {
		c.sizes, c.bySize = map[syncstate.Folder]extent{}, map[extent]map[syncstate.Folder]time.Time{}
	}
	if c.bySize[e] == nil {
		c.bySize[e] = map[syncstate.Folder]time.Time{}
	}
	c.sizes[key], c.bySize[e][key] = e, found
}

// of is the size key of a folder; zero for none.
func (c *contents) of(key syncstate.Folder) extent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizes[key]
}

// unseen lists the folders of these size keys that were not found on the disk since a time.
func (c *contents) unseen(since time.Time, extents ...extent) []syncstate.Folder {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []syncstate.Folder
	for _, e := range extents {
		for key, found := range c.bySize[e] {
			if found.Before(since) {
				all = append(all, key)
			}
		}
	}
	return all
}

// seen notes that a folder was found on the disk, as proof against a rename.
func (c *contents) seen(key syncstate.Folder, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, filed := c.sizes[key]; filed {
		c.bySize[e][key] = at
	}
}

// rename files a folder under another name.
func (c *contents) rename(from, to syncstate.Folder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file(to, c.sizes[from])
	c.file(from, extent{})
}
