package apiclient

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

// outcomes is a breaker that lets every request through and keeps the outcomes.
type outcomes []error

func (o *outcomes) Enter(_, _ string) error      { return nil }
func (o *outcomes) Leave(_, _ string, err error) { *o = append(*o, err) }

// A request whose caller gives up proves nothing about the host, so that a stop of the program is
// not taken for an outage. The caller gets its own cause.
func TestGivenUpIsNoOutage(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopping := errors.New("the program is stopping")
	s := newService(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel(stopping)
		<-r.Context().Done()
	})
	var seen outcomes
	c := s.client(t)
	c.Breaker = &seen
	if _, err := c.Projects(ctx); !errors.Is(err, stopping) {
		t.Errorf("the call ended with %v", err)
	}
	if len(seen) != 1 || !errors.Is(seen[0], ErrGivenUp) {
		t.Errorf("the breaker learnt %v", seen)
	}
}
