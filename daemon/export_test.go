package daemon

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
)

// HastenLooks shortens the patience with what was not answered.
func HastenLooks(t *testing.T) {
	before := hosting.LookPauses
	hosting.LookPauses = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
	t.Cleanup(func() { hosting.LookPauses = before })
}

// HastenBroken shortens the patience with frames that are not whole.
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
