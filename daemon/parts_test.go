package daemon

import (
	"log/slog"

	"spinsync/daemon/publish"
	"spinsync/daemon/renamed"
	"spinsync/daemon/schedule"
)

// DaemonOf puts a daemon together from some of its parts, for the test of one decision.
func DaemonOf(p publish.Publisher) *Daemon {
	p.Owners, p.Contents, p.Log = publish.NewOwners(), &renamed.ContentIndex{}, slog.New(slog.DiscardHandler)
	d := &Daemon{Publisher: &p}
	d.board = newBoard(&p, new(schedule.Priorities))
	p.Board, d.reopener = d.board, reopener{board: d.board, pulse: d.pulse}
	return d
}
