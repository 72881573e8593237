package simulation

import (
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// newPlainWorld is a world with one root in which nothing goes wrong by itself. Lists keep what is
// gone for a while.
func newPlainWorld(t *testing.T, removedLag time.Duration, folders ...string) *world {
	t.Helper()
	w := newWorld(t, 1)
	odd := oddity{habits: new(servicetest.Plain()), removedLag: removedLag}
	w.plan = plan{
		username: username, service: strictService, odd: odd, lifetime: time.Hour, giveUp: "6h", roots: []rootPlan{plainRoot},
	}
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
		if c.op != sandbox.CreateProduct {
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
func (w *world) liveInDoubt(t *testing.T, meanwhile func(f *folder)) {
	w.t = t
	w.trace.began, w.down = time.Now(), make(chan downfall, 64)
	w.open()
	defer w.close()
	for _, f := range w.studio.folders {
		w.expose(f)
	}
	w.start(filepath.Join(w.dir, "state", "first.db"))
	meanwhile(w.studio.folders[0])
	w.settle()
}

// TestLengthOfADoubt: a create without an answer is sent again after minutes, also on a service that
// lists a new product at once. After a person's word one look is enough.
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
		meanwhile   func(*world, *folder)
		least, most time.Duration
	}{
		"no word":          {wait, 2 * time.Minute, 3 * time.Minute},
		"a person's word":  {say(daemon.RetryNotMade), 20 * time.Second, time.Minute},
		"a person's retry": {say(daemon.Retry), 2 * time.Minute, 3 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPlainWorld(t, 0, "Summer/SKU-1")
			sent := w.spoilFirstCreate(sandbox.Fault{DropBefore: true})
			w.run(t, func(t *testing.T) {
				w.liveInDoubt(t, func(f *folder) { test.meanwhile(w, f) })
			}, "-run TestLengthOfADoubt")
			if sent := *sent; len(sent) != 2 || sent[1].Sub(sent[0]) < test.least || sent[1].Sub(sent[0]) > test.most {
				t.Errorf("the requests left at %v", sent)
			}
		})
	}
}

// TestViewThatIsListedStill: a view is gone once the status has said so for two minutes, although the
// list has it still. Then it is made anew.
func TestViewThatIsListedStill(t *testing.T) {
	w := newPlainWorld(t, 24*time.Hour, "Summer/SKU-1")
	w.run(t, func(t *testing.T) {
		w.liveInDoubt(t, func(f *folder) {
			w.settle()
			w.removeView()
			key := syncstate.Folder{Root: f.root.path, Path: f.name}
			d := w.current.Load().daemon
			w.verb(w.current.Load(), d.Do(daemon.Retry, key))
			for _, then := range []struct {
				after time.Duration
				is    status.State
			}{{2 * time.Minute, status.Retrying}, {time.Minute, status.Published}} {
				w.pass(time.Now().Add(then.after))
				if p := d.Daemon().Status().Products[0]; p.State != then.is {
					t.Errorf("%v later it is %s, want %s: %s", then.after, p.State, then.is, p.Reason)
				}
			}
		})
	}, "-run TestViewThatIsListedStill")
}
