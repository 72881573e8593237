package station

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"spinsync/syncstate/cluster"
)

// What keeps a station out of its fleet, until a person sees to it.
var (
	// ErrMistake: sync.toml names another fleet than the one that is there, or a file of another.
	ErrMistake = errors.New("this computer cannot join the fleet")
	// ErrNameTaken: another computer has the name.
	ErrNameTaken = errors.New("another computer of the fleet has the name")
)

func mistake(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrMistake, fmt.Errorf(format, args...))
}

func nameTaken(name string) error {
	return fmt.Errorf("%w %s; give each computer its own with station in [fleet]", ErrNameTaken, name)
}

const fleetKey = "fleet"

// An identity is the cluster's first key: whose views its records are of.
type identity struct {
	ID       string `json:"id"`
	BaseURL  string `json:"base_url"`
	Username string `json:"username"`
	Schema   int    `json:"schema"`
}

func newIdentity(o Options) identity {
	return identity{ID: rand.Text(), BaseURL: o.Account.BaseURL, Username: o.Account.Username, Schema: o.Schema}
}

// admit finds out which fleet it is, or makes it one, and whether this computer belongs to it.
func (s *Station) admit(ctx context.Context) (id string, err error) {
	is, founded, err := readIdentity(ctx, s.o.Cluster)
	if err != nil {
		return "", err
	}
	if err := s.o.belongs(is, founded); err != nil {
		return "", err
	}
	if !founded {
		return s.found(ctx)
	}
	return is.ID, nil
}

// belongs is why the records in the state file keep a computer out of the fleet; nil where they do not.
func (o Options) belongs(is identity, founded bool) error {
	copyOf, err := o.Store.CopyOf()
	if err != nil {
		return err
	}
	own, err := o.Store.HasDecisions(o.Trees)
	if err != nil {
		return err
	}
	switch {
	case !founded && copyOf != "":
		return mistake("the state file is a copy of another cluster than the one at these addresses; " +
			"correct etcd or prefix in [fleet], or run `spinsync fleet leave` and then `spinsync fleet start`")
	case !founded && own:
		return mistake("the fleet has no records yet, and this computer has; run `spinsync fleet start` at the one " +
			"whose records are to be the fleet's")
	case !founded:
		return nil
	case is.refuses(o) != nil:
		return is.refuses(o)
	case copyOf == "" && own:
		return mistake("the fleet has records, and the state file has others of its own; name a new file with path in [state]")
	case copyOf != "" && copyOf != is.ID:
		return mistake("the state file is a copy of another cluster; name a new file with path in [state]")
	}
	return nil
}

// refuses is why a station cannot be of this fleet.
func (is identity) refuses(o Options) error {
	switch {
	case is.BaseURL != o.Account.BaseURL || is.Username != o.Account.Username:
		return mistake("the fleet publishes as %s at %s; correct username and base_url in sync.toml", is.Username, is.BaseURL)
	case is.Schema > o.Schema:
		return mistake("the fleet's records have schema %d, and this spinsync knows %d; "+
			"install the version of the other stations", is.Schema, o.Schema)
	}
	return nil
}

func readIdentity(ctx context.Context, c cluster.Cluster) (is identity, founded bool, err error) {
	entry, err := c.Read(ctx, fleetKey)
	if err != nil || entry.Value == nil {
		return is, false, err
	}
	if err := json.Unmarshal(entry.Value, &is); err != nil {
		return is, false, fmt.Errorf("the cluster's key %s cannot be read: %w", fleetKey, err)
	}
	return is, true, nil
}

// found makes a fleet without records. Another station may be quicker, or have given it only some of its own.
func (s *Station) found(ctx context.Context) (id string, err error) {
	is := newIdentity(s.o)
	done, err := put(ctx, s.o.Cluster, fleetKey, is, 0, 0, cluster.NeverActive)
	if err != nil || done {
		return is.ID, err
	}
	_, founded, err := readIdentity(ctx, s.o.Cluster)
	switch {
	case err != nil:
		return "", err
	case founded:
		return s.admit(ctx)
	}
	return "", mistake("`spinsync fleet start` has not come to its end at another computer; " +
		"run it there once more, and then start this one")
}

// put writes a value to a key whose last change was that one.
func put(
	ctx context.Context, c cluster.Cluster, key string, value any, changed int64, lease cluster.LeaseID, also ...cluster.Condition,
) (done bool, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return false, err
	}
	outcome, err := c.Commit(ctx, cluster.Transaction{
		If:   append(also, cluster.Condition{Key: key, Changed: changed}),
		Then: []cluster.Write{{Key: key, Value: data, Lease: lease}},
	})
	return outcome.Done, err
}
