package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ActiveKey is the key that is there during an epoch.
const ActiveKey = "active"

var (
	// ErrLost is the error of a transaction after its epoch: nothing of it is done, or another
	// station has gone on since.
	ErrLost = errors.New("another station is active, or none is")
	// ErrTaken is the error of a station that wants to become active while one is.
	ErrTaken = errors.New("a station is active")
)

// A Refusal is the error of a transaction of which a condition does not hold. Nothing is done.
type Refusal struct {
	Found []Entry // what is there in the place of what the failed conditions asked for
}

func (r Refusal) Error() string {
	return fmt.Sprintf("%s is not as it was known to be", r.Found[0].Key)
}

// active is the value of the key of this name.
type active struct {
	Station string `json:"station"`
	Nonce   string `json:"nonce"` // a restored cluster has revisions twice
}

// ActiveIn is the station of the epoch that the entry of ActiveKey is of; empty for none.
func ActiveIn(e Entry) string {
	var a active
	_ = json.Unmarshal(e.Value, &a) // there is none without a value
	return a.Station
}

// An Epoch is the time in which one station is active. Its transactions are done one after the other; Left and
// HasTime may be called by several goroutines.
type Epoch struct {
	cluster Cluster
	lease   *Lease
	holds   Condition // for as long as the epoch lasts
	counter Counter
	changed int64  // revision at which the counter was raised last
	open    *raise // a transaction whose outcome is not known
	lost    bool
}

// raise is a transaction that raises the counter.
type raise struct {
	Transaction
	to   Counter
	sent bool // a copy of it may still arrive
}

// Begin makes a station active. The conditions hold at the epoch's first moment. The error is
// ErrTaken, a Refusal, or what kept the cluster from answering: then the lease must not be used for
// another epoch, since this one may begin later.
func Begin(ctx context.Context, c Cluster, lease *Lease, station string, conditions ...Condition) (*Epoch, error) {
	counter, err := c.Read(ctx, counterKey)
	if err != nil {
		return nil, err
	}
	value, err := json.Marshal(active{station, rand.Text()})
	if err != nil {
		return nil, err
	}
	e := &Epoch{cluster: c, lease: lease, changed: counter.Changed}
	if e.counter, err = decodeCounter(counter); err != nil {
		return nil, err
	}
	e.holds = Condition{Key: ActiveKey}
	revision, err := e.do(ctx, Transaction{If: conditions, Then: []Write{{ActiveKey, value, lease.id}}})
	if errors.Is(err, ErrLost) && !errors.Is(err, ErrOpen) {
		return nil, ErrTaken
	}
	if err != nil {
		return nil, err
	}
	e.holds = Condition{Key: ActiveKey, Changed: revision, Value: value}
	return e, nil
}

// Since is the revision at which the epoch began.
func (e *Epoch) Since() int64 { return e.holds.Changed }

// Left is the time for which the epoch surely lasts.
func (e *Epoch) Left() time.Duration { return e.lease.Left() }

// HasTime reports whether enough of the lease is left to begin a request that changes something.
func (e *Epoch) HasTime() bool { return e.lease.HasTime() }

// Counter is the counter after the last transaction, and its revision.
func (e *Epoch) Counter() (Counter, int64) { return e.counter, e.changed }

// Commit does a transaction of the epoch and returns its revision. The error is ErrLost, a Refusal,
// or ErrOpen once the context has ended: the transaction may then still be done, and the next one
// waits until that is known.
func (e *Epoch) Commit(ctx context.Context, t Transaction) (revision int64, err error) {
	if e.lost {
		return 0, ErrLost
	}
	if e.open != nil {
		if _, err := e.settle(ctx); err != nil && !isRefusal(err) {
			return 0, err
		}
	}
	return e.do(ctx, t)
}

// End ends the epoch at once, so that another station can begin. When it fails, the epoch ends with
// its lease.
func (e *Epoch) End(ctx context.Context) error {
	_, err := e.Commit(ctx, Transaction{Then: []Write{{Key: ActiveKey}}})
	e.lost = true
	return err
}

func isRefusal(err error) bool {
	_, is := errors.AsType[Refusal](err)
	return is
}

// do adds to a transaction what each one of an epoch has, and does it.
func (e *Epoch) do(ctx context.Context, t Transaction) (revision int64, err error) {
	to := e.counter.next()
	e.open = &raise{to: to, Transaction: Transaction{
		If:   append([]Condition{e.holds, {Key: counterKey, Changed: e.changed}}, t.If...),
		Then: append([]Write{{Key: counterKey, Value: to.encode()}}, t.Then...),
	}}
	return e.settle(ctx)
}

// settle sends the open transaction until its outcome is known. Copies of it do no harm: the first
// that is done raises the counter that all of them compare.
func (e *Epoch) settle(ctx context.Context) (revision int64, err error) {
	for {
		outcome, err := e.cluster.Commit(ctx, e.open.Transaction)
		switch {
		case err == nil && outcome.Done:
			return e.done(outcome.Revision), nil
		case err == nil:
			return e.notDone(outcome.Found)
		case errors.Is(err, ErrOpen):
			e.open.sent = true
		case !e.open.sent:
			e.open = nil
			return 0, err
		default:
			return 0, fmt.Errorf("%w: %w", ErrOpen, err)
		}
		found, err := e.cluster.Read(ctx, counterKey)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", ErrOpen, err)
		}
		if found.Changed != e.changed {
			return e.settled(found)
		}
	}
}

func (e *Epoch) done(revision int64) int64 {
	e.counter, e.changed, e.open = e.open.to, revision, nil
	return revision
}

// notDone tells why a transaction was not done: an earlier copy of it was, its epoch is over, or one
// of its own conditions does not hold.
func (e *Epoch) notDone(found []Entry) (revision int64, err error) {
	holds, counter := found[0], found[1]
	if counter.Changed != e.changed {
		return e.settled(counter)
	}
	if !e.open.If[0].holds(holds) {
		return 0, e.lose()
	}
	var refusal Refusal
	for i, c := range e.open.If {
		if !c.holds(found[i]) {
			refusal.Found = append(refusal.Found, found[i])
		}
	}
	e.open = nil
	return 0, refusal
}

// settled takes the counter's value for the outcome. Only the station of the epoch raises it: with
// another value than ours the epoch is over.
func (e *Epoch) settled(counter Entry) (revision int64, err error) {
	is, err := decodeCounter(counter)
	if err != nil {
		return 0, err
	}
	if is.ID == e.open.to.ID {
		return e.done(counter.Changed), nil
	}
	return 0, e.lose()
}

// lose gives the open transaction up. A copy of it that was sent may be done, or may be done yet: one that
// begins an epoch is, once nobody is active and nothing was decided by then.
func (e *Epoch) lose() error {
	sent := e.open.sent
	e.lost, e.open = true, nil
	if sent {
		return fmt.Errorf("%w: %w", ErrOpen, ErrLost)
	}
	return ErrLost
}

// holds reports whether an entry is what the condition asks for.
func (c Condition) holds(e Entry) bool {
	return e.Changed == c.Changed && (c.Value == nil || string(e.Value) == string(c.Value))
}
