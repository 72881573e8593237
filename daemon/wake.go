package daemon

import (
	"fmt"
	"net"
	"time"
)

// While a machine sleeps its timers stand still, and the outage of the service or the network that
// it waited for may long be over. The system does not tell a program of a wake or of a returned
// network, so the daemon looks for both.

const (
	// How often they are looked for.
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

// A lookout looks at the surroundings now and then.
type lookout struct {
	*board
	at   time.Time
	seen surroundings
}

// look ends all waits when the machine slept, and those for the network when that is another one
// now.
func (l *lookout) look() {
	if time.Since(l.at) < wakeTick/2 {
		return
	}
	before, now := l.seen, surroundingsSince(l.Started)
	l.at, l.seen = time.Now(), now
	switch {
	case before.wall.IsZero():
	case now.slept(before):
		l.Log.Info("the machine woke up; reading the roots and trying again at once")
		l.Service.Breakers.Reach()
		l.Files.Rescan()
		l.queue.Hurry()
	case now.network != before.network:
		l.Service.Breakers.Reach()
		l.queue.Hurry()
	}
}
