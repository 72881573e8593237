package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/daemon/station"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster/etcd"
)

const (
	fleetPatience = 15 * time.Second
	// slow is how long a change may take. Each product has some eight.
	slow = 500 * time.Millisecond
)

// examineFleet examines the cluster, and whether this computer can be of its fleet.
func examineFleet(ctx context.Context, call *cli.Call, c *config.Config, r *Report) {
	if c.Fleet == nil {
		return
	}
	o, client, err := cli.Station(call, c)
	if err != nil {
		r.fail("cluster", err)
		return
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, fleetPatience)
	defer cancel()
	survey := client.Survey(ctx)
	for _, m := range survey.Members {
		if m.Trouble != "" && !strings.Contains(survey.Trouble, m.Trouble) {
			r.warn("cluster", m.Address+" does not serve the fleet: "+m.Trouble)
		}
	}
	if survey.Trouble != "" {
		r.fail("cluster", errors.New(survey.Trouble))
	}
	if survey.Revision == 0 { // none has answered
		return
	}
	took, err := client.Try(ctx)
	if err != nil {
		r.fail("cluster", fmt.Errorf("a change was refused: %w", err))
		return
	}
	if took > slow {
		r.warn("cluster", fmt.Sprintf("a change took %s; put etcd's data on a faster disk, and its members near",
			took.Round(time.Millisecond)))
	}
	if isOpen(*c.Fleet) {
		r.warn("cluster", "it asks for no user, so whoever reaches it may change what is published; "+
			"docs/fleet.md says which user spinsync needs")
	}
	if survey.Trouble == "" {
		r.ok("cluster", clusterLine(survey, took))
	}
	examineStation(ctx, c, o, r)
}

// isOpen reports whether the cluster, which let us change something, would let anybody in the network.
func isOpen(f config.Fleet) bool {
	beyond := slices.ContainsFunc(f.Etcd, func(member string) bool { return strings.HasPrefix(member, "https:") })
	return beyond && f.Username == "" && f.CertFile == ""
}

func clusterLine(s etcd.Survey, took time.Duration) string {
	versions := map[string]bool{}
	for _, m := range s.Members {
		if m.Version != "" {
			versions[m.Version] = true
		}
	}
	return fmt.Sprintf("%s, etcd %s, %s in use, a change takes %s", status.Counted(len(s.Members), "member"),
		strings.Join(slices.Sorted(maps.Keys(versions)), " and "), status.Size(s.Bytes), max(took, time.Millisecond).Round(time.Millisecond))
}

// examineStation finds out whether this computer can be of the fleet, and whether its settings are the
// fleet's.
func examineStation(ctx context.Context, c *config.Config, o station.Options, r *Report) {
	const what = "fleet"
	_, err := control.Dial(ctx, c.State.Path)
	running := err == nil
	if !running {
		store, err := syncstate.OpenReadOnly(c.State.Path, o.Account)
		if err == nil {
			o.Store = store
			defer store.Close()
		} // else the row of the state file says why, or there is none
	}
	found, err := station.Examine(ctx, o, running)
	if errors.Is(err, station.ErrMistake) {
		err = cli.Usage(err)
	}
	if err != nil {
		r.fail(what, err)
		return
	}
	for _, w := range c.Watch {
		if key := found.Differs[w.Name]; key != "" {
			r.warn(what, status.OtherSetting(w.Path, key))
		}
		if slices.Contains(found.Unknown, w.Name) {
			r.warn(what, fmt.Sprintf("%s: no station has had a watched folder with the name %s, only %s; correct name in [[watch]], unless it is a new one",
				w.Path, w.Name, strings.Join(found.Known, ", ")))
		}
	}
	if len(found.Differs)+len(found.Unknown) == 0 {
		r.ok(what, o.Name+", with the fleet's settings")
	}
}
