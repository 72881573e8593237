package publish

import (
	"maps"
	"slices"
	"sync"

	"spinsync/syncstate"
)

// Owners tell which folder each product belongs to, by UUID. A folder below a root that is not
// watched any more has its product until the folder of its path and name below another root takes
// its record.
type Owners struct {
	mu        sync.Mutex
	byProduct map[string]syncstate.Folder
	unwatched []string // roots
}

// NewOwners knows of no product.
func NewOwners() *Owners { return &Owners{byProduct: map[string]syncstate.Folder{}} }

// AddUnwatched notes a root that is recorded, and not watched.
func (o *Owners) AddUnwatched(root string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.unwatched, root) {
		o.unwatched = append(o.unwatched, root)
	}
}

// isUnwatched reports whether a folder lies below a root that is recorded, and not watched.
func (o *Owners) isUnwatched(key syncstate.Folder) bool {
	return slices.Contains(o.unwatchedRoots(), key.Root)
}

func (o *Owners) unwatchedRoots() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.unwatched
}

func (o *Owners) of(product string) (syncstate.Folder, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key, ok := o.byProduct[product]
	return key, ok
}

// Set makes a product the folder's.
func (o *Owners) Set(product string, key syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byProduct[product] = key
}

// claim makes a product the folder's, unless it is another's already.
func (o *Owners) claim(product string, key syncstate.Folder) (owner syncstate.Folder, claimed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if owner, owned := o.byProduct[product]; owned && owner != key {
		return owner, false
	}
	o.byProduct[product] = key
	return key, true
}

// Forget drops the products of a folder.
func (o *Owners) Forget(key syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.byProduct, func(_ string, owner syncstate.Folder) bool { return owner == key })
}

// Rename gives the products of a folder to another one.
func (o *Owners) Rename(from, to syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for product, owner := range o.byProduct {
		if owner == from {
			o.byProduct[product] = to
		}
	}
}

// Replace takes in what the state file says of all products.
func (o *Owners) Replace(byProduct map[string]syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byProduct = byProduct
}
