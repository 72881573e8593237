package station

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster"
)

// The functions here are for a person at a computer whose daemon does not run, or is not asked.

// Stations lists the stations that stand in a cluster.
func Stations(ctx context.Context, c cluster.Cluster) (all []status.Station, err error) {
	members, _, err := c.List(ctx, memberKeys)
	if err != nil {
		return nil, err
	}
	active, err := c.Read(ctx, cluster.ActiveKey)
	if err != nil {
		return nil, err
	}
	var v view
	v.take(entries{revision: 1, all: true, list: append(members, active)})
	for _, m := range v.list() {
		all = append(all, shown(m, v.active))
	}
	return all, nil
}

// Findings are what is wrong with a computer of a fleet, by the names of its trees.
type Findings struct {
	Differs map[string]string // settings that are others than the fleet's
	Unknown []string          // trees that no station of the fleet has had, while it has others
	Known   []string          // the trees of the fleet
}

// Examine finds out whether a computer can be of its fleet, without Store as far as its records play no
// part. The error is ErrMistake where it cannot, and ErrNameTaken where another station has its name.
// Running says that the station is this computer's own.
func Examine(ctx context.Context, o Options, running bool) (found Findings, err error) {
	is, founded, err := readIdentity(ctx, o.Cluster)
	if err != nil {
		return found, err
	}
	if o.Store != nil {
		err = o.belongs(is, founded)
	} else if founded {
		err = is.refuses(o)
	}
	if err != nil || !founded {
		return found, err
	}
	if taken, err := o.Cluster.Read(ctx, memberKeys+o.Name); err != nil || taken.Value != nil && !running {
		return found, cmp.Or(err, nameTaken(o.Name))
	}
	settings, _, err := o.Cluster.List(ctx, settingsKeys)
	if err != nil {
		return found, err
	}
	var v view
	v.take(entries{revision: 1, all: true, list: settings})
	found.Differs, found.Known = map[string]string{}, slices.Sorted(maps.Keys(v.settings))
	for _, tree := range slices.Sorted(maps.Keys(o.Settings)) {
		if key := v.differs(tree, o.Settings[tree]); key != "" {
			found.Differs[tree] = key
		}
		if v.settings[tree] == nil && len(v.settings) > 0 {
			found.Unknown = append(found.Unknown, tree)
		}
	}
	return found, nil
}

// Start takes this computer's records into a cluster that has none.
func Start(ctx context.Context, o Options) error {
	is, founded, err := readIdentity(ctx, o.Cluster)
	if err != nil {
		return err
	}
	copyOf, err := o.Store.CopyOf()
	switch {
	case err != nil:
		return err
	case founded && copyOf == is.ID:
		return mistake("this computer has begun the fleet already; start spinsync")
	case founded:
		return mistake("the fleet has begun already; this computer takes its records at its next `spinsync run` " +
			"with a new file as path in [state]; for a fleet with the records of this computer, name another prefix in [fleet]")
	case copyOf != "":
		return mistake("the state file has the records of another cluster; run `spinsync fleet leave` before")
	}
	if err := refuseUnderWay(o.Store); err != nil {
		return err
	}
	is = newIdentity(o)
	if err := inEpoch(ctx, o, func(store *syncstate.Store) error { return store.ShareAll(ctx, o.Cluster, is.ID) }); err != nil {
		return err
	}
	if done, err := put(ctx, o.Cluster, fleetKey, is, 0, 0); err != nil || !done {
		return errors.Join(err, errors.New("the fleet was begun and is not there yet; "+
			"run `spinsync fleet leave`, and then `spinsync fleet start` again"))
	}
	return nil
}

// refuseUnderWay keeps what may be open on the service from going to other stations in the middle.
func refuseUnderWay(store *syncstate.Store) error {
	for folder, r := range store.Heads() {
		if r.Run.In(syncstate.Making) || r.Run.IsBound() {
			return fmt.Errorf("%s is under way on the service; run `spinsync sync` before", folder.Path)
		}
	}
	return store.Err()
}

// inEpoch does something in an epoch of its own, while there is no fleet.
func inEpoch(ctx context.Context, o Options, do func(*syncstate.Store) error) error {
	lease, err := cluster.NewLease(ctx, o.Cluster, o.Lease)
	if err != nil {
		return err
	}
	epoch, err := cluster.Begin(ctx, o.Cluster, lease, o.Name, cluster.Condition{Key: fleetKey})
	if err != nil {
		return err
	}
	renewing, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for wait(renewing, o.Lease/4); renewing.Err() == nil; wait(renewing, o.Lease/4) {
			_ = lease.Renew(renewing) // without it the epoch ends, and says so
		}
	}()
	store := o.Store.Sharing(o.Trees, epoch)
	if err := do(store); err != nil {
		return err
	}
	store.End()
	return epoch.End(ctx)
}

// Leave makes a plain state file of a copy. It is refused while another station is in the cluster, as both
// would publish, and where a member of the cluster is reached that does not tell.
func Leave(ctx context.Context, o Options, reached func(context.Context) bool) error {
	copyOf, err := o.Store.CopyOf()
	switch {
	case err != nil:
		return err
	case copyOf == "":
		return mistake("the state file has no records of a fleet")
	}
	calling, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	all, err := Stations(calling, o.Cluster)
	if err != nil && reached(ctx) {
		return fmt.Errorf("the cluster does not tell which stations are in it; correct [fleet] and the password of etcd, "+
			"or stop all stations, and then the members of the cluster: %w", err)
	}
	for _, other := range all {
		if other.Station != o.Name {
			return fmt.Errorf("%s is in the fleet; stop spinsync there before, or both would publish", other.Station)
		}
	}
	if err := o.Store.Detach(); err != nil {
		return err
	}
	// What fails here is forgotten later.
	_, _ = o.Cluster.Commit(calling, cluster.Transaction{Then: []cluster.Write{{Key: seenKeys + o.Name}}})
	return nil
}

// forgotten is how long after it was seen last a station keeps others from an upgrade.
const forgotten = 30 * 24 * time.Hour

// Upgrade raises the schema of the fleet to the newest one, once every station knows it. It reports the
// schema.
func Upgrade(ctx context.Context, o Options) (schema int, err error) {
	entry, err := o.Cluster.Read(ctx, fleetKey)
	if err != nil {
		return 0, err
	}
	is, founded := decoded[identity](entry)
	if !founded {
		return 0, mistake("the fleet has no records yet; it begins with the newest schema")
	}
	if err := is.refuses(o); err != nil {
		return 0, err
	}
	all, _, err := o.Cluster.List(ctx, seenKeys)
	if err != nil {
		return 0, err
	}
	for _, e := range all {
		other, ok := decoded[seen](e)
		name := strings.TrimPrefix(e.Key, seenKeys)
		if ok && name != o.Name && other.Schema < o.Schema && time.Since(other.At) < forgotten {
			return 0, fmt.Errorf("%s knows schema %d, and this spinsync %d; install this version there before, "+
				"or, where that computer is gone for good, `etcdctl del` its key %s below prefix", name, other.Schema, o.Schema, e.Key)
		}
	}
	if is.Schema == o.Schema {
		return is.Schema, nil
	}
	is.Schema = o.Schema
	done, err := put(ctx, o.Cluster, fleetKey, is, entry.Changed, 0)
	if err == nil && !done {
		err = errors.New("the fleet was changed at the same time; try again")
	}
	return is.Schema, err
}
