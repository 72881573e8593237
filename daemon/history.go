package daemon

import (
	"time"

	"spinsync/syncstate"
)

// History is what pages remembered of the past with Remember.
func (d *Daemon) History() (syncstate.History, error) { return d.Records.History() }

// Remember keeps events of the past, so that pages show them after a restart too.
func (d *Daemon) Remember(h syncstate.History) error { return d.Records.AddHistory(h) }

// Told returns for each receiver of news the time up to which it has heard of everything.
func (d *Daemon) Told() (map[string]time.Time, error) { return d.Records.Told() }

// SetTold records it.
func (d *Daemon) SetTold(name string, until time.Time) error { return d.Records.SetTold(name, until) }
