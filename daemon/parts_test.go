package daemon

import (
	"log/slog"

	"spinsync/daemon/schedule"
)

// daemonOf puts a daemon together from some of its parts, for the test of one decision.
func daemonOf(p publisher) *Daemon {
	p.owners, p.contents, p.log = newOwners(), &contents{}, slog.New(slog.DiscardHandler)
	d := &Daemon{publisher: &p}
	d.board = newBoard(&p, new(schedule.Priorities))
	p.board = d.board
	return d
}
