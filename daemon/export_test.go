package daemon

import (
	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/syncstate"
)

// ServiceOf is the hosting service of a daemon.
func ServiceOf(d *Daemon) *hosting.Service { return d.service }

// StoreOf is the state file of a daemon.
func StoreOf(d *Daemon) *syncstate.Store { return d.records.Store }

// BreakUploads makes the work on every upload panic.
func BreakUploads(d *Daemon) { d.service.Client.Breaker = brokenGate{d.service.Client.Breaker} }

type brokenGate struct{ apiclient.Breaker }

func (g brokenGate) Enter(host, op string) error {
	if op == apiclient.OpUpload {
		panic("the gate is broken")
	}
	return g.Breaker.Enter(host, op)
}
