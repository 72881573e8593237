package daemon

import (
	"context"
	"fmt"
	"net"
	"time"
)

// While a machine sleeps its timers stand still, and the outage of the service or the network that
// it waited for may long be over. The system does not tell a program of a wake or of a returned
// network, so the daemon looks for both.

const (
	// How often they are looked for.
	wakeBeat = 10 * time.Second
	// How soon it is noticed that a camera rests.
	cameraBeat = 250 * time.Millisecond
	// The wall clock may be set by less than this without a sleep of the machine.
	sleepAtLeast = 20 * time.Second
)

// untilBeat is the time until the clock shows a multiple of wakeBeat, and at least half of that.
// Other parts of the program do likewise, so that the machine is woken once for all of them.
func untilBeat(now time.Time) time.Duration {
	return now.Add(wakeBeat / 2).Truncate(wakeBeat).Add(wakeBeat).Sub(now)
}

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

// lookAround ends all waits when the machine slept, and those for the network when that is another
// one now.
func (d *Daemon) lookAround(ctx context.Context) {
	if time.Since(d.lookedAround) < wakeBeat/2 {
		return
	}
	d.lookedAround = time.Now()
	before := d.around
	d.around = surroundingsSince(d.Started)
	switch {
	case before.wall.IsZero():
	case d.around.slept(before):
		d.Log.Info("the machine woke up; going on at once")
		d.Rescan(ctx)
		d.board.queue.Hurry()
	case d.around.network != before.network:
		d.Service.Breakers.Reach()
		d.board.queue.Hurry()
	}
}
