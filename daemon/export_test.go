package daemon

import "spinsync/apiclient"

// BreakUploads makes the work on every upload panic.
func BreakUploads(d *Daemon) { d.Service.Breaker = brokenGate{d.Service.Breaker} }

type brokenGate struct{ apiclient.Breaker }

func (g brokenGate) Enter(host, op string) error {
	if op == apiclient.OpUpload {
		panic("the gate is broken")
	}
	return g.Breaker.Enter(host, op)
}
