package main

import (
	"context"
	"errors"
	"time"

	"spinsync/watcher"
)

// rootLooks find out which roots cannot be read while no daemon tells. Zero ones are ready for use.
type rootLooks struct {
	waiting map[string]chan error // for the system's answer, by root, which is not asked for again meanwhile
}

// mark marks the roots that cannot be read as offline, with the reason. It takes no longer than answerTime, however many of them hang.
func (l *rootLooks) mark(roots []watcher.RootStatus) {
	const answerTime = 2 * time.Second
	for _, r := range roots {
		l.ask(r.Path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	for i, r := range roots {
		if err := l.answer(ctx, r.Path); err != nil {
			roots[i].Unread, roots[i].Reason = false, err.Error()
		}
	}
}

func (l *rootLooks) ask(root string) {
	if l.waiting[root] != nil {
		return
	}
	if l.waiting == nil {
		l.waiting = map[string]chan error{}
	}
	answer := make(chan error, 1)
	l.waiting[root] = answer
	go func() {
		_, err := watcher.Survey(root)
		answer <- err
	}()
}

// answer is why a root cannot be read, nil when it can.
func (l *rootLooks) answer(ctx context.Context, root string) error {
	select {
	case err := <-l.waiting[root]:
		delete(l.waiting, root)
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-l.waiting[root]: // meanwhile
		delete(l.waiting, root)
		return err
	default:
		return errors.New("does not answer: look after the drive, or the network")
	}
}
