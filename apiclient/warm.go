package apiclient

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// warmLife is how long a connection stands by for a create. Hosts wait much longer for a
// connection's first request.
const warmLife = time.Second

type beforeCreate struct{}

// BeforeCreate marks calls after which a create is likely: the connection that it needs is dialled
// while the call is under way, unless one stands by already. It is closed after a second if no
// create takes it.
func BeforeCreate(ctx context.Context) context.Context {
	return context.WithValue(ctx, beforeCreate{}, true)
}

// warmConns keeps a connection for the next create. It serves that one request and no other.
type warmConns struct {
	dial func(context.Context) (*http.ClientConn, error)

	mu   sync.Mutex
	next *warmConn // nil: none
}

// A warmConn is a connection that is being dialled or stands by.
type warmConn struct {
	conn chan *http.ClientConn // gives the connection, or nil when there is none any more
	drop context.CancelFunc
}

// prepare dials a warm connection if there is none and the context of a call announces a create.
func (s *warmConns) prepare(ctx context.Context) {
	if ctx.Value(beforeCreate{}) == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		return
	}
	standing, drop := context.WithCancel(context.Background())
	s.next = &warmConn{make(chan *http.ClientConn), drop}
	go s.standBy(standing, s.next)
}

// standBy dials a warm connection and holds it until it is taken, too old or dropped.
func (s *warmConns) standBy(ctx context.Context, own *warmConn) {
	defer s.forget(own)
	defer close(own.conn)
	conn, err := s.dial(ctx)
	if err != nil {
		return // the create dials for itself and returns the error
	}
	tooOld := time.NewTimer(warmLife)
	defer tooOld.Stop()
	select {
	case own.conn <- conn:
		return
	case <-tooOld.C:
	case <-ctx.Done():
	}
	conn.Close()
}

func (s *warmConns) forget(own *warmConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == own {
		s.next = nil
	}
	own.drop()
}

// take returns the warm connection, once it is dialled, or nil when there is none that is open.
func (s *warmConns) take(ctx context.Context) *http.ClientConn {
	s.mu.Lock()
	own := s.next
	s.next = nil
	s.mu.Unlock()
	if own == nil {
		return nil
	}
	select {
	case conn := <-own.conn:
		if conn == nil || conn.Err() != nil {
			return nil
		}
		return conn
	case <-ctx.Done():
		own.drop()
		return nil
	}
}

// A singleUse is a connection for one request. It closes with the answer, as the service is told,
// or at once when there is none.
type singleUse struct{ conn *http.ClientConn }

// RoundTrip implements http.RoundTripper. Unlike an http.Transport, the connection would send a
// request that is given up already.
func (s singleUse) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	if err = context.Cause(r.Context()); err == nil {
		answer, err = s.conn.RoundTrip(r)
	}
	if err != nil {
		s.conn.Close()
	}
	return answer, err
}

// drop closes the warm connection that no call has taken.
func (s *warmConns) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		s.next.drop()
	}
}
