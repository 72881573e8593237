package daemon

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Live is the daemon of now in a process that reads its settings again: each reload puts another
// daemon in the place of the one before.
type Live struct {
	// TakeSettings is called before a pass: the settings may have been saved a moment ago. Nil where
	// they do not change.
	TakeSettings func(context.Context)

	turn sync.RWMutex // a reload holds it from the end of one daemon to the start of the next
	now  atomic.Pointer[Daemon]
}

// NewLive begins with a daemon.
func NewLive(d *Daemon) *Live {
	l := &Live{}
	l.now.Store(d)
	return l
}

// Daemon is the daemon of now. During a reload it is the one before, with its last status.
func (l *Live) Daemon() *Daemon { return l.now.Load() }

// Replace puts another daemon in the place of this one. next ends the one before and makes the
// other, and no verb reaches a daemon until then.
func (l *Live) Replace(next func(before *Daemon) (*Daemon, error)) error {
	l.turn.Lock()
	defer l.turn.Unlock()
	before := l.Daemon()
	d, err := next(before)
	if err != nil {
		return err
	}
	l.now.Store(d)
	d.Followed(nil)                // what came while it was made
	before.board.folders.changed() // who waits for a change asks the new one from now on
	return nil
}

// Do is Daemon.Do. During a reload it waits for the next daemon.
func (l *Live) Do(v Verb, key syncstate.Folder) error {
	l.turn.RLock()
	defer l.turn.RUnlock()
	return l.Daemon().Do(v, key)
}

// Pass is Daemon.Pass, by the settings of now. It begins again with the next daemon after a reload.
func (l *Live) Pass(ctx context.Context) error {
	if l.TakeSettings != nil {
		l.TakeSettings(ctx)
	}
	return l.outlasting(ctx, func(ctx context.Context, d *Daemon) error { return d.Pass(ctx) })
}

// Pulse is Daemon.Pulse. During a reload it waits for the next daemon.
func (l *Live) Pulse(ctx context.Context) error {
	return l.outlasting(ctx, func(ctx context.Context, d *Daemon) error { return d.Pulse(ctx) })
}

// Preview is Daemon.Preview. It begins again with the next daemon after a reload.
func (l *Live) Preview(ctx context.Context) (previews []status.Preview, err error) {
	err = l.outlasting(ctx, func(ctx context.Context, d *Daemon) error {
		previews, err = d.Preview(ctx)
		return err
	})
	return previews, err
}

// ErrEnded ends what a daemon does for others when the daemon itself has ended.
var ErrEnded = errors.New("spinsync stops")

// outlasting does something with the daemon of now. When that ends in a reload, it is done again
// with the next one.
func (l *Live) outlasting(ctx context.Context, do func(context.Context, *Daemon) error) error {
	for {
		d := l.Daemon()
		during, cancel := context.WithCancelCause(ctx)
		go func() {
			select {
			case <-d.ended:
				cancel(ErrEnded)
			case <-during.Done():
			}
		}()
		err := do(during, d)
		replaced := err != nil && context.Cause(during) == ErrEnded
		cancel(nil)
		if !replaced {
			return err
		}
		if l.afterReload() == d {
			return ErrEnded
		}
	}
}

// afterReload waits for the end of a reload that is under way.
func (l *Live) afterReload() *Daemon {
	l.turn.RLock()
	defer l.turn.RUnlock()
	return l.Daemon()
}
