package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"
)

// Host runs work under the service manager, and returns its error. When the manager
// started the process, Host answers the manager, and work ends when the manager asks for it. An error
// goes to the event log, and the manager sees that the service failed.
//
// The signals that a console would send are put aside then: a service gets one whenever a person
// logs off.
func Host(ctx context.Context, work func(context.Context) error) error {
	if hosted, err := svc.IsWindowsService(); err != nil || !hosted {
		return work(ctx)
	}
	if err := watchCrashes(); err != nil {
		Complain(fmt.Errorf("a crash would leave no trace: %w", err))
	}
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	h := &host{ctx: context.WithoutCancel(ctx), work: work}
	if err := svc.Run(Name, h); err != nil {
		return err
	}
	return h.failure
}

// host is a svc.Handler. Its context is stored because the interface has no place for one.
type host struct {
	ctx     context.Context
	work    func(context.Context) error
	failure error
}

// patience is how long a stop may take before the process ends anyway.
const patience = 25 * time.Second

func (h *host) Execute(_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status) (bool, uint32) {
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- h.work(ctx) }()
	status <- svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	var late <-chan time.Time
	for {
		select {
		case h.failure = <-ended:
			return h.exit()
		case <-late:
			return false, 0
		case request := <-requests:
			switch request.Cmd {
			case svc.Interrogate:
				status <- request.CurrentStatus
			case svc.Stop, svc.Shutdown:
				status <- svc.Status{State: svc.StopPending, WaitHint: uint32(patience.Milliseconds())}
				cancel()
				late = time.After(patience)
			}
		}
	}
}

// exit is the answer to the manager: with an error its recovery actions are due.
func (h *host) exit() (bool, uint32) {
	if h.failure == nil {
		return false, 0
	}
	Complain(h.failure)
	return true, 1
}

// Complain puts an error into the event log.
func Complain(failure error) {
	const limit = 30_000 // bytes of an event
	if log, err := eventlog.Open(Name); err == nil {
		log.Error(eventError, strings.ToValidUTF8(failure.Error()[:min(limit, len(failure.Error()))], ""))
		log.Close()
	}
}

// watchCrashes puts the traces of a crash into a file next to sync.toml, since Go writes them to a
// stderr that no program reads. It moves the traces of the process before from there into the event
// log.
func watchCrashes() error {
	path := filepath.Join(os.Getenv("ProgramData"), Name, "crash.txt")
	if traces, err := os.ReadFile(path); err == nil && len(traces) > 0 {
		Complain(fmt.Errorf("the service crashed before: %s", traces))
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(f, debug.CrashOptions{}), f.Close())
}
