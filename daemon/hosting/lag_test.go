package hosting

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// A lagWorld is a service that learns from creates, which are all in one project.
type lagWorld struct {
	*Lag
	store *syncstate.Store
	now   time.Time
	n     int
}

func newLagWorld(t *testing.T) *lagWorld {
	t.Helper()
	store := plantest.Store(t)
	lag, err := newLag(store)
	if err != nil {
		t.Fatal(err)
	}
	return &lagWorld{Lag: lag, store: store, now: time.Now()}
}

// create makes a product that a list has so long after the request, when the next list is asked
// for.
func (w *lagWorld) create(answered, listed time.Duration, has bool) {
	w.n++
	uuid, sent := fmt.Sprint("product-", w.n), w.now
	w.Answered("p", uuid, sent, sent.Add(answered))
	var products []apiclient.Product
	if has {
		products = []apiclient.Product{{UUID: uuid}}
	}
	w.Listed("p", sent.Add(listed), sent.Add(listed), products)
	w.now = sent.Add(time.Minute)
}

func (w *lagWorld) trusts() bool { return slices.Equal(w.LookPauses(), promptPauses) }

// TestPromptServiceIsTrusted: twenty creates in a row whose product stood in a list within a second
// make later doubts short, also in the next process. Lists that come later tell nothing either way.
func TestPromptServiceIsTrusted(t *testing.T) {
	w := newLagWorld(t)
	for i := range promptCreates {
		if w.trusts() {
			t.Fatalf("it is trusted after %d creates", i)
		}
		w.create(100*time.Millisecond, prompt, true)
		w.create(100*time.Millisecond, time.Hour, true)
	}
	if !w.trusts() {
		t.Error("it is not trusted")
	}
	if next, err := newLag(w.store); err != nil || !slices.Equal(next.LookPauses(), promptPauses) {
		t.Errorf("the next process does not trust it: %v", err)
	}
}

// TestTrustEnds: anything that takes longer than a second ends the trust, also for the next
// process, and it takes as many prompt creates as before to earn it anew.
func TestTrustEnds(t *testing.T) {
	for name, late := range map[string]func(*lagWorld){
		"a list that lacks a product": func(w *lagWorld) { w.create(0, prompt+1, false) },
		"a slow answer":               func(w *lagWorld) { w.create(prompt+1, 2*prompt, true) },
		"a create that hangs":         func(w *lagWorld) { w.Unanswered(w.now, w.now.Add(prompt+1)) },
		"a look that missed it":       (*lagWorld).Late,
	} {
		t.Run(name, func(t *testing.T) {
			w := newLagWorld(t)
			for range promptCreates {
				w.create(0, prompt, true)
			}
			if late(w); w.trusts() {
				t.Error("it is trusted still")
			}
			if next, err := newLag(w.store); err != nil || slices.Equal(next.LookPauses(), promptPauses) {
				t.Errorf("the next process trusts it: %v", err)
			}
			for range promptCreates - 1 {
				w.create(0, prompt, true)
			}
			if w.trusts() {
				t.Error("it is trusted again too soon")
			}
		})
	}
}

// TestFailuresAtOnceTellNothing: a create that is refused at once, a list of another project, and a
// list that was asked for before the answer say nothing of lists.
func TestFailuresAtOnceTellNothing(t *testing.T) {
	w := newLagWorld(t)
	for range promptCreates {
		w.create(0, prompt, true)
	}
	w.Unanswered(w.now, w.now.Add(prompt))
	w.Answered("p", "new", w.now, w.now)
	w.Listed("p", w.now.Add(-time.Minute), w.now, nil)
	w.Listed("p", w.now.Add(prompt), w.now.Add(prompt), nil)
	w.Listed("other", w.now.Add(time.Minute), w.now.Add(time.Minute), nil)
	if !w.trusts() {
		t.Error("it is not trusted any more")
	}
}

// TestTrialsAreFew: a trusted service is tried once a minute, and a service that does not filter
// its lists no more: each trial would be a list of everything.
func TestTrialsAreFew(t *testing.T) {
	w := newLagWorld(t)
	try := func(products ...apiclient.Product) {
		w.n++
		uuid := fmt.Sprint("product-", w.n)
		w.Answered("p", uuid, w.now, w.now)
		w.tried(uuid, "SKU-1", w.now, append(products, apiclient.Product{UUID: uuid, SKU: "sku-1 b"}))
	}
	for range promptCreates {
		if !w.tries(w.now) {
			t.Fatal("a service of which nothing is known is not tried")
		}
		try()
	}
	if w.tries(w.now.Add(trialPause)) || !w.tries(w.now.Add(trialPause+1)) {
		t.Error("a trusted service is not tried once a minute")
	}
	if try(apiclient.Product{UUID: "other", SKU: "SKU-2"}); w.tries(w.now.Add(time.Hour)) {
		t.Error("a service without filters is tried again")
	}
}
