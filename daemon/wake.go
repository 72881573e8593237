package daemon

import (
	"fmt"
	"log/slog"
	"net"
	"time"

	"spinsync/daemon/hosting"
	"spinsync/daemon/schedule"
	"spinsync/watcher"
	"spinsync/watcher/clock"
)

// While a machine sleeps its timers stop, and the outage of the service or the network that it
// waited for may long be over. The system reports neither a wake nor a returned network, so the
// daemon checks for both.

const (
	// How often the daemon checks for them.
	wakeTick = 10 * time.Second
	// After a shorter sleep nothing is over.
	sleepAtLeast = 20 * time.Second
)

// surroundings are the readings that show a wake and a return of the network.
type surroundings struct {
	slept   time.Duration // of the machine so far
	network string        // the machine's own addresses
}

func surroundingsNow() surroundings {
	s := surroundings{slept: clock.Slept()}
	if addresses, err := net.InterfaceAddrs(); err == nil {
		s.network = fmt.Sprint(addresses)
	}
	return s
}

// wokeUp reports whether the machine slept since before.
func (s surroundings) wokeUp(before surroundings) bool { return s.slept-before.slept >= sleepAtLeast }

// A wakeWatcher notices that the machine slept, or that its network changed.
type wakeWatcher struct {
	log      *slog.Logger
	breakers *hosting.Breakers
	watcher  *watcher.Watcher
	queue    *schedule.Queue

	at   time.Time
	seen surroundings
}

// check ends all waits when the machine slept, and those for the network when the network changed.
func (w *wakeWatcher) check() {
	if time.Since(w.at) < wakeTick/2 {
		return
	}
	first, before, now := w.at.IsZero(), w.seen, surroundingsNow()
	w.at, w.seen = time.Now(), now
	switch {
	case first:
	case now.wokeUp(before):
		w.log.Info("the machine woke up; reading the roots and trying again at once")
		w.breakers.Reach()
		w.watcher.Rescan()
		w.queue.EndWaits()
	case now.network != before.network:
		w.breakers.Reach()
		w.queue.EndWaits()
	}
}
