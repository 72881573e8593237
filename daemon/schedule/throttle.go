package schedule

import (
	"context"
	"io"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"spinsync/daemon/config"
)

// throttleBurst is how many bytes may pass at once: small enough that a slow line is shared evenly.
const throttleBurst = 64 << 10

// throttlePiece is the part of a second's bytes that one upload takes at a time. Under a low limit
// no upload then waits so long for its turn that the host takes it for dead.
const throttlePiece = 8

// A Throttle keeps the sum of all uploads below the configured rate.
type Throttle struct {
	mu      sync.Mutex
	upload  config.Upload
	limiter *rate.Limiter
	set     config.Rate
}

// NewThrottle makes a throttle by [upload] of the configuration.
func NewThrottle(u config.Upload) *Throttle {
	return &Throttle{upload: u, limiter: rate.NewLimiter(rate.Inf, throttleBurst)}
}

// Configure takes over a new configuration.
func (t *Throttle) Configure(u config.Upload) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.upload = u
}

// current is the limiter for now, or nil when there is no limit.
func (t *Throttle) current(now time.Time) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if allowed := t.upload.LimitAt(now); allowed != t.set {
		t.set = allowed
		t.limiter.SetLimitAt(now, rate.Limit(allowed))
	}
	if t.set == 0 {
		return nil
	}
	return t.limiter
}

// Limit is the limit that holds now, nil for none.
func (t *Throttle) Limit(now time.Time) *config.HeldLimit {
	t.mu.Lock()
	defer t.mu.Unlock()
	if held := t.upload.HeldAt(now); held.Rate > 0 {
		return &held
	}
	return nil
}

// Reader reads no faster than allowed.
func (t *Throttle) Reader(ctx context.Context, r io.Reader) io.Reader {
	return throttled{ctx, t, r}
}

type throttled struct {
	ctx      context.Context
	throttle *Throttle
	r        io.Reader
}

func (t throttled) Read(p []byte) (int, error) {
	limiter := t.throttle.current(time.Now())
	if limiter == nil {
		return t.r.Read(p)
	}
	piece := max(1, int(limiter.Limit())/throttlePiece)
	n, err := t.r.Read(p[:min(len(p), throttleBurst, piece)])
	if n > 0 {
		if waited := limiter.WaitN(t.ctx, n); waited != nil {
			return n, waited
		}
	}
	return n, err
}
