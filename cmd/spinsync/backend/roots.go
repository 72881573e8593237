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

// rootLooks find out which roots are offline while no daemon tells. Zero ones are ready for use.
type rootLooks struct {
	waiting map[string]chan rootLook // answers under way, by root
}

// A rootLook is what a root stands on, or why it cannot be read.
type rootLook struct {
	volume volume.Identity
	err    error
}

// mark marks the roots that cannot be read, or stand on something else than before, as offline,
// with the reason. It takes no longer than answerTime, however many of them hang.
func (l *rootLooks) mark(roots []watcher.RootStatus) {
	const answerTime = 2 * time.Second
	for _, r := range roots {
		l.ask(r.Path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	for i := range roots {
		r := &roots[i]
		look := l.answer(ctx, r.Path)
		why := r.Volume.Differs(look.volume)
		switch {
		case look.err != nil:
			r.Unread, r.Reason = false, outcome.Unreadable(look.err)
		case why != "":
			r.Unread, r.Untrusted, r.Reason = false, true, why+"; "+status.HowToAccept(r.Path)
		}
	}
}

func (l *rootLooks) ask(root string) {
	if l.waiting[root] != nil {
		return
	}
	if l.waiting == nil {
		l.waiting = map[string]chan rootLook{}
	}
	answer := make(chan rootLook, 1)
	l.waiting[root] = answer
	go func() {
		on, err := volume.Survey(root)
		answer <- rootLook{on.Identity, watcher.Access(root, err)}
	}()
}

func (l *rootLooks) answer(ctx context.Context, root string) rootLook {
	select {
	case look := <-l.waiting[root]:
		delete(l.waiting, root)
		return look
	case <-ctx.Done():
	}
	select {
	case look := <-l.waiting[root]: // meanwhile
		delete(l.waiting, root)
		return look
	default:
		return rootLook{err: errors.New("does not answer: check the drive or the network")}
	}
}
