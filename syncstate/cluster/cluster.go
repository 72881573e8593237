package cluster

import (
	"context"
	"errors"
	"iter"
	"time"
)

// A Cluster holds keys with their values, each change under a revision of its own. All reads are
// linearisable: they see what was committed before they began.
//
// Its errors are ErrOpen, ErrCompacted, or what kept the cluster from answering.
type Cluster interface {
	// Read returns the entry of a key; one with Changed 0 when there is none.
	Read(ctx context.Context, key string) (Entry, error)
	// ReadAt is Read as it was at a revision. It is ErrCompacted when the cluster does not know that
	// any more, or never came so far.
	ReadAt(ctx context.Context, key string, revision int64) (Entry, error)
	// List returns all entries whose keys begin with prefix, in the order of their keys, as they were
	// at one revision.
	List(ctx context.Context, prefix string) ([]Entry, int64, error)
	// Commit does a transaction, or nothing. After ErrOpen it may still be done, at any time.
	Commit(ctx context.Context, t Transaction) (Outcome, error)
	// Follow yields all changes after a revision in their order, and waits for more, until its
	// context ends or with an error.
	Follow(ctx context.Context, prefix string, after int64) iter.Seq2[Changes, error]
	// Grant makes a lease. A key that hangs on it goes once the lease was not renewed for ttl.
	Grant(ctx context.Context, ttl time.Duration) (LeaseID, error)
	// Renew renews a lease once. It is ErrExpired when the lease is over.
	Renew(ctx context.Context, lease LeaseID) error
}

var (
	// ErrOpen is the error of a transaction that may or may not be done, now or later.
	ErrOpen = errors.New("the cluster did not answer whether a change was made")
	// ErrCompacted is the error of a revision of which the cluster keeps no changes any more.
	ErrCompacted = errors.New("the cluster does not keep changes for so long")
	// ErrRefused is in the error of a cluster that answers, and lets this station do nothing.
	ErrRefused = errors.New("the cluster refuses this station")
	// ErrExpired is the error of a lease that is over.
	ErrExpired = errors.New("the lease is over")
)

// LeaseID names a lease; 0 is none.
type LeaseID int64

// An Entry is a key with its value.
type Entry struct {
	Key     string
	Value   []byte // nil when the key is not there
	Changed int64  // revision of the last change; 0 when the key is not there
}

// Changes are all that one revision changed. An entry without a value was removed.
type Changes struct {
	Revision int64
	Entries  []Entry
}

// A Condition is what an entry must be for a transaction to be done.
type Condition struct {
	Key     string
	Changed int64  // revision of the last change; 0: the key is not there
	Value   []byte // nil is any
}

// A Write gives a key a value, or removes it with a nil one.
type Write struct {
	Key   string
	Value []byte
	Lease LeaseID
}

// A Transaction does all of its writes if all of its conditions hold, and else nothing.
type Transaction struct {
	If   []Condition
	Then []Write
}

// An Outcome is the answer to a transaction.
type Outcome struct {
	Done     bool
	Revision int64   // of the changes, if it is done
	Found    []Entry // the entries of the conditions in their order, if it is not
}
