package daemon

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
)

// HastenLooks shortens the patience with what was not answered, for all tests.
func HastenLooks() {
	hosting.Ladder = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
}

// HastenBroken shortens the patience with frames that are not whole, for a test that runs alone.
func HastenBroken(t *testing.T) {
	before := plan.BrokenPatience
	plan.BrokenPatience = 100 * time.Millisecond
	t.Cleanup(func() { plan.BrokenPatience = before })
}

// BreakUploads makes the work on every upload panic.
func BreakUploads(d *Daemon) { d.Service.Breaker = brokenGate{d.Service.Breaker} }

type brokenGate struct{ apiclient.Breaker }

func (g brokenGate) Enter(host, op string) error {
	if op == apiclient.OpUpload {
		panic("the gate is broken")
	}
	return g.Breaker.Enter(host, op)
}
