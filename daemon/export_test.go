package daemon

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// HastenLooks shortens the patience with what was not answered.
func HastenLooks(t *testing.T) {
	before := lookPauses
	lookPauses = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
	t.Cleanup(func() { lookPauses = before })
}

// BreakUploads makes the work on every upload panic.
func BreakUploads(d *Daemon) { d.client.Gate = brokenGate{d.client.Gate} }

// BreakTurns makes the work on a folder's uploads panic before anything is sent.
func BreakTurns(d *Daemon, folder string) {
	d.stagger = func(f syncstate.Folder, frame string) time.Duration {
		if f.Path == folder && frame != "" {
			panic("the turn is broken")
		}
		return 0
	}
}

type brokenGate struct{ apiclient.Gate }

func (g brokenGate) Enter(host, op string) error {
	if op == apiclient.OpUpload {
		panic("the gate is broken")
	}
	return g.Gate.Enter(host, op)
}
