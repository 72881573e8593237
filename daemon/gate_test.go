package daemon

import (
	"testing"
	"time"

	"spinsync/apiclient"
)

func aGate() *gate { return &gate{pause: func(int) time.Duration { return 10 * time.Second }} }

func admits(g *gate, after time.Duration, op string) bool {
	_, closed := g.enter(noon.Add(after), op)
	return !closed
}

func TestRetryAfterHoldsTheWholeHostWhenItIsThrottled(t *testing.T) {
	g := aGate()
	g.leave(noon, "create product", &apiclient.Error{Status: 429, RetryAfter: time.Minute})
	g.leave(noon.Add(time.Second), "read status", nil) // was under way
	g.open()                                           // a person wants to try again
	if admits(g, 59*time.Second, "read status") {
		t.Error("a request passed before the host's rest was over")
	}
	if !admits(g, time.Minute, "read status") {
		t.Error("no request passed after the host's rest")
	}
	if admits(g, time.Minute, "list images") {
		t.Error("a second request passed beside the probe")
	}
	g.leave(noon.Add(61*time.Second), "read status", nil)
	if !admits(g, 62*time.Second, "list images") {
		t.Error("the gate stayed closed after a success")
	}
}

func TestRetryAfterOfAnotherFailureHoldsItsOperation(t *testing.T) {
	g := aGate()
	g.leave(noon, "create product", &apiclient.Error{Status: 500, RetryAfter: time.Minute})
	if admits(g, 59*time.Second, "create product") {
		t.Error("the operation was called again too early")
	}
	if !admits(g, time.Second, "read status") || !admits(g, time.Minute, "create product") {
		t.Error("more was held than was asked for")
	}
}

func TestRefusedCredentialsStopTheHost(t *testing.T) {
	g := aGate()
	g.leave(noon, "list projects", &apiclient.Error{Status: 401})
	if admits(g, rejectedPause-time.Second, "list projects") {
		t.Error("a refused password was tried again soon")
	}
	g.open()
	if !admits(g, time.Second, "list projects") {
		t.Error("a person's retry was not let through")
	}
}
