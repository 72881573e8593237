package backend

import (
	"context"
	"errors"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// rootChecks find out which roots are offline while no daemon does. The zero value is ready for use.
type rootChecks struct {
	waiting map[string]chan rootCheck // answers under way, by root
}

// A rootCheck is the volume of a root, or why it cannot be read.
type rootCheck struct {
	volume volume.Identity
	err    error
}

// mark marks the roots that cannot be read, or are on another volume than before, as offline, with
// the reason. It takes no longer than answerTime, however many of them hang.
func (l *rootChecks) mark(roots []watcher.RootStatus) {
	const answerTime = 2 * time.Second
	for _, r := range roots {
		l.ask(r.Path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	for i := range roots {
		r := &roots[i]
		check := l.answer(ctx, r.Path)
		why := r.Volume.Differs(check.volume)
		switch {
		case check.err != nil:
			r.Unread, r.Reason = false, outcome.Unreadable(check.err)
		case why != "":
			r.Unread, r.Untrusted, r.Reason = false, true, why+"; "+status.HowToAccept(r.Path)
		}
	}
}

func (l *rootChecks) ask(root string) {
	if l.waiting[root] != nil {
		return
	}
	if l.waiting == nil {
		l.waiting = map[string]chan rootCheck{}
	}
	answer := make(chan rootCheck, 1)
	l.waiting[root] = answer
	go func() {
		on, err := volume.Survey(root)
		answer <- rootCheck{on.Identity, watcher.Access(root, err)}
	}()
}

func (l *rootChecks) answer(ctx context.Context, root string) rootCheck {
	select {
	case check := <-l.waiting[root]:
		delete(l.waiting, root)
		return check
	case <-ctx.Done():
	}
	select {
	case check := <-l.waiting[root]: // it came with the end of ctx
		delete(l.waiting, root)
		return check
	default:
		return rootCheck{err: errors.New("does not answer: check the drive or the network")}
	}
}
