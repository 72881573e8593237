package dashboard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A moment is the content of all pages at one instant. It is never changed once it is made.
type moment struct {
	at     time.Time
	status status.Status
	names  *names
	order  []int32 // the places of the products in the status, the most urgent first
	counts map[status.State]int
	sure   map[status.State]int // counts, without the folders that are compared
	// comparing is how many folders are compared with the service before anything else is done.
	comparing int
	newest    map[string]int // by root, the place of the product in which frames last arrived
	day       dayBoard
	history   history
}

// names are the IDs of the product folders in the addresses of their pages. Moments share them
// while no folder comes or goes.
type names struct {
	ids   []string // in the order of the status
	place map[string]int
}

// A product is a product folder with its ID.
type product struct {
	status.ProductStatus
	ID   string
	Rate float64 // bytes that it sends a second
}

// A board keeps the newest moment, and wakes its readers when pages change.
type board struct {
	d *daemon.Live

	mu      sync.Mutex
	now     *moment
	of      *daemon.Daemon // that now was made of
	news    chan struct{}  // closed and replaced when pages may change
	drawn   time.Time      // when news was last closed
	history *recorder
}

func newBoard(d *daemon.Live) *board {
	b := &board{d: d, news: make(chan struct{}), history: newRecorder(d)}
	b.refresh()
	return b
}

const (
	// refreshGap is the least time between two moments: a person sees no more, and a browser need
	// not draw more.
	refreshGap = 400 * time.Millisecond
	// countGap is how often bytes are counted although the daemon reports nothing new.
	countGap = 2 * time.Second
	// redrawGap is how often pages are drawn although the daemon reports nothing new: rates fall.
	redrawGap = 10 * time.Second
)

// watch makes a new moment after each change of the daemon's status.
func (b *board) watch(ctx context.Context) {
	tick := time.NewTicker(countGap)
	defer tick.Stop()
	for {
		changed := b.d.Daemon().Changed()
		b.refresh()
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
	if !same || m.at.Sub(b.drawn) >= redrawGap {
		b.drawn = m.at
		close(b.news)
		b.news = make(chan struct{})
	}
}

// moment makes the moment of now, and reports whether it differs from the last one by nothing but
// the time. The mutex is held.
func (b *board) moment() (m *moment, same bool) {
	now, d := time.Now(), b.d.Daemon()
	if d != b.of {
		b.of = d
		status := d.Status()
		return newMoment(status, newNames(status.Products), now), false
	}
	status, same := d.StatusSince(b.now.status)
	if same && sameDay(b.now.at, now) {
		later := *b.now
		later.at, later.status = now, status
		return &later, true
	}
	known := b.now.names
	if !slices.EqualFunc(status.Products, b.now.status.Products, sameFolder) {
		known = newNames(status.Products)
	}
	return newMoment(status, known, now), false
}

func sameFolder(a, b status.ProductStatus) bool { return a.Folder == b.Folder && a.Root == b.Root }

// latest returns the newest moment, and a channel that is closed when pages may change.
func (b *board) latest() (*moment, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now, b.news
}

func newMoment(current status.Status, known *names, now time.Time) *moment {
	m := &moment{
		at:     now,
		status: current,
		names:  known,
		order:  make([]int32, len(current.Products)),
		counts: map[status.State]int{},
		sure:   map[status.State]int{},
		newest: map[string]int{},
		day:    newDay(current.Products, now),
	}
	ranks := make([]int8, len(current.Products))
	for i, p := range current.Products {
		m.order[i] = int32(i)
		m.counts[p.State]++
		if p.IsBeingCompared() && p.State != status.Paused {
			m.comparing++
		} else {
			m.sure[p.State]++
		}
		ranks[i] = int8(slices.Index(status.States, p.State))
		if last, known := m.newest[p.Root]; !p.Arrived.IsZero() &&
			(!known || p.Arrived.After(current.Products[last].Arrived)) {
			m.newest[p.Root] = i
		}
	}
	m.day.OnTheWay = m.onItsWay()
	slices.SortStableFunc(m.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), current.Products[b].Since.Compare(current.Products[a].Since))
	})
	return m
}

func newNames(products []status.ProductStatus) *names {
	n := &names{ids: make([]string, len(products)), place: make(map[string]int, len(products))}
	for i, p := range products {
		n.ids[i] = idOf(p.Key())
		n.place[n.ids[i]] = i
	}
	return n
}

// idOf returns the ID of a product folder in addresses. It is a hash, because folder names are
// hostile text of any length.
func idOf(key syncstate.Folder) string {
	sum := sha256.Sum256([]byte(key.Root + "\x00" + key.Path))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// learnOrigin permits images from the origin of an address on the pages of later moments.
func (b *board) learnOrigin(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history.learnOrigin(address)
}

// find returns the product with this ID.
func (m *moment) find(id string) (product, bool) {
	i, ok := m.names.place[id]
	if !ok {
		return product{}, false
	}
	return m.product(i), true
}

// product returns the product at a place of the status.
func (m *moment) product(i int) product {
	id := m.names.ids[i]
	return product{m.status.Products[i], id, m.history.rates[id]}
}

// products are all of them, the most urgent first.
func (m *moment) products() iter.Seq[product] {
	return func(yield func(product) bool) {
		for _, i := range m.order {
			if !yield(m.product(int(i))) {
				return
			}
		}
	}
}
