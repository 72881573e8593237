package apiclient

import (
	"context"
	"fmt"
	"time"
)

// stalledError ends a request that took too long.
type stalledError struct {
	what  string
	limit time.Duration
}

func (e stalledError) Error() string { return fmt.Sprintf("%s for %s", e.what, e.limit) }

// Timeout makes the error a timeout as in package net.
func (e stalledError) Timeout() bool { return true }

// watchdog ends a request in which no byte moves. A request with a watchdog has no other limit on
// its length.
type watchdog struct{ timer *time.Timer }

// watch returns a context that ends when moved is not called for a while. The caller ends it too.
func watch(ctx context.Context) (context.Context, *watchdog, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(stallTime, func() { cancel(stalledError{"no byte moved", stallTime}) })
	stop := func() {
		timer.Stop()
		cancel(nil)
	}
	return ctx, &watchdog{timer}, stop
}

// moved restarts the timer.
func (w *watchdog) moved() { w.timer.Reset(stallTime) }

// await gives more time at the end: everything was handed to the system, which may still be sending
// it, and the host has to answer.
func (w *watchdog) await() { w.timer.Reset(stallTime + answerTime) }

// causeOf replaces the bare "context canceled" of a request that our own limits ended.
func causeOf(ctx context.Context, err error) error {
	if stalled, ok := context.Cause(ctx).(stalledError); ok {
		return stalled
	}
	return err
}
