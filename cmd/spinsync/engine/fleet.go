package engine

import (
	"context"
	"log/slog"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/publish"
	"spinsync/daemon/station"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster/etcd"
)

// A fleet is what the engine of a station has more than that of a computer alone.
type fleet struct {
	cluster      *etcd.Client
	station      *station.Station
	part         station.Part // of the daemon of now
	views        *publish.Views
	replacements chan replacement
}

// A replacement asks for the daemon of another part.
type replacement struct {
	to     station.Part
	result chan replaced
}

type replaced struct {
	drained bool
	err     error
}

// takePart makes a daemon that of a station, in a fleet.
func (w *Engine) takePart(c *config.Config, log *slog.Logger, o *daemon.Options) error {
	if c.Fleet == nil {
		return w.refuseCopy()
	}
	if w.fleet == nil {
		if err := w.joinFleet(c, log); err != nil {
			return err
		}
	}
	part := w.fleet.part
	o.Store = part.Store
	o.Client.SetFence(part.Fence)
	o.Fleet = &daemon.Fleet{Standby: part.Standby, Now: w.fleet.station.Now, Accept: w.fleet.station.Accept, Views: w.fleet.views}
	return nil
}

// refuseCopy keeps a computer alone from going on with the records of a fleet.
func (w *Engine) refuseCopy() error {
	id, err := w.store.CopyOf()
	if err == nil && id != "" {
		err = cli.Usagef("%s has the records of a fleet, and sync.toml has no [fleet]; "+
			"put [fleet] back, or take this computer out with `spinsync fleet leave` before", w.stored.path)
	}
	return err
}

// joinFleet makes the station. It asks the cluster for nothing yet.
func (w *Engine) joinFleet(c *config.Config, log *slog.Logger) error {
	o, client, err := cli.Station(w.call, c)
	if err != nil {
		return err
	}
	o.Store, o.Log, o.Work = w.store, log, work{w}
	w.fleet = &fleet{cluster: client, station: station.New(o), views: publish.NewViews(), replacements: make(chan replacement)}
	w.fleet.part = w.fleet.station.Part()
	return nil
}

func (w *Engine) leaveFleet() error {
	if w.fleet == nil {
		return nil
	}
	return w.fleet.cluster.Close()
}

// runStation takes part in the fleet until stop is called, once the daemon has ended.
func (s *serving) runStation(ctx context.Context) (stop func()) {
	if s.engine.fleet == nil {
		return func() {}
	}
	taking, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	s.group.Go(func() error {
		defer close(ended)
		return s.engine.fleet.station.Run(taking, func() bool { return s.engine.Live.Daemon().Drained() })
	})
	return func() {
		cancel()
		<-ended
	}
}

// replacements are those that the station asks for; nil at a computer alone.
func (s *serving) replacements() <-chan replacement {
	if s.engine.fleet == nil {
		return nil
	}
	return s.engine.fleet.replacements
}

// takeOther puts a daemon of another part in the fleet in the place of this one.
func (s *serving) takeOther(ctx context.Context, r replacement) error {
	w, drained := s.engine, false
	err := w.Live.Replace(func(before *daemon.Daemon) (*daemon.Daemon, error) {
		if err := s.running.stop(); err != nil {
			return nil, err
		}
		drained = before.Drained()
		w.fleet.part = r.to
		return w.open(w.Config, w.password, w.log, before)
	})
	if err == nil {
		s.running = start(ctx, w.Live.Daemon())
		s.keepFixtures(ctx)
	}
	r.result <- replaced{drained, err}
	return err
}

// work is the engine as the station sees it.
type work struct{ engine *Engine }

// Replace implements station.Work.
func (k work) Replace(ctx context.Context, to station.Part) (drained bool, err error) {
	r := replacement{to, make(chan replaced, 1)}
	select {
	case k.engine.fleet.replacements <- r:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	done := <-r.result
	return done.drained, done.err
}

// Sever implements station.Work.
func (k work) Sever() { k.engine.Live.Daemon().Sever() }

// Pulse implements station.Work.
func (k work) Pulse(ctx context.Context) error { return k.engine.Live.Daemon().Pulse(ctx) }

// Health implements station.Work.
func (k work) Health() (trouble string, offline map[string]bool) {
	return k.engine.Live.Daemon().Health()
}

// Followed implements station.Work.
func (k work) Followed(folders []syncstate.Folder) {
	k.engine.fleet.views.Changed(folders)
	k.engine.Live.Daemon().Followed(folders)
}

// isStandby reports whether another station publishes.
func (w *Engine) isStandby() bool { return w.fleet != nil && w.fleet.part.Standby }
