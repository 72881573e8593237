package simulation

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/sandbox/section"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// newPlainWorld is a world with one root in which nothing goes wrong by itself.
func newPlainWorld(t *testing.T, shapes sandbox.Shapes, folders ...string) *world {
	t.Helper()
	w := newWorld(t, 1)
	w.plan = plan{service: plainService, shapes: shapes, lifetime: time.Hour, giveUp: "6h", roots: []rootPlan{plainRoot}}
	root := &w.plan.roots[0]
	root.name, root.settle, root.quiet, root.order, root.folders = "shoots", time.Second, 3*time.Second, "name", folders
	w.spoil = func(*call) (string, sandbox.Fault) { return "", sandbox.Fault{} }
	w.stopAt, w.failAt = func(string) bool { return false }, func(string) (bool, bool) { return false, false }
	return w
}

// spoilFirstCreate spoils the first create of a product, and notes when each came.
func (w *world) spoilFirstCreate(fault sandbox.Fault) (sent *[]time.Time) {
	sent = &[]time.Time{}
	w.spoil = func(c *call) (string, sandbox.Fault) {
		if c.op != section.CreateProduct {
			return "", sandbox.Fault{}
		}
		*sent = append(*sent, time.Now())
		if len(*sent) > 1 {
			return "", sandbox.Fault{}
		}
		return "", fault
	}
	return sent
}

// liveInDoubt is the life of a world in which the first create gets no answer. The work on it says
// what a person does meanwhile.
func (w *world) liveInDoubt(t *testing.T, isPrompt bool, meanwhile func(f *folder)) {
	w.t = t
	w.trace.began, w.down = time.Now(), make(chan downfall, 64)
	w.open()
	defer w.close()
	for _, f := range w.studio.folders {
		w.expose(f)
	}
	state := filepath.Join(w.dir, "state", "first.db")
	if isPrompt {
		w.trustLists(state)
	}
	w.start(state)
	meanwhile(w.studio.folders[0])
	w.settle()
}

// trustLists makes a state file that knows a prompt service.
func (w *world) trustLists(state string) {
	store, err := syncstate.Open(state, account)
	w.studio.must(err)
	w.studio.must(syncstate.PromptLists.Set(store, true))
	w.studio.must(store.Close())
}

// TestLengthOfADoubt: a create without an answer is sent again after minutes. Where the service is
// known to be prompt seconds are enough, and after a person's word one look is.
func TestLengthOfADoubt(t *testing.T) {
	say := func(verb daemon.Verb) func(*world, *folder) {
		return func(w *world, f *folder) {
			w.pass(time.Now().Add(45 * time.Second))
			key := syncstate.Folder{Root: f.root.path, Path: f.name}
			w.verb(w.current.Load(), w.current.Load().daemon.Do(verb, key))
		}
	}
	wait := func(*world, *folder) {}
	for name, test := range map[string]struct {
		isPrompt    bool
		meanwhile   func(*world, *folder)
		least, most time.Duration
	}{
		"nothing is known": {false, wait, 2 * time.Minute, 3 * time.Minute},
		"a prompt service": {true, wait, 10 * time.Second, 15 * time.Second},
		"a person's word":  {false, say(daemon.RetryNotMade), 20 * time.Second, time.Minute},
		"a person's retry": {false, say(daemon.Retry), 2 * time.Minute, 3 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPlainWorld(t, sandbox.Shapes{}, "Summer/SKU-1")
			sent := w.spoilFirstCreate(sandbox.Fault{DropBefore: true})
			w.run(t, func(t *testing.T) {
				w.liveInDoubt(t, test.isPrompt, func(f *folder) { test.meanwhile(w, f) })
			}, "-run TestLengthOfADoubt")
			if sent := *sent; len(sent) != 2 || sent[1].Sub(sent[0]) < test.least || sent[1].Sub(sent[0]) > test.most {
				t.Errorf("the requests left at %v", sent)
			}
		})
	}
}

// TestTrustInLists: creates of many folders show how current the lists are, and a late create ends
// the trust in them.
func TestTrustInLists(t *testing.T) {
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf("Summer/SKU-%d", i+1))
	}
	for name, test := range map[string]struct {
		folders       []string
		listLag       time.Duration
		fault         sandbox.Fault
		before, after bool
	}{
		"many creates, prompt lists":   {many, 0, sandbox.Fault{}, false, true},
		"many creates, late lists":     {many, 3 * time.Second, sandbox.Fault{}, true, false},
		"one create":                   {many[:1], 0, sandbox.Fault{}, true, true},
		"one create, late lists":       {many[:1], 3 * time.Second, sandbox.Fault{}, true, false},
		"a request that hangs":         {many[:1], 0, sandbox.Fault{Delay: 5 * time.Second, DropBefore: true}, true, false},
		"an answer that hangs":         {many[:1], 0, sandbox.Fault{Delay: 5 * time.Second}, true, false},
		"a look that missed a product": {many[:1], 5 * time.Second, sandbox.Fault{DropAfter: true}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPlainWorld(t, sandbox.Shapes{ListLag: test.listLag}, test.folders...)
			w.spoilFirstCreate(test.fault)
			trusted := false
			w.run(t, func(t *testing.T) {
				w.liveInDoubt(t, test.before, func(*folder) {
					w.settle()
					var err error
					trusted, err = syncstate.PromptLists.Read(w.current.Load().store)
					w.studio.must(err)
				})
			}, "-run TestTrustInLists")
			if trusted != test.after {
				t.Errorf("the lists are trusted: %t", trusted)
			}
		})
	}
}

// TestAPersonKnowsOfAListThatLags: a view that is gone and listed still is waited for, and a
// person's word ends that at once.
func TestAPersonKnowsOfAListThatLags(t *testing.T) {
	w := newPlainWorld(t, sandbox.Shapes{RemovedLag: 24 * time.Hour}, "Summer/SKU-1")
	w.run(t, func(t *testing.T) {
		w.liveInDoubt(t, false, func(f *folder) {
			w.settle()
			w.removeView()
			key := syncstate.Folder{Root: f.root.path, Path: f.name}
			d := w.current.Load().daemon
			w.verb(w.current.Load(), d.Do(daemon.Retry, key))
			w.pass(time.Now().Add(10 * time.Second))
			if p := d.Status().Products[0]; p.State != status.Retrying || !p.Cause.Is(status.ListedStill) {
				t.Errorf("it is %s: %s", p.State, p.Reason)
			}
			w.verb(w.current.Load(), d.Do(daemon.RetryNotMade, key))
			w.pass(time.Now().Add(10 * time.Second))
			if p := d.Status().Products[0]; p.State != status.Published {
				t.Errorf("after the word of a person it is %s: %s", p.State, p.Reason)
			}
		})
	}, "-run TestAPersonKnowsOfAListThatLags")
}
