package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/syncstate/cluster"
	"spinsync/syncstate/cluster/clustertest"
)

var (
	seed  = flag.Uint64("seed", 1, "first seed of TestStations")
	seeds = flag.Uint64("seeds", 50, "number of seeds of TestStations")
)

const ttl = 10 * time.Second

// TestStations has three stations take turns for a simulated hour, over lines that lose answers, bring
// transactions minutes late and are cut, while stations sleep. Each transaction writes the number
// after the last one.
func TestStations(t *testing.T) {
	for s := *seed; s < *seed+*seeds; s++ {
		t.Run(strconv.FormatUint(s, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { liveStations(t, s) })
		})
	}
}

func liveStations(t *testing.T, seed uint64) {
	model := clustertest.NewModel()
	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	var all sync.WaitGroup
	acknowledged := make([]int, 3)
	for i := range acknowledged {
		s := &station{
			name: fmt.Sprint("station", i), model: model,
			line: clustertest.NewLine(model, seed*10+uint64(i), 0.1, 5*time.Minute),
			rand: rand.New(rand.NewPCG(seed, uint64(i))),
		}
		all.Go(func() { acknowledged[i] = s.live(t, ctx) })
	}
	all.Wait()
	written := numbers(t, model)
	for i, n := range written {
		if n != i+1 {
			t.Fatalf("write %d has the number %d: something was written twice, or over newer data", i, n)
		}
	}
	for i, n := range acknowledged {
		if n == 0 {
			t.Errorf("station%d did nothing in an hour", i)
		}
	}
}

// numbers are all numbers that were ever written, in their order.
func numbers(t *testing.T, m *clustertest.Model) (all []int) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for changes, err := range m.Follow(ctx, "number", 0) {
		if err != nil {
			break
		}
		for _, e := range changes.Entries {
			n, err := strconv.Atoi(string(e.Value))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, n)
		}
	}
	return all
}

type station struct {
	name  string
	model *clustertest.Model
	line  *clustertest.Line
	rand  *rand.Rand
}

func (s *station) live(t *testing.T, ctx context.Context) (acknowledged int) {
	for ctx.Err() == nil {
		lease, err := cluster.NewLease(ctx, s.line, ttl)
		if err == nil {
			acknowledged += s.serve(t, ctx, lease)
		}
		s.sleep(ctx, 20*time.Second)
	}
	return acknowledged
}

// serve works for as long as the lease lasts.
func (s *station) serve(t *testing.T, ctx context.Context, lease *cluster.Lease) (acknowledged int) {
	epoch, err := cluster.Begin(ctx, s.line, lease, s.name)
	if err != nil {
		return 0
	}
	last, err := s.last(ctx)
	if err != nil {
		return 0
	}
	for ctx.Err() == nil {
		if epoch.Left() > 0 {
			if active, err := s.model.Read(ctx, "active"); err != nil || active.Value == nil {
				t.Errorf("%s has %v left of its lease, and nobody is active: %v", s.name, epoch.Left(), err)
			}
		}
		number := strconv.Itoa(last + 1)
		_, err := epoch.Commit(ctx, cluster.Transaction{Then: []cluster.Write{{Key: "number", Value: []byte(number)}}})
		switch {
		case err == nil:
			last++
			acknowledged++
		case errors.Is(err, cluster.ErrOpen):
			if _, err := epoch.Commit(ctx, cluster.Transaction{}); err != nil { // by then it is known
				return acknowledged
			}
			if last, err = s.last(ctx); err != nil {
				return acknowledged
			}
		default:
			return acknowledged
		}
		s.sleep(ctx, time.Second)
		switch s.rand.IntN(100) {
		case 0: // the machine sleeps
			s.sleep(ctx, time.Minute)
		case 1: // the line is cut
			s.line.Cut(true)
			s.sleep(ctx, time.Minute)
			s.line.Cut(false)
		case 2:
			_ = epoch.End(ctx)
			return acknowledged
		}
		_ = lease.Renew(ctx)
	}
	return acknowledged
}

func (s *station) last(ctx context.Context) (int, error) {
	e, err := s.line.Read(ctx, "number")
	if err != nil || e.Value == nil {
		return 0, err
	}
	return strconv.Atoi(string(e.Value))
}

func (s *station) sleep(ctx context.Context, longest time.Duration) {
	select {
	case <-time.After(time.Duration(s.rand.Int64N(int64(longest)))):
	case <-ctx.Done():
	}
}

// A line of a test does with each transaction what the test wants.
type testLine struct {
	*clustertest.Model
	commit func(cluster.Transaction) (cluster.Outcome, error)
}

func (l *testLine) Commit(_ context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	return l.commit(t)
}

// TestEpochThatMayBeginLate: a station whose copy may still arrive does not hear that another one is active.
// It would keep its lease, and with that an epoch of which it does not know.
func TestEpochThatMayBeginLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model, ctx := clustertest.NewModel(), t.Context()
		begin := func(c cluster.Cluster, name string) error {
			lease, err := cluster.NewLease(ctx, c, ttl)
			if err != nil {
				t.Fatal(err)
			}
			_, err = cluster.Begin(ctx, c, lease, name)
			return err
		}
		if err := begin(model, "anna"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(ttl / 2)
		line := &testLine{Model: model}
		var late cluster.Transaction
		line.commit = func(t cluster.Transaction) (cluster.Outcome, error) {
			if late.Then == nil {
				late = t
				return cluster.Outcome{}, cluster.ErrOpen
			}
			return model.Commit(ctx, t)
		}
		if err := begin(line, "bert"); !errors.Is(err, cluster.ErrOpen) || errors.Is(err, cluster.ErrTaken) {
			t.Errorf("bert begins beside anna with %v", err)
		}
		time.Sleep(ttl/2 + time.Second)
		if is, err := model.Commit(ctx, late); err != nil || !is.Done {
			t.Errorf("the late copy: %+v, %v", is, err)
		}
	})
}

// TestOutcomes: what is surely not done is never sent again, and what a late copy has done is done.
func TestOutcomes(t *testing.T) {
	refused := errors.New("refused")
	for name, is := range map[string]struct {
		first func(sent int) error // of a copy of the first transaction, in the place of its answer
		also  []cluster.Condition
		want  func(error) bool
		there string // after the next transaction, which writes another key
	}{
		"refused at once": {
			first: func(int) error { return refused },
			want:  func(err error) bool { return errors.Is(err, refused) && !errors.Is(err, cluster.ErrOpen) },
		},
		"not as it was known": {
			first: func(int) error { return nil },
			also:  []cluster.Condition{{Key: "key", Changed: 7}},
			want: func(err error) bool {
				refusal, is := errors.AsType[cluster.Refusal](err)
				return is && len(refusal.Found) == 1 && refusal.Found[0].Key == "key"
			},
		},
		"done by a copy that was late": {
			first: func(sent int) error {
				if sent == 1 {
					return cluster.ErrOpen
				}
				return nil
			},
			want: func(err error) bool { return err == nil }, there: "first",
		},
		"refused once a copy may be late": {
			first: func(sent int) error {
				if sent == 1 {
					return cluster.ErrOpen
				}
				return refused
			},
			want: func(err error) bool {
				return errors.Is(err, refused) && errors.Is(err, cluster.ErrOpen) && !strings.Contains(err.Error(), "\n")
			}, there: "first",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, model, first := t.Context(), clustertest.NewModel(), cluster.Transaction{
					If: is.also, Then: []cluster.Write{{Key: "key", Value: []byte("first")}},
				}
				line, sent := &testLine{Model: model}, 0
				do := func(t cluster.Transaction) (cluster.Outcome, error) { return model.Commit(ctx, t) }
				line.commit = do
				lease, err := cluster.NewLease(ctx, line, ttl)
				if err != nil {
					t.Fatal(err)
				}
				epoch, err := cluster.Begin(ctx, line, lease, "anna")
				if err != nil {
					t.Fatal(err)
				}
				var late cluster.Transaction
				line.commit = func(t cluster.Transaction) (cluster.Outcome, error) {
					if sent++; sent == 1 {
						late = t
					}
					if err := is.first(sent); err != nil {
						return cluster.Outcome{}, err
					}
					if sent == 2 {
						_, _ = do(late) // just before the next copy
					}
					return do(t)
				}
				if _, err := epoch.Commit(ctx, first); !is.want(err) {
					t.Errorf("it ends with %v", err)
				}
				line.commit = do
				if _, err := epoch.Commit(ctx, cluster.Transaction{Then: []cluster.Write{{Key: "next", Value: []byte("1")}}}); err != nil {
					t.Error(err)
				}
				if found, err := model.Read(ctx, "key"); err != nil || string(found.Value) != is.there {
					t.Errorf("the key is %q, %v", found.Value, err)
				}
			})
		})
	}
}
