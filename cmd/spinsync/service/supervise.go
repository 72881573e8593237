package service

import (
	"context"
	"os"
	"sync"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// A Supervised daemon tells systemd when it is ready, that it lives, and when it stops. Other
// systems do not ask.
type Supervised struct {
	Pulse   func(context.Context) error // returns nil when the daemon's loop took a turn
	Summary func() string               // one line for systemctl status
}

// statusBeat is how often the summary is told where no watchdog wants to be fed more often.
const statusBeat = 10 * time.Second

// Run works until work returns, and returns its error.
func (s Supervised) Run(ctx context.Context, work func(context.Context) error) error {
	if os.Getenv("NOTIFY_SOCKET") == "" {
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

// Reloading tells systemd that the settings are read again. The returned function tells that this is
// over, with a line for systemctl status.
func Reloading() (over func(summary string)) {
	systemd.SdNotify(false, systemd.SdNotifyReloading)
	return func(summary string) { systemd.SdNotify(false, systemd.SdNotifyReady+"\nSTATUS="+summary) }
}

// tell feeds the watchdog after a pulse and never else, so that a loop that hangs is noticed.
func (s Supervised) tell(ctx context.Context) {
	said := systemd.SdNotifyReady
	beat := time.NewTicker(watchdogBeat())
	defer beat.Stop()
	for {
		if s.Pulse(ctx) == nil {
			systemd.SdNotify(false, said+"\nSTATUS="+s.Summary()) // a manager that does not listen is no reason to stop
			said = systemd.SdNotifyWatchdog
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			systemd.SdNotify(false, systemd.SdNotifyStopping)
			return
		}
	}
}

// watchdogBeat is a third of the time after which the watchdog bites.
func watchdogBeat() time.Duration {
	limit, err := systemd.SdWatchdogEnabled(false)
	if err != nil || limit == 0 {
		return statusBeat
	}
	return min(statusBeat, max(limit/3, time.Millisecond))
}
