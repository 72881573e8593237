package daemon

import (
	"fmt"
	"net"
	"time"
)

// While a machine sleeps its timers stand still, and the outage of the service or the network that
// it waited for may long be over. The system does not tell a program of a wake or of a returned
// network, so the daemon checks for both.

const (
	// How often the daemon checks for them.
	wakeTick = 10 * time.Second
	// The wall clock may be set by less than this without a sleep of the machine.
	sleepAtLeast = 20 * time.Second
)

// surroundings are the readings that show a wake and a return of the network.
type surroundings struct {
	wall    time.Time
	running time.Duration // on the monotonic clock
	network string        // the machine's own addresses
}

// surroundingsSince reads them, with the time that has run since a start on the monotonic clock.
func surroundingsSince(start time.Time) surroundings {
	s := surroundings{wall: time.Now().Round(0), running: time.Since(start)}
	if addresses, err := net.InterfaceAddrs(); err == nil {
		s.network = fmt.Sprint(addresses)
	}
	return s
}

// slept reports whether more time passed on the wall's clock than the machine was running.
func (s surroundings) slept(before surroundings) bool {
	return s.wall.Sub(before.wall)-(s.running-before.running) >= sleepAtLeast
}

// A wakeWatcher notices that the machine slept, or that its network changed.
type wakeWatcher struct {
	*board
	at   time.Time
	seen surroundings
}

// check ends all waits when the machine slept, and those for the network when the network changed.
func (w *wakeWatcher) check() {
	if time.Since(w.at) < wakeTick/2 {
		return
	}
	before, now := w.seen, surroundingsSince(w.Started)
	w.at, w.seen = time.Now(), now
	switch {
	case before.wall.IsZero():
	case now.slept(before):
		w.Log.Info("the machine woke up; reading the roots and trying again at once")
		w.Service.Breakers.Reach()
		w.Files.Rescan()
		w.queue.EndWaits()
	case now.network != before.network:
		w.Service.Breakers.Reach()
		w.queue.EndWaits()
	}
}
