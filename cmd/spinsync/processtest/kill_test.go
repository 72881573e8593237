package processtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// The program is killed at random instants, and at random requests, while people work in the
// folders and the service loses answers. Each time service and state file keep the promises; in the
// end everything is published.
func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	random := newRandom(t)
	w := newStudio(t, random)
	for range repeats(60, 600) {
		w.killOnce()
		w.check()
	}
	w.converge()
}

// The program is killed at the kth of the calls with which it commits, sends, and makes or removes
// files.
func TestKilledAtAnySystemCall(t *testing.T) {
	t.Parallel()
	strace := needsTool(t, "strace")
	random := newRandom(t)
	w := newStudio(t, random)
	w.env = []string{"GOMAXPROCS=1"} // strace counts the calls of each thread
	calls := []struct {
		names string
		most  int
	}{
		{"fdatasync", 15}, {"pwrite64", 40}, {"connect", 5}, {"write", 40},
		{"read", 60}, {"openat", 60}, {"close", 60}, {"linkat,unlinkat,renameat", 5},
	}
	struck := 0
	tries := repeats(3*len(calls), 40*len(calls))
	for n := range tries {
		call := calls[n%len(calls)]
		w.wrap = []string{strace, "-D", "-f", "-qq", "-o", "/dev/null",
			"-e", "trace=" + call.names, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call.names, 1+random.IntN(call.most))}
		p := w.start("run")
		if w.workUntilDeath(p, 3*time.Second) {
			struck++
		}
		w.check()
	}
	t.Logf("%d of %d times the call came", struck, tries)
	w.wrap = nil
	w.converge()
}

// isLooking reports whether a folder waits for the next list, which shows what a create without an
// answer may have made.
func isLooking(p status.ProductStatus) bool {
	return p.State == status.Retrying && strings.Contains(p.Reason, "checking whether it was made")
}

func isBusy(p status.ProductStatus) bool { return p.State != status.Published && !isLooking(p) }

// killOnce starts the program, lets it live for a moment and kills it.
func (w *studio) killOnce() {
	if w.random.IntN(4) == 0 {
		w.letTimePass()
	}
	p := w.installation.start("run")
	w.service.loseAnswers(rand.New(rand.NewPCG(w.random.Uint64(), 0)), 12)
	if w.random.IntN(2) == 0 {
		w.killAtCall(p, 1+w.random.IntN(40), w.random.IntN(2) == 0)
	}
	w.workUntilDeath(p, time.Duration(w.random.IntN(1500))*time.Millisecond)
}

// workUntilDeath changes the folders until the program is dead. It is killed when its time is over;
// early reports that it died before.
func (w *studio) workUntilDeath(p *process, life time.Duration) (early bool) {
	early = w.workBeside(p, life)
	p.kill()
	return early
}

// workBeside changes the folders for a time, or until the program has ended, which it reports.
func (w *studio) workBeside(p *process, span time.Duration) (ended bool) {
	over := time.NewTimer(span)
	defer over.Stop()
	for {
		select {
		case <-p.ended:
			return true
		case <-over.C:
			return false
		case <-time.After(time.Duration(w.random.IntN(200)) * time.Millisecond):
		}
		w.shoots[w.random.IntN(len(w.shoots))].edit()
	}
}

// killAtCall kills the program at the nth call from now, which is served or not.
func (w *studio) killAtCall(p *process, n int, served bool) {
	lose := *w.service.spoil.Load()
	var left atomic.Int64
	left.Store(int64(n))
	spoil := func(c *sandbox.Call) sandbox.Fault {
		if left.Add(-1) != 0 {
			return lose(c)
		}
		_ = p.Process.Kill() // it may have ended
		return sandbox.Fault{DropBefore: !served, DropAfter: served}
	}
	w.service.spoil.Store(&spoil)
}

// letTimePass moves what the state file remembers into the past, as if the machine had been off for
// minutes: the waits of a create without an answer are long. No request may be under way then.
func (w *studio) letTimePass() {
	w.service.busy.Wait()
	store, err := syncstate.Open(w.state, w.account())
	must(w.t, err)
	const past = 10 * time.Minute
	for key := range store.Heads() {
		must(w.t, store.Update(key, func(r *syncstate.Record) error {
			ageIntent(r.Run.Asked(), past)
			if r.Trouble != nil && r.Trouble.Kind != syncstate.NeedsPerson {
				r.Trouble.Tries.Next = r.Trouble.Tries.Next.Add(-past)
			}
			return nil
		}))
	}
	must(w.t, store.UpdateProject("Summer", func(r *syncstate.ProjectRecord) error {
		ageIntent(r.Intent, past)
		return nil
	}))
	must(w.t, store.Close())
}

func ageIntent(i *syncstate.Intent, past time.Duration) {
	if i != nil {
		i.At, i.Looks.Next = i.At.Add(-past), i.Looks.Next.Add(-past)
	}
}
