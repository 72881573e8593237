package station

import (
	"context"
	"errors"
	"time"

	"spinsync/syncstate"
	"spinsync/syncstate/cluster"
)

// What is here runs beside the goroutine that decides.

// renew renews the lease for as long as the daemon is well.
func (in *session) renew(ctx context.Context) error {
	for {
		wait(ctx, in.o.Lease/4)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := in.pulse(ctx, in.o.Lease/4); err != nil {
			in.o.Log.Error("the lease is not renewed", "error", err)
			continue
		}
		calling, cancel := context.WithTimeout(ctx, in.o.Lease/4)
		err := in.lease.Renew(calling)
		cancel()
		if errors.Is(err, cluster.ErrExpired) {
			return err
		}
	}
}

// follow has the state file follow, and hears of the others, until what it finds cannot pass.
func (in *session) follow(ctx context.Context, heard chan<- entries) error {
	for {
		err := in.followOnce(ctx, heard)
		if ctx.Err() != nil || errors.Is(err, cluster.ErrRestored) || errors.Is(err, syncstate.ErrOtherCluster) {
			return err
		}
		in.trouble(err)
		wait(ctx, tick)
	}
}

// followOnce follows from where it listed the others, or the copy is whole, whichever is earlier.
func (in *session) followOnce(ctx context.Context, heard chan<- entries) error {
	if err := in.o.Store.Err(); err != nil {
		return err
	}
	all, revision, err := in.others(ctx)
	if err != nil {
		return err
	}
	at, err := cluster.CatchUp(ctx, in.o.Cluster, in.copy)
	if err != nil {
		return err
	}
	tell := func(e entries) {
		select {
		case heard <- e:
		case <-ctx.Done():
		}
	}
	tell(entries{revision: revision, all: true, list: all})
	in.trouble(nil)
	return cluster.Follow(ctx, in.o.Cluster, in.copy, min(at, revision), func(c cluster.Changes) {
		tell(entries{revision: c.Revision, list: c.Entries})
	})
}

// survey asks every minute how the cluster does, until it was restored.
func (in *session) survey(ctx context.Context) error {
	for told := (time.Time{}); ctx.Err() == nil; wait(ctx, surveyEvery) {
		if time.Since(told) > 24*time.Hour {
			now := time.Now().UTC().Truncate(time.Second)
			write := cluster.Write{Key: seenKeys + in.o.Name, Value: encoded(seen{in.o.Schema, now})}
			if _, err := in.o.Cluster.Commit(ctx, cluster.Transaction{Then: []cluster.Write{write}}); err == nil {
				told = now
			}
		}
		if in.Now().Trouble == "" { // it follows
			if err := cluster.Examine(ctx, in.o.Cluster, in.copy); errors.Is(err, cluster.ErrRestored) {
				return err
			}
		}
		trouble, worst := in.o.Survey(ctx)
		in.mu.Lock()
		if ctx.Err() == nil {
			in.shown.Cluster, in.worst = trouble, worst
		}
		in.mu.Unlock()
	}
	return ctx.Err()
}

// others lists the members, the settings and the active station. What changes by then is heard once more.
func (in *session) others(ctx context.Context) (all []cluster.Entry, revision int64, err error) {
	all, revision, err = in.o.Cluster.List(ctx, memberKeys)
	if err != nil {
		return nil, 0, err
	}
	settings, _, err := in.o.Cluster.List(ctx, settingsKeys)
	if err != nil {
		return nil, 0, err
	}
	active, err := in.o.Cluster.Read(ctx, cluster.ActiveKey)
	return append(append(all, settings...), active), revision, err
}

// sever breaks off all that an epoch has on its way once it is over, or its lease may be, whatever this
// station waits for.
func (in *session) sever(epoch *cluster.Epoch, store *syncstate.Store) (done <-chan struct{}) {
	severed := make(chan struct{})
	go func() {
		defer close(severed)
		defer in.o.Work.Sever()
		defer store.End()
		for left := epoch.Left(); left > 0; left = epoch.Left() {
			select {
			case <-store.Over():
				return
			case <-time.After(min(left, tick)): // which stands still while the computer sleeps
			}
		}
	}()
	return severed
}
