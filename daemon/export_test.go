package daemon

import (
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
)

// HastenLooks shortens the patience with what was not answered, for all tests.
func HastenLooks() {
	hosting.Ladder = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
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
