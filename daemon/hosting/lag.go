package hosting

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

const (
	// A create is prompt when its product stands in a list within this time of the request.
	prompt = time.Second
	// After so many prompt creates in a row the service counts as prompt.
	promptCreates = 20
	// A product that was created this long ago tells nothing of lists any more.
	madeLife = 10 * time.Minute
	// A service that is known to be prompt is not tried more often.
	trialPause = time.Minute
)

// promptPauses take the place of LookPauses where the service is prompt.
var promptPauses = []time.Duration{2 * time.Second, 8 * time.Second}

// A Lag learns from each create how soon its product stands in the lists. One create that takes
// longer, be it the request or the list, ends the trust in a prompt service until it is earned
// anew. The state file remembers the trust: most doubts come from the end of a process.
type Lag struct {
	store *syncstate.Store

	mu     sync.Mutex
	inARow int             // prompt creates
	last   time.Time       // of them
	made   map[string]made // products that no list told of so far, by UUID
	whole  bool            // the service does not filter lists: one for a trial is too long
}

// made is a product that was created.
type made struct {
	project        string
	sent, answered time.Time
}

func newLag(store *syncstate.Store) (*Lag, error) {
	l := &Lag{store: store, made: map[string]made{}}
	trusted, err := syncstate.PromptLists.Read(store)
	if trusted {
		l.inARow = promptCreates
	}
	return l, err
}

// LookPauses are the waits before each look for what a create without an answer may have made.
func (l *Lag) LookPauses() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inARow >= promptCreates {
		return promptPauses
	}
	return LookPauses
}

// Answered takes in the answer to a create.
func (l *Lag) Answered(project, product string, sent, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(sent) > prompt {
		l.late()
	}
	maps.DeleteFunc(l.made, func(_ string, m made) bool { return now.Sub(m.sent) > madeLife })
	l.made[product] = made{project, sent, now}
}

// Unanswered takes in a create that failed.
func (l *Lag) Unanswered(sent, now time.Time) {
	if now.Sub(sent) > prompt {
		l.Late()
	}
}

// Late ends the trust: a look missed what a later one found.
func (l *Lag) Late() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late()
}

// TryList asks for a product that was just created, to learn whether the list has it. The folder
// does not need the answer, so a failure is none of the folder's.
func (h *Service) TryList(ctx context.Context, project, sku, product string) {
	if !h.Lag.tries(time.Now()) {
		return
	}
	if products, err := h.ProjectProducts(ctx, project, apiclient.Filter{SKU: sku}); err == nil {
		h.Lag.tried(product, sku, time.Now(), products)
	}
}

func (l *Lag) tries(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.whole && (l.inARow < promptCreates || now.Sub(l.last) > trialPause)
}

// tried takes in the list of a product that was just created, filtered by its SKU.
func (l *Lag) tried(product, sku string, now time.Time, products []apiclient.Product) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole = slices.ContainsFunc(products, func(p apiclient.Product) bool {
		return !strings.Contains(strings.ToLower(Compared(p.SKU)), strings.ToLower(Compared(sku)))
	})
	if !slices.ContainsFunc(products, func(p apiclient.Product) bool { return p.UUID == product }) {
		l.late()
		return
	}
	l.listed(product, now)
}

// Listed takes in a list of all products of a project.
func (l *Lag) Listed(project string, asked, now time.Time, products []apiclient.Product) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range products {
		l.listed(p.UUID, now)
	}
	for uuid, m := range l.made {
		if m.project == project && asked.Sub(m.answered) > prompt {
			delete(l.made, uuid)
			l.late()
		}
	}
}

// listed takes in a product that a list has. The mutex is held, as in late. A state file that
// cannot be written fails the next step too.
func (l *Lag) listed(product string, now time.Time) {
	m, is := l.made[product]
	delete(l.made, product)
	if !is || now.Sub(m.sent) > prompt {
		return
	}
	l.last = now
	if l.inARow++; l.inARow == promptCreates {
		_ = syncstate.PromptLists.Set(l.store, true)
	}
}

func (l *Lag) late() {
	if l.inARow >= promptCreates {
		_ = syncstate.PromptLists.Set(l.store, false)
	}
	l.inARow = 0
}
