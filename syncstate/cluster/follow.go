package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
)

// A Copy is what a station keeps of the cluster. It is followed, and caught up with at a takeover, by two
// goroutines at once.
type Copy interface {
	// At is the revision up to which the copy is whole, and the counter at that revision; zero when
	// nothing was taken yet.
	At() (revision int64, counter Counter)
	// Take applies changes and notes the counter with their revision, all or nothing.
	Take(changes Changes, counter Counter) error
	// Replace makes the copy equal to all that the cluster has at a revision.
	Replace(all []Entry, revision int64, counter Counter) error
}

// ErrRestored is the error of a cluster that was restored from a backup while it was followed.
var ErrRestored = errors.New("the cluster was restored from a backup")

// CatchUp brings a copy up to all that was decided by now, and returns a revision up to which it is whole.
func CatchUp(ctx context.Context, c Cluster, copy Copy) (revision int64, err error) {
	at, known := copy.At() // before the cluster is asked: this station may go on meanwhile
	now, err := c.Read(ctx, counterKey)
	if err != nil {
		return 0, err
	}
	counter, err := decodeCounter(now)
	if err != nil {
		return 0, err
	}
	switch {
	case known.N > counter.N:
		if err := supersede(ctx, c, now, known); err != nil {
			return 0, err
		}
		return CatchUp(ctx, c, copy)
	case at == 0:
		return replace(ctx, c, copy)
	}
	switch goesOn, err := continues(ctx, c, at, known); {
	case err != nil:
		return 0, err
	case !goesOn:
		return replace(ctx, c, copy)
	case at >= now.Changed:
		return at, nil
	}
	for changes, err := range c.Follow(ctx, "", at) {
		if err == nil {
			err = take(copy, changes)
		}
		if errors.Is(err, ErrCompacted) || errors.Is(err, ErrRestored) {
			return replace(ctx, c, copy)
		}
		if err != nil {
			return 0, err
		}
		if changes.Revision >= now.Changed {
			return changes.Revision, nil
		}
	}
	return 0, context.Cause(ctx)
}

// Examine is ErrRestored when the cluster was restored under a copy that follows it. What such a cluster has
// may come under revisions that the copy is beyond, and then the copy does not hear of it.
func Examine(ctx context.Context, c Cluster, copy Copy) error {
	at, known := copy.At()
	now, err := c.Read(ctx, counterKey)
	if err != nil {
		return err
	}
	counter, err := decodeCounter(now)
	if err == nil && now.Changed <= at && counter.ID != known.ID {
		return ErrRestored
	}
	return err
}

// supersede has a restored cluster count on from what a station knows that it lacks. No epoch that began
// before goes on, and nobody takes what comes now for what was lost: the counter has other ids. Another
// station may be quicker.
func supersede(ctx context.Context, c Cluster, now Entry, known Counter) error {
	counter := Counter{N: known.N + 1, ID: rand.Text()}
	_, err := c.Commit(ctx, Transaction{
		If: []Condition{{Key: counterKey, Changed: now.Changed}}, Then: []Write{{Key: counterKey, Value: counter.encode()}},
	})
	return err
}

// continues reports whether a cluster went on from what a copy has of it. A restored one may have other
// changes under the same revisions. What the cluster does not know any more counts as not.
func continues(ctx context.Context, c Cluster, at int64, known Counter) (bool, error) {
	then, err := c.ReadAt(ctx, counterKey, at)
	if errors.Is(err, ErrCompacted) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	counter, err := decodeCounter(then)
	return counter.ID == known.ID, err
}

// Follow applies to a copy each change after a revision that it lacks, until the context ends or with
// an error. It calls after behind each.
func Follow(ctx context.Context, c Cluster, copy Copy, at int64, after func(Changes)) error {
	for changes, err := range c.Follow(ctx, "", at) {
		if err == nil {
			err = take(copy, changes)
		}
		if err != nil {
			return err
		}
		after(changes)
	}
	return context.Cause(ctx)
}

// take applies changes. Those of a revision that raised no counter leave it as it was. What the copy
// has by then is this station's own.
func take(copy Copy, changes Changes) error {
	at, counter := copy.At()
	if changes.Revision <= at {
		return nil
	}
	for _, e := range changes.Entries {
		if e.Key != counterKey {
			continue
		}
		raised, err := decodeCounter(e)
		if err != nil {
			return err
		}
		if raised.Before != counter.ID {
			return fmt.Errorf("the cluster's counter went from %d to %d: %w", counter.N, raised.N, ErrRestored)
		}
		counter = raised
	}
	return copy.Take(changes, counter)
}

func replace(ctx context.Context, c Cluster, copy Copy) (revision int64, err error) {
	all, revision, err := c.List(ctx, "")
	if err != nil {
		return 0, err
	}
	var counter Counter
	for _, e := range all {
		if e.Key == counterKey {
			if counter, err = decodeCounter(e); err != nil {
				return 0, err
			}
		}
	}
	return revision, copy.Replace(all, revision, counter)
}
