package daemon

import (
	"maps"
	"sync"

	"spinsync/syncstate"
)

// owners tells which folder each product belongs to, by UUID.
type owners struct {
	mu        sync.Mutex
	byProduct map[string]syncstate.Folder
}

func newOwners() *owners { return &owners{byProduct: map[string]syncstate.Folder{}} }

func (o *owners) of(product string) (syncstate.Folder, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key, ok := o.byProduct[product]
	return key, ok
}

func (o *owners) set(product string, key syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byProduct[product] = key
}

// claim makes a product the folder's, unless it is another's already.
func (o *owners) claim(product string, key syncstate.Folder) (owner syncstate.Folder, claimed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if owner, owned := o.byProduct[product]; owned && owner != key {
		return owner, false
	}
	o.byProduct[product] = key
	return key, true
}

// forget drops the products of a folder.
func (o *owners) forget(key syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.byProduct, func(_ string, owner syncstate.Folder) bool { return owner == key })
}

// rename gives the products of a folder to another one.
func (o *owners) rename(from, to syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for product, owner := range o.byProduct {
		if owner == from {
			o.byProduct[product] = to
		}
	}
}

// replace takes in what the state file says of all products.
func (o *owners) replace(byProduct map[string]syncstate.Folder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byProduct = byProduct
}
