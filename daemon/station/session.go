package station

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"time"

	"spinsync/daemon/fleet"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster"
	"spinsync/watcher/clock"
)

// A session is the time of one lease. What it knows of the work outlasts it.
type session struct {
	*Station
	lease  *cluster.Lease
	copy   *syncstate.Copy
	joined int64
	stood  bool // since the process began
	since  time.Time
	known  fleet.Member // as it stands in the cluster
	view   view

	epoch   *cluster.Epoch  // nil at a standby
	severed <-chan struct{} // closed once nothing of the epoch is on its way any more
	began   time.Time
	rest    fleet.Rest
	opened  time.Time // when the state file was opened again last; by the boot clock
	gaveUp  string    // the trouble for which this station gave the work up last; empty for none
	ill     time.Time // since when the active station could leave the work to another; by the boot clock
}

func compare(a, b string) int { return cmp.Compare(a, b) }

var (
	errLeaseOver = errors.New("the station's lease is over")
	errKept      = errors.New("this station leaves the work to another one, which begins within seconds")
)

// live takes part for as long as the lease lasts.
func (in *session) live(ctx context.Context) (err error) {
	in.reopen()
	if err := in.join(ctx); err != nil {
		return err
	}
	lasting, end := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end(nil)
	heard := make(chan entries)
	beside.Go(func() { end(in.renew(lasting)) })
	beside.Go(func() { end(in.follow(lasting, heard)) })
	beside.Go(func() { end(in.survey(lasting)) })
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		var over <-chan struct{}
		if in.epoch != nil {
			over = in.part.Store.Over()
		}
		select {
		case e := <-heard:
			in.view.take(e)
		case <-ticks.C:
			in.reopen()
		case <-over:
			if in.lease.Left() > 0 {
				err = in.standDown(ctx, true, errors.New("the cluster did not take a change"))
			}
		case <-lasting.Done():
			return context.Cause(lasting)
		}
		switch {
		case err != nil:
		case in.lease.Left() == 0:
			err = errLeaseOver
		case in.view.at > 0:
			err = in.decide(ctx) // a daemon that is changed outlasts the lease
		}
		if err != nil {
			return err
		}
		in.show()
	}
}

// reopen opens a standby's state file again after a failure. That of an active station is its daemon's.
func (in *session) reopen() {
	if in.epoch != nil || in.o.Store.Err() == nil || clock.Boot().Sub(in.opened) < reopenPause {
		return
	}
	in.opened = clock.Boot()
	in.o.Log.Error("the state file failed; opening it again", "error", in.o.Store.Err())
	if in.o.Store.Reopen() == nil { // else the store tells
		in.o.Work.Followed(nil)
	}
}

// join makes a lease and takes the station's name. A process that was killed may have it for as long as
// its lease lasts.
func (in *session) join(ctx context.Context) (err error) {
	calling, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	id, err := in.admit(calling)
	if err != nil {
		return err
	}
	in.copy = in.o.Store.Copy(id, in.o.Trees, in.o.Work.Followed)
	if err := in.copy.ReadAgain(); err != nil {
		return err
	}
	in.view, in.known = view{}, fleet.Member{}
	for until := clock.Boot().Add(in.o.Lease + takenGrace); ; wait(ctx, tick) {
		taken, err := in.takeName(ctx)
		if err != nil || taken {
			in.stood = in.stood || taken
			return err
		}
		if clock.Boot().After(until) || ctx.Err() != nil {
			return nameTaken(in.o.Name)
		}
	}
}

// takeName writes the station's key, if there is none.
func (in *session) takeName(ctx context.Context) (taken bool, err error) {
	calling, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	key := memberKeys + in.o.Name
	if is, err := in.o.Cluster.Read(calling, key); err != nil || is.Changed != 0 {
		return false, err
	}
	if in.lease, err = cluster.NewLease(ctx, in.o.Cluster, in.o.Lease); err != nil {
		return false, err
	}
	in.joined, in.since = 0, time.Now().UTC().Truncate(time.Second)
	if taken, err = put(calling, in.o.Cluster, key, in.member(), 0, in.lease.ID()); err != nil || !taken {
		return false, err
	}
	is, err := in.o.Cluster.Read(calling, key)
	in.joined = is.Changed
	return err == nil, err
}

// decide does what this station is to do now.
func (in *session) decide(ctx context.Context) error {
	me := in.member()
	if err := in.publish(ctx, me); err != nil {
		return err
	}
	members := in.view.list()
	for i, m := range members {
		if m.Station == me.Station {
			members[i] = me
		}
	}
	switch {
	case in.epoch != nil && in.view.at >= in.epoch.Since() && in.view.active != me.Station:
		return in.standDown(ctx, false, cluster.ErrLost)
	case in.epoch != nil:
		return in.mayGiveUp(ctx, me, members)
	case in.view.active == "" && fleet.Next(members) == me.Station && in.rest.MayBegin(time.Now()):
		return in.begin(ctx)
	}
	return nil
}

// publish has the cluster know how this station is, and which settings a person has accepted.
func (in *session) publish(ctx context.Context, me fleet.Member) error {
	calling, cancel := context.WithTimeout(ctx, min(callTime, in.lease.Left()))
	defer cancel()
	for _, tree := range in.toAccept() {
		key := settingsKeys + tree
		_, err := put(calling, in.o.Cluster, key, in.o.Settings[tree], in.view.changed[key], 0)
		if err != nil && !errors.Is(err, cluster.ErrOpen) {
			return err
		}
	}
	changed := in.view.changed[memberKeys+in.o.Name]
	if reflect.DeepEqual(me, in.known) || changed == 0 {
		return nil
	}
	done, err := put(calling, in.o.Cluster, memberKeys+in.o.Name, me, changed, in.lease.ID())
	if done {
		in.known = me
	}
	if errors.Is(err, cluster.ErrOpen) {
		return nil // it is tried again
	}
	return err
}

// toAccept are the trees whose settings a person wants to be the fleet's, until they are.
func (in *session) toAccept() (trees []string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for tree := range in.accepted {
		if in.view.differs(tree, in.o.Settings[tree]) == "" {
			delete(in.accepted, tree)
		} else {
			trees = append(trees, tree)
		}
	}
	return trees
}

// mayGiveUp leaves the work to another station once this one could not do it for a while.
func (in *session) mayGiveUp(ctx context.Context, me fleet.Member, members []fleet.Member) error {
	now := clock.Boot()
	switch {
	case !fleet.GivesUp(me, members):
		in.ill = time.Time{}
	case in.ill.IsZero():
		in.ill = now
	case now.Sub(in.ill) >= illTime:
		before := in.rest
		in.gaveUp = me.Trouble
		err := in.standDown(ctx, true, errors.New(cmp.Or(me.Trouble, "a drive is away, or its settings differ")))
		if me.IsWell() { // it goes on at once where the other one, which can read more, cannot
			in.rest = before
		}
		return err
	}
	return nil
}

// begin makes this station the active one. An epoch that it cannot use it ends again.
func (in *session) begin(ctx context.Context) error {
	catching, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	epoch, err := cluster.Begin(catching, in.o.Cluster, in.lease, in.o.Name)
	if errors.Is(err, cluster.ErrTaken) {
		return nil
	}
	if err != nil {
		return err
	}
	in.epoch, in.began, in.ill, in.gaveUp = epoch, time.Now(), time.Time{}, ""
	in.part.Store = in.o.Store.Sharing(in.o.Trees, epoch)
	in.severed = in.sever(epoch, in.part.Store)
	if err := in.prepare(catching); err != nil {
		return in.standDown(ctx, true, fmt.Errorf("take the work over: %w", err))
	}
	in.o.Log.Info("this station is the active one of its fleet", "station", in.o.Name)
	store := in.part.Store
	_, err = in.replace(ctx, Part{Store: store, Fence: Fence{epoch: epoch, over: store.Over()}})
	return err
}

// prepare has the state file know all that was decided before the epoch, and gives trees without
// settings those of this station.
func (in *session) prepare(ctx context.Context) error {
	if _, err := cluster.CatchUp(ctx, in.o.Cluster, in.copy); err != nil {
		return err
	}
	var missing []cluster.Write
	for _, tree := range in.o.Trees {
		if in.view.settings[tree] == nil {
			missing = append(missing, in.settingsOf(tree))
		}
	}
	if len(missing) > 0 {
		if _, err := in.epoch.Commit(ctx, cluster.Transaction{Then: missing}); err != nil {
			return err
		}
	}
	return in.part.Store.DropForms()
}

func (in *session) settingsOf(tree string) cluster.Write {
	return cluster.Write{Key: settingsKeys + tree, Value: encoded(in.o.Settings[tree])}
}

// standDown ends the epoch of this station, if it has one. It is released, so that another station can
// begin at once, if it is to be, and no worker is left that could still act. One that is not released
// ends with the lease, which must not be renewed: then the error is errKept.
func (in *session) standDown(ctx context.Context, release bool, why error) error {
	if in.epoch == nil {
		return nil
	}
	in.o.Log.Warn("this station is a standby of its fleet now", "station", in.o.Name, "error", why)
	in.part.Store.End()
	<-in.severed
	drained, err := in.replace(ctx, in.standby())
	released := in.endEpoch(release && drained)
	in.rest = in.rest.After(in.began, time.Now())
	if err == nil && release && !released {
		err = errKept
	}
	return err
}

// endEpoch lets go of the epoch once the writer of the state file has.
func (in *session) endEpoch(release bool) (released bool) {
	_ = in.o.Store.Probe() // the change that is being saved comes to its end
	if release {
		calling, cancel := context.WithTimeout(context.Background(), callTime)
		defer cancel()
		released = in.epoch.End(calling) == nil
	}
	in.epoch = nil
	return released
}

// leave ends this station's part when the program ends.
func (in *session) leave(drained func() bool) {
	if in.epoch != nil {
		in.part.Store.End()
		<-in.severed
		in.endEpoch(drained())
	}
	if in.lease == nil {
		return
	}
	calling, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	key := memberKeys + in.o.Name
	if is, err := in.o.Cluster.Read(calling, key); err == nil && is.Changed == in.view.changed[key] {
		_, _ = in.o.Cluster.Commit(calling, cluster.Transaction{
			If: []cluster.Condition{{Key: key, Changed: is.Changed}}, Then: []cluster.Write{{Key: key}},
		})
	}
}

// show has people see the fleet as it is now.
func (in *session) show() {
	now := status.Fleet{Station: in.o.Name, Active: in.view.active}
	for _, m := range in.view.list() {
		now.Stations = append(now.Stations, shown(m, in.view.active))
	}
	now.Differs = in.differs()
	in.mu.Lock()
	defer in.mu.Unlock()
	if now.Active != in.shown.Active && now.Active != "" && now.Active != in.o.Name {
		in.o.Log.Info("this station stands by", "station", in.o.Name, "active", now.Active)
	}
	if now.Differs != nil && !maps.Equal(now.Differs, in.shown.Differs) {
		in.o.Log.Warn("this station takes nothing over", "reason", now.OtherSettings())
	}
	now.Trouble, now.Since, now.Known, now.Cluster = in.shown.Trouble, in.shown.Since, in.shown.Known, in.shown.Cluster
	in.shown = now
}

// differs are the watched folders with other settings than the fleet's, each with such a setting; nil for none.
func (in *session) differs() (all map[string]string) {
	for root, tree := range in.o.Trees {
		if key := in.view.differs(tree, in.o.Settings[tree]); key != "" {
			if all == nil {
				all = map[string]string{}
			}
			all[root] = key
		}
	}
	return all
}

// shown is a member as people see it.
func shown(m fleet.Member, active string) status.Station {
	s := status.Station{
		Station: m.Station, Since: m.Since, Version: m.Version, Active: m.Station == active, Service: m.Trouble,
		Cluster: m.Cluster, Roots: []status.StationRoot{},
	}
	if s.Service == "" && m.GaveUp != "" {
		s.Service = "it left the work to another station a moment ago: " + m.GaveUp
	}
	for _, t := range m.Trees {
		state := status.TreeStandby
		switch {
		case t.Differs != "":
			state = status.TreeOtherSettings
			s.Service = cmp.Or(s.Service, status.OtherSetting(t.Name, t.Differs))
		case t.Another:
			state = status.TreeAnother
		case !t.Online:
			state = status.TreeOffline
		case s.Active:
			state = status.TreeActive
		}
		s.Roots = append(s.Roots, status.StationRoot{Name: t.Name, State: state})
	}
	return s
}
