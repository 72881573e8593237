package daemon

import (
	"spinsync/apiclient"
	"spinsync/daemon/hosting"
)

// ServiceOf is the hosting service of a daemon.
func ServiceOf(d *Daemon) *hosting.Service { return d.service }

// BreakUploads makes the work on every upload panic.
func BreakUploads(d *Daemon) { d.service.Client.Breaker = brokenGate{d.service.Client.Breaker} }

type brokenGate struct{ apiclient.Breaker }

func (g brokenGate) Enter(host, op string) error {
	if op == apiclient.OpUpload {
		panic("the gate is broken")
	}
	return g.Breaker.Enter(host, op)
}
