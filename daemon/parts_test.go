package daemon

import (
	"log/slog"

	"spinsync/daemon/publish"
	"spinsync/daemon/schedule"
)

// DaemonOf puts a daemon together from some of its parts, for the test of one decision.
func DaemonOf(p publish.Publisher) *Daemon {
	if p.Log = slog.New(slog.DiscardHandler); p.Records == nil {
		p.Records = publish.NewRecords(nil)
	}
	d := &Daemon{Publisher: &p}
	d.board = newBoard(&p, new(schedule.Priorities))
	p.Neighbours, p.Display, d.reopener = d.board, d.board, newReopener(d.board, d.pulse)
	return d
}
