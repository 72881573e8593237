// Package clustertest has a cluster in memory, for tests: with revisions, leases and compaction as a
// real one has them, and with answers that are lost and transactions that arrive late.
package clustertest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/syncstate/cluster"
)

// A Model is a cluster in memory.
type Model struct {
	mu        sync.Mutex
	revision  int64
	entries   map[string]entry
	history   []cluster.Changes
	compacted int64            // the last revision whose changes are gone
	base      map[string]entry // as of then
	leases    map[cluster.LeaseID]lease
	lastLease cluster.LeaseID
	grown     chan struct{} // closed at the next change
}

type entry struct {
	cluster.Entry
	lease cluster.LeaseID
}

type lease struct {
	ttl  time.Duration
	ends time.Time
}

// NewModel makes an empty cluster.
func NewModel() *Model {
	return &Model{
		revision: 1, entries: map[string]entry{}, leases: map[cluster.LeaseID]lease{}, grown: make(chan struct{}),
	}
}

// Read implements cluster.Cluster.
func (m *Model) Read(ctx context.Context, key string) (cluster.Entry, error) {
	defer m.lock()()
	return m.at(key), ctx.Err()
}

// ReadAt implements cluster.Cluster.
func (m *Model) ReadAt(ctx context.Context, key string, revision int64) (cluster.Entry, error) {
	defer m.lock()()
	if revision < m.compacted || revision > m.revision {
		return cluster.Entry{}, cluster.ErrCompacted
	}
	found := cluster.Entry{Key: key}
	if e, there := m.base[key]; there {
		found = e.Entry
	}
	for _, changes := range m.history {
		for _, e := range changes.Entries {
			if e.Key == key && changes.Revision <= revision {
				found = e
			}
		}
	}
	if found.Value == nil {
		found = cluster.Entry{Key: key}
	}
	return found, ctx.Err()
}

// List implements cluster.Cluster.
func (m *Model) List(ctx context.Context, prefix string) ([]cluster.Entry, int64, error) {
	defer m.lock()()
	var all []cluster.Entry
	for _, key := range slices.Sorted(maps.Keys(m.entries)) {
		if strings.HasPrefix(key, prefix) {
			all = append(all, m.entries[key].Entry)
		}
	}
	return all, m.revision, ctx.Err()
}

// Commit implements cluster.Cluster.
func (m *Model) Commit(ctx context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return cluster.Outcome{}, err
	}
	if err := refused(t); err != nil {
		return cluster.Outcome{}, err
	}
	defer m.lock()()
	found := make([]cluster.Entry, len(t.If))
	holds := true
	for i, c := range t.If {
		found[i] = m.at(c.Key)
		holds = holds && found[i].Changed == c.Changed && (c.Value == nil || bytes.Equal(c.Value, found[i].Value))
	}
	if !holds {
		return cluster.Outcome{Found: found}, nil
	}
	for _, w := range t.Then {
		if _, good := m.leases[w.Lease]; w.Lease != 0 && !good {
			return cluster.Outcome{}, cluster.ErrExpired
		}
	}
	m.write(t.Then)
	return cluster.Outcome{Done: true, Revision: m.revision}, nil
}

// refused is why a server takes no such transaction, whatever its conditions.
func refused(t cluster.Transaction) error {
	size := 0
	for i, w := range t.Then {
		if slices.ContainsFunc(t.Then[:i], func(other cluster.Write) bool { return other.Key == w.Key }) {
			return fmt.Errorf("a transaction has %s twice", w.Key)
		}
		size += len(w.Key) + len(w.Value)
	}
	if len(t.If) > 128 || len(t.Then) > 128 || size > 1_500_000 {
		return fmt.Errorf("a transaction has %d operations, and %d bytes", len(t.Then), size)
	}
	return nil
}

// Follow implements cluster.Cluster.
func (m *Model) Follow(ctx context.Context, prefix string, after int64) iter.Seq2[cluster.Changes, error] {
	return func(yield func(cluster.Changes, error) bool) {
		for {
			next, grown, err := m.next(after)
			if err != nil {
				yield(cluster.Changes{}, err)
				return
			}
			for _, changes := range next {
				after = changes.Revision
				changes.Entries = slices.DeleteFunc(slices.Clone(changes.Entries), func(e cluster.Entry) bool {
					return !strings.HasPrefix(e.Key, prefix)
				})
				if len(changes.Entries) > 0 && !yield(changes, nil) {
					return
				}
			}
			select {
			case <-grown:
			case <-ctx.Done():
				yield(cluster.Changes{}, context.Cause(ctx))
				return
			}
		}
	}
}

// next are the changes after a revision, and a channel that is closed when there are more.
func (m *Model) next(after int64) ([]cluster.Changes, chan struct{}, error) {
	defer m.lock()()
	if after < m.compacted {
		return nil, nil, cluster.ErrCompacted
	}
	i, _ := slices.BinarySearchFunc(m.history, after+1, func(c cluster.Changes, revision int64) int {
		return cmp.Compare(c.Revision, revision)
	})
	return m.history[i:], m.grown, nil
}

// Grant implements cluster.Cluster.
func (m *Model) Grant(ctx context.Context, ttl time.Duration) (cluster.LeaseID, error) {
	defer m.lock()()
	m.lastLease++
	id := m.lastLease
	m.leases[id] = lease{ttl: ttl}
	m.extend(id)
	return id, ctx.Err()
}

// Renew implements cluster.Cluster.
func (m *Model) Renew(ctx context.Context, id cluster.LeaseID) error {
	defer m.lock()()
	if _, good := m.leases[id]; !good {
		return cluster.ErrExpired
	}
	m.extend(id)
	return ctx.Err()
}

// extend renews a lease, and has it end in its time.
func (m *Model) extend(id cluster.LeaseID) {
	l := m.leases[id]
	l.ends = time.Now().Add(l.ttl)
	m.leases[id] = l
	time.AfterFunc(l.ttl, func() { m.lock()() })
}

// Left is the entry of a key, and for how long it stands if its lease is not renewed; 0 without a lease.
func (m *Model) Left(key string) (cluster.Entry, time.Duration) {
	defer m.lock()()
	l, is := m.leases[m.entries[key].lease]
	if !is {
		return m.at(key), 0
	}
	return m.at(key), time.Until(l.ends)
}

// Compact forgets all changes but the newest.
func (m *Model) Compact() {
	defer m.lock()()
	m.history, m.compacted, m.base = nil, m.revision, maps.Clone(m.entries)
}

// A Backup is all that a cluster had at one time.
type Backup struct {
	revision int64
	entries  map[string]entry
	leases   map[cluster.LeaseID]lease
}

// Backup copies what is there.
func (m *Model) Backup() Backup {
	defer m.lock()()
	return Backup{m.revision, maps.Clone(m.entries), maps.Clone(m.leases)}
}

// Restore makes the cluster what it was. Its leases begin anew. With raised revisions as `etcdutl snapshot restore` has them
// when it is told so.
func (m *Model) Restore(b Backup, raise int64) {
	defer m.lock()()
	m.revision, m.entries = b.revision+raise, maps.Clone(b.entries)
	m.history, m.compacted, m.base = nil, m.revision, maps.Clone(m.entries)
	m.leases = map[cluster.LeaseID]lease{}
	for id, l := range b.leases {
		m.leases[id] = lease{l.ttl, time.Now().Add(l.ttl)}
	}
	close(m.grown)
	m.grown = make(chan struct{})
}

// lock also ends leases whose time has come.
func (m *Model) lock() (unlock func()) {
	m.mu.Lock()
	for id, l := range m.leases {
		if time.Now().Before(l.ends) {
			continue
		}
		delete(m.leases, id)
		var gone []cluster.Write
		for key, e := range m.entries {
			if e.lease == id {
				gone = append(gone, cluster.Write{Key: key})
			}
		}
		if len(gone) > 0 {
			m.write(gone)
		}
	}
	return m.mu.Unlock
}

func (m *Model) at(key string) cluster.Entry {
	e, known := m.entries[key]
	if !known {
		return cluster.Entry{Key: key}
	}
	return e.Entry
}

// write makes changes under one new revision. Removing keys that are not there is no change.
func (m *Model) write(writes []cluster.Write) {
	writes = slices.DeleteFunc(slices.Clone(writes), func(w cluster.Write) bool {
		return w.Value == nil && m.at(w.Key).Value == nil
	})
	if len(writes) == 0 {
		return
	}
	m.revision++
	changes := cluster.Changes{Revision: m.revision}
	for _, w := range writes {
		e := entry{cluster.Entry{Key: w.Key, Value: w.Value, Changed: m.revision}, w.Lease}
		if w.Value == nil {
			delete(m.entries, w.Key)
		} else {
			m.entries[w.Key] = e
		}
		changes.Entries = append(changes.Entries, e.Entry)
	}
	m.history = append(m.history, changes)
	close(m.grown)
	m.grown = make(chan struct{})
}
