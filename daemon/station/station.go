package station

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"spinsync/daemon/fleet"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster"
	"spinsync/watcher/clock"
)

// Options are the parts of a station.
type Options struct {
	Cluster  cluster.Cluster
	Name     string
	Version  string
	Schema   int // the newest form of shared records that it knows
	Lease    time.Duration
	Account  syncstate.Account
	Store    *syncstate.Store
	Trees    map[string]string            // their names, by the roots on this computer
	Settings map[string]map[string]string // of the trees, by their names
	Work     Work
	// Survey is what keeps the cluster from serving the fleet, or soon will, and what is the worst that is
	// wrong with it at all. Both have the remedy, and are empty for nothing.
	Survey func(ctx context.Context) (trouble, worst string)
	Log    *slog.Logger
}

// Work is the daemon of a station.
type Work interface {
	// Replace puts another daemon in the place of this one. It reports whether no worker of the one
	// before is left. Its error ends the station.
	Replace(ctx context.Context, to Part) (drained bool, err error)
	// Sever breaks off all requests of the daemon.
	Sever()
	// Pulse returns as soon as the daemon's loop answers, or with an error when it hangs.
	Pulse(ctx context.Context) error
	// Health is why the daemon could not publish, empty while it could, and the roots that it cannot
	// read: whether another tree is there.
	Health() (trouble string, offline map[string]bool)
	// Followed has the daemon show folders that others have changed.
	Followed(folders []syncstate.Folder)
}

// A Part is the part of a daemon in the fleet.
type Part struct {
	Store   *syncstate.Store
	Fence   Fence
	Standby bool
}

// Waits of a station.
const (
	tick        = time.Second
	surveyEvery = time.Minute
	callTime    = 5 * time.Second
	catchUpTime = 10 * time.Second // who is not caught up by then leaves the work to another
	illTime     = time.Minute      // an active station that cannot work keeps the work so long
	reopenPause = 10 * time.Second
	takenGrace  = 2 * time.Second // more than the lease; by then the key of a killed process is gone
	replaceTime = time.Minute     // a daemon that is not replaced by then keeps the work from others no longer
)

// A Station is this computer in its fleet.
type Station struct {
	o    Options
	part Part // only the goroutine of Run changes it

	mu        sync.Mutex
	replacing int       // how many reasons there are for which the daemon is being replaced, and its pulse with it
	replaces  time.Time // since when, by the boot clock
	shown     status.Fleet
	worst     string          // that is wrong with the cluster
	accepted  map[string]bool // trees whose settings are to be this station's
}

// New makes a station that is a standby. It acts only while Run does.
func New(o Options) *Station {
	s := &Station{o: o, accepted: map[string]bool{}}
	s.part = s.standby()
	s.shown = status.Fleet{Station: o.Name, Trouble: "spinsync joins the fleet"}
	return s
}

func (s *Station) standby() Part {
	return Part{Store: s.o.Store.Sharing(s.o.Trees, nil), Standby: true}
}

// Part is that of the first daemon.
func (s *Station) Part() Part { return s.part }

// Now is the fleet as people are shown it.
func (s *Station) Now() status.Fleet {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.shown
	now.Stations = slices.Clone(now.Stations)
	return now
}

// Accept makes the settings of a tree here those of the fleet. It reports whether they were others.
func (s *Station) Accept(root string) (differed bool) {
	tree := s.o.Trees[root]
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.shown.Stations {
		own := func(r status.StationRoot) bool { return r.Name == tree && r.State == status.TreeOtherSettings }
		if other.Station == s.o.Name && slices.ContainsFunc(other.Roots, own) {
			s.accepted[tree] = true
		}
	}
	return s.accepted[tree]
}

// Run takes part in the fleet until the context ends. Then the daemon has ended: drained reports
// whether it left no worker, so that another station may begin at once.
func (s *Station) Run(ctx context.Context, drained func() bool) error {
	in := &session{Station: s}
	for {
		err := in.live(ctx)
		if ctx.Err() != nil {
			in.leave(drained)
			return nil
		}
		if errors.Is(err, ErrMistake) || errors.Is(err, ErrNameTaken) && !in.stood || errors.Is(err, errReplace) {
			return err
		}
		if err := in.standDown(ctx, false, err); err != nil {
			return err
		}
		s.trouble(err)
		s.knowsNoMore()
		wait(ctx, tick)
	}
}

func wait(ctx context.Context, pause time.Duration) {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}

// trouble shows why this station cannot take part; nil is that it can.
func (s *Station) trouble(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	trouble := ""
	switch {
	case errors.Is(err, cluster.ErrRestored):
		trouble = err.Error() + "; this station takes its records"
	case errors.Is(err, errKept), errors.Is(err, ErrNameTaken):
		trouble = err.Error()
	case err != nil && s.o.Store.Err() != nil:
		trouble = s.o.Store.Err().Error()
	case errors.Is(err, errLeaseOver), errors.Is(err, cluster.ErrExpired):
		trouble = "the fleet's cluster does not answer this station, and another one may be active by now; " +
			"start its members, and see etcd in [fleet]"
	case errors.Is(err, cluster.ErrRefused):
		trouble = err.Error()
	case err != nil:
		trouble = "the fleet's cluster does not answer: " + err.Error()
	}
	if trouble == s.shown.Trouble {
		return
	}
	now := time.Now().UTC().Truncate(time.Second)
	if s.shown.Trouble == "" {
		s.shown.Known = now
	}
	s.shown.Trouble, s.shown.Since = trouble, now
	if trouble == "" {
		s.shown.Since, s.shown.Known = time.Time{}, time.Time{}
	} else {
		s.o.Log.Warn("this station takes no part in its fleet", "error", err)
	}
}

// knowsNoMore shows that this station does not know which one is active.
func (s *Station) knowsNoMore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Active, s.shown.Stations = "", slices.Clone(s.shown.Stations)
	for i := range s.shown.Stations {
		s.shown.Stations[i].Active = false
	}
}

// pulse is the daemon's. While the daemon is being replaced it is taken for granted.
func (s *Station) pulse(ctx context.Context, patience time.Duration) error {
	if s.isReplacing() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.o.Work.Pulse(ctx); err != nil && !s.isReplacing() {
		return fmt.Errorf("the daemon hangs: %w", err)
	}
	return nil
}

func (s *Station) isReplacing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replacing > 0 && clock.Boot().Sub(s.replaces) < replaceTime
}

// Replacing has the daemon's pulse taken for granted until over is called, because its settings change.
func (s *Station) Replacing() (over func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replacing++; s.replacing == 1 {
		s.replaces = clock.Boot()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.replacing--
	}
}

var errReplace = errors.New("the daemon of the station cannot go on")

// replace replaces the daemon by that of another part.
func (s *Station) replace(ctx context.Context, to Part) (drained bool, err error) {
	defer s.Replacing()()
	if drained, err = s.o.Work.Replace(ctx, to); err != nil {
		return drained, fmt.Errorf("%w: %w", errReplace, err)
	}
	s.part = to
	return drained, nil
}

// member is this station as it stands in the cluster.
func (in *session) member() fleet.Member {
	trouble, offline := in.o.Work.Health()
	if err := in.o.Store.Err(); err != nil {
		trouble = cmp.Or(trouble, err.Error())
	}
	if in.view.at == 0 { // others need not wait for that
		trouble = cmp.Or(trouble, "it still reads the fleet's records")
	}
	in.mu.Lock()
	worst := in.worst
	in.mu.Unlock()
	m := fleet.Member{
		Station: in.o.Name, Joined: in.joined, Since: in.since, Version: in.o.Version, Trouble: trouble, Cluster: worst,
		Resting: in.rest.Length(time.Now()),
	}
	for root, tree := range in.o.Trees {
		another, away := offline[root]
		m.Trees = append(m.Trees, fleet.Tree{
			Name: tree, Online: !away, Another: another, Differs: in.view.differs(tree, in.o.Settings[tree]),
		})
	}
	if m.Resting > 0 {
		m.GaveUp = in.gaveUp
	}
	slices.SortFunc(m.Trees, func(a, b fleet.Tree) int { return compare(a.Name, b.Name) })
	return m
}
