package schedule

import (
	"sync"

	"spinsync/syncstate"
)

// A Class is the reason why a folder goes before others. Within a class the folder that came first
// goes first.
type Class int

// The classes in the order in which they are served.
const (
	Priority Class = iota // a person wants it first
	Shooting              // a camera writes it now
	Begun                 // its upload began; another upload at the same time would only delay both
	New
	Retry // it failed before
)

// Priorities are the folders that a person wants first. The zero value holds none; nil is empty
// too.
type Priorities struct {
	mu      sync.RWMutex
	folders map[syncstate.Folder]bool
}

// Has reports whether a person wants a folder first.
func (p *Priorities) Has(key syncstate.Folder) bool {
	if p == nil {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.folders[key]
}

// Set adds a folder, or takes it out.
func (p *Priorities) Set(key syncstate.Folder, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !first:
		delete(p.folders, key)
	case p.folders == nil:
		p.folders = map[syncstate.Folder]bool{key: true}
	default:
		p.folders[key] = true
	}
}
