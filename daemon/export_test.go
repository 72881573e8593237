package daemon

import (
	"testing"
	"time"

	"spinsync/apiclient"
)

// HastenLooks shortens the patience with what was not answered.
func HastenLooks(t *testing.T) {
	before := lookPauses
	lookPauses = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
	t.Cleanup(func() { lookPauses = before })
}

// HastenBroken shortens the patience with frames that are not whole.
func HastenBroken(t *testing.T) {
	before := brokenPatience
	brokenPatience = 100 * time.Millisecond
	t.Cleanup(func() { brokenPatience = before })
}

// BreakUploads makes the work on every upload panic.
func BreakUploads(d *Daemon) { d.service.Breaker = brokenGate{d.service.Breaker} }

type brokenGate struct{ apiclient.Breaker }

func (g brokenGate) Enter(host, op string) error {
	if op == apiclient.OpUpload {
		panic("the gate is broken")
	}
	return g.Breaker.Enter(host, op)
}
