package daemon

import "spinsync/apiclient"

// BreakUploads makes the work on every upload panic.
func BreakUploads(d *Daemon) { d.client.Gate = brokenGate{d.client.Gate} }

type brokenGate struct{ apiclient.Gate }

func (g brokenGate) Enter(op string) error {
	if op == apiclient.OpUpload {
		panic("the gate is broken")
	}
	return g.Gate.Enter(op)
}
