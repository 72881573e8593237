package service

import (
	"context"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

// A Supervised daemon tells systemd when it is ready, that it lives, and when it stops. Other
// systems do not ask.
type Supervised struct {
	Env     func(string) string
	Pulse   func(context.Context) error // returns nil when the daemon's loop took a turn
	Summary func() string               // one line for systemctl status
}

// statusBeat is how often the summary is told where no watchdog wants to be fed more often.
const statusBeat = 10 * time.Second

// Run works until work returns, and returns its error.
func (s Supervised) Run(ctx context.Context, work func(context.Context) error) error {
	if s.Env("NOTIFY_SOCKET") == "" {
		return work(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() { s.tell(ctx) })
	err := work(ctx)
	cancel()
	telling.Wait()
	return err
}

// tell feeds the watchdog after a pulse and never else, so that a loop that hangs is noticed.
func (s Supervised) tell(ctx context.Context) {
	said := "READY=1"
	beat := time.NewTicker(s.beat())
	defer beat.Stop()
	for {
		if s.Pulse(ctx) == nil {
			s.notify(said + "\nSTATUS=" + s.Summary())
			said = "WATCHDOG=1"
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			s.notify("STOPPING=1")
			return
		}
	}
}

// beat is a third of the time after which the watchdog bites.
func (s Supervised) beat() time.Duration {
	limit, err := strconv.ParseInt(s.Env("WATCHDOG_USEC"), 10, 64)
	if pid := s.Env("WATCHDOG_PID"); err != nil || limit <= 0 || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return statusBeat
	}
	return min(statusBeat, max(time.Duration(limit)*time.Microsecond/3, time.Millisecond))
}

// notify speaks sd_notify(3). A manager that does not listen is no reason to stop.
func (s Supervised) notify(state string) {
	connection, err := net.Dial("unixgram", s.Env("NOTIFY_SOCKET"))
	if err != nil {
		return
	}
	defer connection.Close()
	connection.Write([]byte(state))
}
