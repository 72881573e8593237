package hosting

import (
	"maps"
	"sync"
	"time"
)

// askedMemory is how long a status request is remembered: as long as poll.first may be.
const askedMemory = 7 * 24 * time.Hour

// Asked remembers when the status of each product was asked for last. Several folders may search for
// one product.
type Asked struct {
	mu    sync.Mutex
	at    map[string]time.Time // by UUID
	prune int                  // how many there are when those of long ago are forgotten
}

// Note takes in that a status request leaves now. It forgets those of long ago: the program runs
// for months.
func (a *Asked) Note(product string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at == nil {
		a.at = map[string]time.Time{}
	}
	if len(a.at) >= a.prune {
		maps.DeleteFunc(a.at, func(_ string, at time.Time) bool { return now.Sub(at) > askedMemory })
		a.prune = 2 * (len(a.at) + 1)
	}
	a.at[product] = now
}

// At is when the newest status request for a product left; zero when none did.
func (a *Asked) At(product string) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at[product]
}
