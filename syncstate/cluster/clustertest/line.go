package clustertest

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"spinsync/syncstate/cluster"
)

// ErrCut is the error of a station that does not reach the cluster.
var ErrCut = errors.New("the cluster does not answer")

// A Line is one station's way to a cluster. It loses answers, and delivers transactions late or
// twice.
type Line struct {
	*Model
	Loss float64 // share of transactions that go wrong
	Late time.Duration
	mu   sync.Mutex // of rand
	rand *rand.Rand
	cut  atomic.Bool
}

// NewLine makes a line that goes wrong as its seed says.
func NewLine(m *Model, seed uint64, loss float64, late time.Duration) *Line {
	return &Line{Model: m, Loss: loss, Late: late, rand: rand.New(rand.NewPCG(seed, 1))}
}

// Cut has the line carry nothing, or everything again.
func (l *Line) Cut(is bool) { l.cut.Store(is) }

// Read implements cluster.Cluster.
func (l *Line) Read(ctx context.Context, key string) (cluster.Entry, error) {
	if l.cut.Load() {
		return cluster.Entry{}, ErrCut
	}
	return l.Model.Read(ctx, key)
}

// ReadAt implements cluster.Cluster.
func (l *Line) ReadAt(ctx context.Context, key string, revision int64) (cluster.Entry, error) {
	if l.cut.Load() {
		return cluster.Entry{}, ErrCut
	}
	return l.Model.ReadAt(ctx, key, revision)
}

// List implements cluster.Cluster.
func (l *Line) List(ctx context.Context, prefix string) ([]cluster.Entry, int64, error) {
	if l.cut.Load() {
		return nil, 0, ErrCut
	}
	return l.Model.List(ctx, prefix)
}

// Renew implements cluster.Cluster.
func (l *Line) Renew(ctx context.Context, id cluster.LeaseID) error {
	if l.cut.Load() {
		return ErrCut
	}
	return l.Model.Renew(ctx, id)
}

// Follow implements cluster.Cluster.
func (l *Line) Follow(ctx context.Context, prefix string, after int64) iter.Seq2[cluster.Changes, error] {
	return func(yield func(cluster.Changes, error) bool) {
		for changes, err := range l.Model.Follow(ctx, prefix, after) {
			if l.cut.Load() {
				yield(cluster.Changes{}, ErrCut)
				return
			}
			if !yield(changes, err) {
				return
			}
		}
	}
}

// Commit implements cluster.Cluster. What goes wrong is done and not answered, or done later, or
// both.
func (l *Line) Commit(ctx context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	if l.cut.Load() {
		return cluster.Outcome{}, ErrCut
	}
	wrong, done, late, delay := l.draw()
	if !wrong {
		return l.Model.Commit(ctx, t)
	}
	if done {
		_, _ = l.Model.Commit(ctx, t)
	}
	if late {
		time.AfterFunc(delay, func() {
			_, _ = l.Model.Commit(context.Background(), t)
		})
	}
	return cluster.Outcome{}, cluster.ErrOpen
}

// draw is what happens to a transaction.
func (l *Line) draw() (wrong, done, late bool, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rand.Float64() >= l.Loss {
		return false, true, false, 0
	}
	done, late = l.rand.IntN(2) == 0, l.rand.IntN(2) == 0
	if late {
		delay = time.Duration(l.rand.Int64N(int64(l.Late)))
	}
	return true, done, late, delay
}
