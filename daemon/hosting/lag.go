package hosting

import (
	"maps"
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
	// What was created this long ago tells nothing of lists any more.
	madeLife = 10 * time.Minute
)

// promptPauses take the place of LookPauses where the service is prompt.
var promptPauses = []time.Duration{2 * time.Second, 8 * time.Second}

// A Lag learns from each create how soon its product stands in the lists. One create that takes
// longer, be it the request or the list, ends the trust in a prompt service until it is earned anew.
// The state file remembers the trust: most doubts come from the end of a process.
type Lag struct {
	store *syncstate.Store

	mu     sync.Mutex
	inARow int             // prompt creates
	made   map[string]made // products that no list told of so far, by UUID
}

// made is a product that was created.
type made struct {
	project        string
	sent, answered time.Time
}

func newLag(store *syncstate.Store) (*Lag, error) {
	l := &Lag{store: store, made: map[string]made{}}
	trusted, err := store.PromptLists()
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

// Listed takes in a list of all products of a project.
func (l *Lag) Listed(project string, asked, now time.Time, products []apiclient.Product) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range products {
		m, is := l.made[p.UUID]
		if delete(l.made, p.UUID); is && now.Sub(m.sent) <= prompt {
			l.inTime()
		}
	}
	for uuid, m := range l.made {
		if m.project == project && asked.Sub(m.answered) > prompt {
			delete(l.made, uuid)
			l.late()
		}
	}
}

// inTime counts a prompt create. The mutex is held, as in late. A state file that cannot be written
// fails the next step too.
func (l *Lag) inTime() {
	if l.inARow++; l.inARow == promptCreates {
		_ = l.store.SetPromptLists(true)
	}
}

func (l *Lag) late() {
	if l.inARow >= promptCreates {
		_ = l.store.SetPromptLists(false)
	}
	l.inARow = 0
}
