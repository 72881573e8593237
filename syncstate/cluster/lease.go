package cluster

import (
	"context"
	"sync/atomic"
	"time"

	"spinsync/watcher/clock"
)

// A Lease is the time for which the other stations believe that this one is alive.
type Lease struct {
	cluster Cluster
	id      LeaseID
	ttl     time.Duration
	renewed atomic.Pointer[time.Time] // by clock.Boot, before the last renewal was sent
}

// NewLease makes a lease that is good for ttl from now on.
func NewLease(ctx context.Context, c Cluster, ttl time.Duration) (*Lease, error) {
	sent := clock.Boot()
	id, err := c.Grant(ctx, ttl)
	if err != nil {
		return nil, err
	}
	l := &Lease{cluster: c, id: id, ttl: ttl}
	l.renewed.Store(&sent)
	return l, nil
}

// Renew renews it once. After an error the lease is as good as it was.
func (l *Lease) Renew(ctx context.Context) error {
	sent := clock.Boot()
	if err := l.cluster.Renew(ctx, l.id); err != nil {
		return err
	}
	l.renewed.Store(&sent)
	return nil
}

// Left is the time for which the lease is surely good; none once it may be over.
func (l *Lease) Left() time.Duration {
	return max(0, l.ttl-clock.Boot().Sub(*l.renewed.Load()))
}

// HasTime reports whether more than a third of the lease is left, the least with which a request is
// begun that changes something on the service.
func (l *Lease) HasTime() bool { return l.Left() > l.ttl/3 }

// ID names the lease, for keys that hang on it.
func (l *Lease) ID() LeaseID { return l.id }
