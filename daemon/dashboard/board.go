package dashboard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/daemon"
	"spinsync/syncstate"
)

// A moment is what all pages show at one instant. It is never changed once it is made.
type moment struct {
	at       time.Time
	status   daemon.Status
	products []product // the most urgent first
	byID     map[string]int
	counts   map[daemon.State]int
	history  history
}

// A product is a product folder under the name that its page's address has.
type product struct {
	daemon.ProductStatus
	ID string
}

// A board keeps the newest moment, and tells those who wait when there is one that looks different.
type board struct {
	d   *daemon.Daemon
	log *slog.Logger

	mu      sync.Mutex
	ids     map[syncstate.Folder]string
	now     *moment
	news    chan struct{} // closed and replaced when pages may look different
	told    time.Time     // when it was
	history *recorder
}

func newBoard(d *daemon.Daemon, log *slog.Logger) *board {
	b := &board{d: d, log: log, ids: map[syncstate.Folder]string{}, news: make(chan struct{}), history: newRecorder(d)}
	if past, err := d.History(); err != nil {
		log.Warn("the history of the page cannot be read", "error", err)
	} else {
		b.history.load(past, time.Now())
	}
	b.refresh()
	return b
}

const (
	// refreshGap is the least time between two moments: a person sees no more, and a browser need not draw more.
	refreshGap = 400 * time.Millisecond
	// beat is how often bytes are counted although the daemon tells nothing new.
	beat = 2 * time.Second
)

// watch makes a new moment whenever the daemon's status changes, and keeps the past.
func (b *board) watch(ctx context.Context) {
	defer b.save(true)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		changed := b.d.Changed()
		b.refresh()
		b.save(false)
		select {
		case <-time.After(refreshGap):
		case <-ctx.Done():
			return
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// refresh makes a new moment.
func (b *board) refresh() {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, same := b.moment()
	if same {
		b.history.measure(0, m)
	} else {
		b.history.note(b.now, m)
	}
	m.history = b.history.history()
	b.now = m
	if !same || m.at.Sub(b.told) >= sampleGap {
		b.told = m.at
		close(b.news)
		b.news = make(chan struct{})
	}
}

// moment is what there is to show now, and whether nothing but the time is another than at the last one. The mutex is held.
func (b *board) moment() (m *moment, same bool) {
	now := time.Now()
	if b.now == nil {
		return newMoment(b.d.Status(), now, b.idOf), false
	}
	status, same := b.d.StatusSince(b.now.status)
	if !same {
		return newMoment(status, now, b.idOf), false
	}
	later := *b.now
	later.at, later.status = now, status
	return &later, true
}

// latest returns the newest moment, and a channel that is closed when there is one that looks different.
func (b *board) latest() (*moment, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now, b.news
}

func newMoment(status daemon.Status, now time.Time, idOf func(syncstate.Folder) string) *moment {
	m := &moment{
		at: now, status: status, byID: make(map[string]int, len(status.Products)), counts: map[daemon.State]int{},
		products: make([]product, len(status.Products)),
	}
	for i, p := range status.Products {
		m.products[i] = product{p, idOf(p.Key())}
		m.counts[p.State]++
	}
	slices.SortStableFunc(m.products, byUrgency)
	for i, p := range m.products {
		m.byID[p.ID] = i
	}
	return m
}

// idOf is how a product folder is named in an address: folder names are hostile text of any length.
func idOf(key syncstate.Folder) string {
	sum := sha256.Sum256([]byte(key.Root + "\x00" + key.Path))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// idOf remembers, because it is asked for every folder again and again. The mutex is held.
func (b *board) idOf(key syncstate.Folder) string {
	id, ok := b.ids[key]
	if !ok {
		id = idOf(key)
		b.ids[key] = id
	}
	return id
}

// learnOrigin lets the pages from the next moment on show images from there.
func (b *board) learnOrigin(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history.learnOrigin(address)
}

// find returns the product with this ID.
func (m *moment) find(id string) (product, bool) {
	i, ok := m.byID[id]
	if !ok {
		return product{}, false
	}
	return m.products[i], true
}

// urgency is the order in which states are listed, the one that needs a person first.
var urgency = []daemon.State{
	daemon.Attention, daemon.Retrying, daemon.Uploading, daemon.Processing, daemon.Queued, daemon.Collecting,
	daemon.Paused, daemon.Missing, daemon.Published,
}

func byUrgency(a, b product) int {
	if a.State == b.State {
		return b.Since.Compare(a.Since)
	}
	return cmp.Compare(slices.Index(urgency, a.State), slices.Index(urgency, b.State))
}
