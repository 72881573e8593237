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
// not taken for an outage.
func TestGivenUpIsNoOutage(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := newService(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel(errors.New("the program is stopping"))
		<-r.Context().Done()
	})
	c, err := New(Options{BaseURL: s.URL, Username: testUser, Password: testPassword})
	if err != nil {
		t.Fatal(err)
	}
	var seen outcomes
	c.Breaker = &seen
	if _, err := c.Projects(ctx); err == nil {
		t.Error("the call succeeded")
	}
	if len(seen) != 1 || !errors.Is(seen[0], ErrGivenUp) {
		t.Errorf("the breaker learnt %v", seen)
	}
}
