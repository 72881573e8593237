package service

import (
	"context"
	"os"
	"sync"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// A Supervised daemon notifies systemd when it is ready, that it lives, and when it stops. Other
// systems do not ask.
type Supervised struct {
	Pulse   func(context.Context) error // returns nil when the daemon's loop took a turn
	Summary func() string               // one line for systemctl status
}

// statusTick is how often the summary is sent where the watchdog does not need a sign of life more
// often.
const statusTick = 10 * time.Second

// Run works until work returns, and returns its error.
func (s Supervised) Run(ctx context.Context, work func(context.Context) error) error {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return work(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	var notifying sync.WaitGroup
	notifying.Go(func() { s.notify(ctx) })
	err := work(ctx)
	cancel()
	notifying.Wait()
	return err
}

// Reloading notifies systemd that the settings are read again. The returned function notifies it that
// this is over, with a line for systemctl status.
func Reloading() (over func(summary string)) {
	systemd.SdNotify(false, systemd.SdNotifyReloading)
	return func(summary string) { systemd.SdNotify(false, systemd.SdNotifyReady+"\nSTATUS="+summary) }
}

// notify feeds the watchdog after a pulse and never else, so that a loop that hangs is noticed.
func (s Supervised) notify(ctx context.Context) {
	message := systemd.SdNotifyReady
	tick := time.NewTicker(watchdogTick())
	defer tick.Stop()
	for {
		if s.Pulse(ctx) == nil {
			systemd.SdNotify(false, message+"\nSTATUS="+s.Summary()) // a manager that does not listen is no reason to stop
			message = systemd.SdNotifyWatchdog
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			systemd.SdNotify(false, systemd.SdNotifyStopping)
			return
		}
	}
}

// watchdogTick is a third of the time after which the watchdog bites.
func watchdogTick() time.Duration {
	limit, err := systemd.SdWatchdogEnabled(false)
	if err != nil || limit == 0 {
		return statusTick
	}
	return min(statusTick, max(limit/3, time.Millisecond))
}
