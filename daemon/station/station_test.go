package station_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/station"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster"
	"spinsync/syncstate/cluster/clustertest"
)

const lease = 10 * time.Second

var (
	seed  = flag.Uint64("seed", 1, "first seed of TestDaysOfAFleet")
	seeds = flag.Uint64("seeds", 2, "number of seeds of TestDaysOfAFleet")
)

// A computer is a station with a daemon that does one thing: while it is active, it raises the count of
// a folder by a decision at its pace, and sends the number to the world.
type computer struct {
	t      *testing.T
	world  *world
	name   string
	user   string // of the service
	schema int
	line   *clustertest.Line
	way    *way // over the line; nil for the line alone
	store  *syncstate.Store
	fails  atomic.Bool // the next commit to the file
	*station.Station

	mu      sync.Mutex
	part    station.Part
	stop    context.CancelFunc
	ended   chan struct{}
	hangs   bool          // the daemon's loop
	stuck   bool          // a worker does not end
	held    chan struct{} // the daemon cannot be changed until it is closed
	ill     string
	offline map[string]bool // whether another tree is there
	trouble string          // with the cluster
	severed time.Time
	end     func() // ends the process; nil while none runs
	err     error  // of Run
	log     journal
}

// A journal is what a station logs.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// A way to the cluster on which things happen.
type way struct {
	cluster.Cluster
	listed     func() // between a list and its answer
	committing func(cluster.Transaction) error
	granted    atomic.Int32  // leases
	breaks     atomic.Bool   // the watch, once
	late       time.Duration // by which it is
	hangs      atomic.Bool   // what changes anything
}

func (w *way) Commit(ctx context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	if w.committing != nil {
		if err := w.committing(t); err != nil {
			return cluster.Outcome{}, err
		}
	}
	if w.hangs.Load() {
		<-ctx.Done()
		return cluster.Outcome{}, cluster.ErrOpen
	}
	return w.Cluster.Commit(ctx, t)
}

func (w *way) Grant(ctx context.Context, ttl time.Duration) (cluster.LeaseID, error) {
	w.granted.Add(1)
	return w.Cluster.Grant(ctx, ttl)
}

func (w *way) Renew(ctx context.Context, lease cluster.LeaseID) error {
	if w.hangs.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return w.Cluster.Renew(ctx, lease)
}

func (w *way) List(ctx context.Context, prefix string) ([]cluster.Entry, int64, error) {
	all, revision, err := w.Cluster.List(ctx, prefix)
	if w.listed != nil {
		w.listed()
	}
	return all, revision, err
}

func (w *way) Follow(ctx context.Context, prefix string, after int64) iter.Seq2[cluster.Changes, error] {
	return func(yield func(cluster.Changes, error) bool) {
		for changes, err := range w.Cluster.Follow(ctx, prefix, after) {
			time.Sleep(w.late)
			if w.breaks.CompareAndSwap(true, false) {
				changes, err = cluster.Changes{}, clustertest.ErrCut
			}
			if !yield(changes, err) || err != nil {
				return
			}
		}
	}
}

// A world has the cluster, and what arrived at the service.
type world struct {
	model     *clustertest.Model
	settings  string
	trees     map[string]string // beside that of the folder
	pace      time.Duration     // of the work
	mu        sync.Mutex
	sent      []int
	by        []string
	computers []*computer
}

var folder = syncstate.Folder{Root: "/srv/shoots", Path: "SKU-1"}

func (w *world) computer(t *testing.T, name string, seed uint64, loss float64) *computer {
	c := &computer{t: t, world: w, name: name, user: "studio", schema: 1, held: make(chan struct{})}
	c.line = clustertest.NewLine(w.model, seed, loss, 5*time.Minute)
	var err error
	path, account := filepath.Join(t.TempDir(), "state.db"), syncstate.Account{BaseURL: "https://views", Username: "studio"}
	c.store, err = syncstate.OpenObserved(path, account, func(do func() error) error {
		if c.fails.CompareAndSwap(true, false) {
			return errors.New("the disk fails")
		}
		return do()
	})
	if err != nil {
		t.Fatal(err)
	}
	close(c.held)
	w.computers = append(w.computers, c)
	return c
}

// start runs the station as a new process.
func (c *computer) start() {
	c.Station = station.New(c.options())
	ctx, cancel := context.WithCancel(c.t.Context())
	ended := make(chan struct{})
	c.begin(c.Station.Part())
	go func() {
		defer close(ended)
		err := c.Run(ctx, func() bool { return true })
		c.set(func() { c.err = err })
	}()
	c.end = func() {
		c.halt()
		cancel()
		<-ended
		c.halt() // a daemon that was made by then
		c.end = nil
	}
}

func (c *computer) options() station.Options {
	var to cluster.Cluster = c.line
	if c.way != nil {
		to = c.way
	}
	trees := map[string]string{"/srv/shoots": "shoots"}
	maps.Copy(trees, c.world.trees)
	return station.Options{
		Cluster: to, Name: c.name, Schema: c.schema, Lease: lease, Account: syncstate.Account{BaseURL: "https://views", Username: c.user},
		Store: c.store, Survey: c.survey, Trees: trees, Work: c, Log: slog.New(slog.NewTextHandler(&c.log, nil)),
		Settings: map[string]map[string]string{"shoots": {"frames": c.world.settings}},
	}
}

// kill ends the process without a farewell: nothing of it reaches the cluster any more.
func (c *computer) kill() {
	c.line.Cut(true)
	c.end()
	c.line.Cut(false)
}

func (c *computer) begin(part station.Part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	c.part, c.stop, c.ended = part, stop, make(chan struct{})
	go func(ended chan struct{}) {
		defer close(ended)
		for ctx.Err() == nil {
			if !part.Standby {
				c.work(part)
			}
			select {
			case <-time.After(c.world.pace):
			case <-ctx.Done():
			}
		}
	}(c.ended)
}

// work makes a decision, and then acts on it if the fence lets it.
func (c *computer) work(part station.Part) {
	n := 0
	err := part.Store.Update(folder, func(r *syncstate.Record) error {
		r.Updates.Fields++
		n = r.Updates.Fields
		return nil
	})
	if err == nil && part.Fence.HasTime() == nil {
		c.world.mu.Lock()
		defer c.world.mu.Unlock()
		c.world.sent, c.world.by = append(c.world.sent, n), append(c.world.by, c.name)
	}
}

func (c *computer) halt() {
	c.mu.Lock()
	stop, ended := c.stop, c.ended
	c.mu.Unlock()
	stop()
	<-ended
}

func (c *computer) Replace(ctx context.Context, to station.Part) (bool, error) {
	select {
	case <-c.held:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	c.halt()
	c.begin(to)
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.stuck, nil
}

func (c *computer) Sever() { c.set(func() { c.severed = time.Now() }) }

func (c *computer) Pulse(ctx context.Context) error {
	c.mu.Lock()
	hangs := c.hangs
	c.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (c *computer) survey(context.Context) (trouble, worst string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble, c.trouble
}

func (c *computer) Health() (string, map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ill, c.offline
}

func (c *computer) Followed([]syncstate.Folder) {}

func (c *computer) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func (c *computer) partNow() station.Part {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.part
}

// failure is the error of Run, once it has ended.
func (c *computer) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// decide changes the file of a computer alone.
func (c *computer) decide(change func(*syncstate.Record)) {
	c.t.Helper()
	if err := c.store.Update(folder, func(r *syncstate.Record) error { change(r); return nil }); err != nil {
		c.t.Fatal(err)
	}
}

// close ends all processes and files.
func (w *world) close(t *testing.T) {
	for _, c := range w.computers {
		if c.end != nil {
			c.end()
		}
		if err := c.store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// done are the numbers that arrived.
func (w *world) done() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}

// active is who sent last.
func (w *world) active() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.by) == 0 {
		return ""
	}
	return w.by[len(w.by)-1]
}

// grows fails unless each number that arrived is larger than all before: two stations that act on one
// decision send it twice.
func (w *world) grows(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.IsSortedFunc(w.sent, func(a, b int) int {
		if a == b {
			return 1
		}
		return a - b
	}) {
		t.Errorf("something was done twice: %v", w.sent)
	}
}

func two(t *testing.T) (w *world, anna, bert *computer) {
	w = &world{model: clustertest.NewModel(), pace: time.Second}
	anna, bert = w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
	anna.way, bert.way = &way{Cluster: anna.line}, &way{Cluster: bert.line}
	anna.start()
	time.Sleep(5 * time.Second)
	bert.start()
	time.Sleep(5 * time.Second)
	if w.active() != "anna" {
		t.Fatalf("%q is active, want the one that has joined first", w.active())
	}
	return w, anna, bert
}

// takes waits until a station is active, at most for a time.
func (w *world) takes(t *testing.T, name string, within time.Duration) {
	t.Helper()
	for from := time.Now(); time.Since(from) < within; time.Sleep(100 * time.Millisecond) {
		if w.active() == name {
			return
		}
	}
	t.Errorf("%s is active, and not %s after %v", w.active(), name, within)
}

// TestTakeover: another station goes on at once after a clean stop, and within the lease and 2 s after
// a death, a cut or a hang. Nothing is done twice.
func TestTakeover(t *testing.T) {
	for name, test := range map[string]struct {
		fail   func(anna *computer)
		within time.Duration
	}{
		"stopped":        {func(anna *computer) { anna.end() }, 1200 * time.Millisecond},
		"killed":         {func(anna *computer) { anna.kill() }, lease + 2*time.Second},
		"cut off":        {func(anna *computer) { anna.line.Cut(true) }, lease + 2*time.Second},
		"its loop hangs": {func(anna *computer) { anna.set(func() { anna.hangs = true }) }, 2*lease + 2*time.Second},
		"it is ill":      {func(anna *computer) { anna.set(func() { anna.ill = "the password is refused" }) }, 63 * time.Second},
		"its drive is away, and a worker hangs there": {func(anna *computer) {
			anna.set(func() { anna.offline, anna.stuck = map[string]bool{"/srv/shoots": false}, true })
		}, 63*time.Second + lease},
		"its drive is away": {func(anna *computer) { anna.set(func() { anna.offline = map[string]bool{"/srv/shoots": false} }) }, 63 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, anna, bert := two(t)
				test.fail(anna)
				w.takes(t, "bert", test.within)
				anna.line.Cut(false)
				anna.set(func() { anna.hangs, anna.stuck = false, false })
				if anna.end == nil {
					anna.start()
				}
				time.Sleep(10 * time.Minute)
				if w.active() != "bert" {
					t.Errorf("%s has the work again", w.active())
				}
				if line := "\"this station stands by\" station=anna active=bert"; !strings.Contains(anna.log.String(), line) {
					t.Errorf("the log of anna has no %s: %s", line, anna.log.String())
				}
				if now := bert.Now(); now.Active != "bert" || now.Trouble != "" || len(now.Stations) != 2 {
					t.Errorf("shown: %+v", now)
				}
				w.grows(t)
				w.close(t)
			})
		})
	}
}

// TestWhyItGaveTheWorkUp: a standby does not know whether the service would refuse it again. While it rests, the
// stations show for what it left the work.
func TestWhyItGaveTheWorkUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		defer w.close(t)
		anna.set(func() { anna.ill = "the password is refused" })
		w.takes(t, "bert", 63*time.Second)
		anna.set(func() { anna.ill = "" })
		time.Sleep(10 * time.Second)
		if s := bert.Now().Stations[0]; s.Station != "anna" || !strings.HasSuffix(s.Service, ": the password is refused") {
			t.Errorf("anna is shown as %+v", s)
		}
		time.Sleep(2 * time.Minute)
		if s := bert.Now().Stations[0]; s.Service != "" {
			t.Errorf("later anna is shown as %+v", s)
		}
	})
}

// TestFenceOfAnEpochThatWasReleased: a worker that a drive has kept sends nothing any more, though the station is in
// the fleet as before, and also once it has the work again.
func TestFenceOfAnEpochThatWasReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		defer w.close(t)
		fence := anna.partNow().Fence
		if fence.Holds() != nil || fence.HasTime() != nil {
			t.Error("the active station sends nothing")
		}
		sends := func(what string) {
			t.Helper()
			if fence.Holds() == nil || fence.HasTime() == nil {
				t.Errorf("%s: it sends", what)
			}
		}
		anna.set(func() { anna.ill = "the password is refused" })
		w.takes(t, "bert", 63*time.Second)
		sends("while another one works")
		anna.set(func() { anna.ill = "" })
		time.Sleep(2 * time.Minute)
		bert.end()
		w.takes(t, "anna", 5*time.Second)
		sends("in another epoch")
	})
}

// TestFormOfAnEpochBefore: a station that has the work again asks for a form of its own, as the form that it had is
// not the newest any more.
func TestFormOfAnEpochBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		defer w.close(t)
		sending, other := syncstate.Run{Phase: syncstate.Sending, Form: &syncstate.Form{}}, syncstate.Folder{Root: folder.Root, Path: "SKU-2"}
		err := anna.partNow().Store.Update(other, func(r *syncstate.Record) error {
			r.Product.UUID, r.Run = "u", &sending
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		anna.set(func() { anna.ill = "the password is refused" })
		w.takes(t, "bert", 63*time.Second)
		anna.set(func() { anna.ill = "" })
		time.Sleep(2 * time.Minute)
		bert.end()
		w.takes(t, "anna", 5*time.Second)
		if r, err := anna.store.Record(other); err != nil || r.Run.Form != nil || r.Run.Phase != syncstate.FormWanted {
			t.Errorf("%+v, %v", r.Run, err)
		}
	})
}

// TestLittleOfTheLease: with a third of its lease a station begins no change any more, and photos go on.
func TestLittleOfTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Hour} // it decides nothing soon
		anna := w.computer(t, "anna", 1, 0)
		defer w.close(t)
		anna.start()
		time.Sleep(5 * time.Second)
		fence := anna.partNow().Fence
		anna.line.Cut(true)
		time.Sleep(7 * time.Second) // it was renewed up to 2.5 s before
		if fence.Holds() != nil || fence.HasTime() == nil {
			t.Errorf("photos: %v, changes: %v", fence.Holds(), fence.HasTime())
		}
	})
}

// TestIllEverywhere: where no other station is better off, the work stays where it is.
func TestIllEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		anna.set(func() { anna.ill = "the service answers 503" })
		bert.set(func() { bert.ill = "its state file's disk is full" })
		time.Sleep(10 * time.Minute)
		if w.active() != "anna" {
			t.Errorf("%s has the work", w.active())
		}
		w.close(t)
	})
}

// TestIllBesideOneWithoutADrive: a standby does not know that the service would refuse it. So one that has all drives
// takes the work from one that lacks a drive, and gives it back after a minute each time, however often.
func TestIllBesideOneWithoutADrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), trees: map[string]string{"/srv/more": "more"}, pace: time.Hour}
		anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
		defer w.close(t)
		bert.offline = map[string]bool{"/srv/more": false}
		anna.start()
		bert.start()
		refused, took := time.Duration(0), 0
		for range 90 * 60 {
			time.Sleep(time.Second)
			if anna.partNow().Standby {
				refused = 0
				anna.set(func() { anna.ill = "" })
				continue
			}
			if anna.set(func() { anna.ill = "the password is refused" }); refused == 0 {
				took++
			}
			if refused += time.Second; refused == 2*time.Minute {
				t.Errorf("anna keeps the work for more than %v, time %d", refused, took)
			}
		}
		if took < 4 || took > 9 {
			t.Errorf("anna took the work %d times", took)
		}
	})
}

// TestClusterThatIsAwayAgainAndAgain: where every station has lost the work, one of them goes on at once.
func TestClusterThatIsAwayAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		for range 12 {
			cut := func(is bool) { anna.line.Cut(is); bert.line.Cut(is) }
			cut(true)
			time.Sleep(15 * time.Second)
			cut(false)
			time.Sleep(10 * time.Second)
			before := len(w.done())
			time.Sleep(2 * time.Minute)
			if n := len(w.done()) - before; n < 110 {
				t.Errorf("%d things done in the two minutes after", n)
			}
		}
		w.close(t)
	})
}

// TestIllCluster: each station tells what it finds wrong with the cluster, also to the others.
func TestIllCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		defer w.close(t)
		const full = "the cluster is full"
		anna.set(func() { anna.trouble = full })
		time.Sleep(2 * time.Minute)
		if now := anna.Now(); now.Cluster != full || !strings.HasSuffix(now.Line(), "standing by: bert; "+full) {
			t.Errorf("anna shows %+v: %s", now, now.Line())
		}
		if now := bert.Now(); now.Cluster != "" || now.Stations[0].Cluster != full {
			t.Errorf("bert shows %+v", now)
		}
		anna.set(func() { anna.trouble = "" })
		time.Sleep(2 * time.Minute)
		if now := bert.Now(); now.Stations[0].Cluster != "" {
			t.Errorf("later bert shows %+v", now)
		}
	})
}

// TestAgeOfTheCopy: a station that is cut off shows what it knew, and since when it knows no more.
func TestAgeOfTheCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, bert := two(t)
		defer w.close(t)
		cut := time.Now()
		bert.line.Cut(true)
		time.Sleep(5 * time.Minute)
		now := bert.Now()
		if age := now.Known.Sub(cut); age < -time.Second || age > time.Minute || !strings.Contains(now.Line(), "knew at "+now.Known.Local().Format(time.DateTime)) {
			t.Errorf("bert shows %+v: %s", now, now.Line())
		}
		bert.line.Cut(false)
		time.Sleep(time.Minute)
		if now := bert.Now(); !now.Known.IsZero() || now.Trouble != "" {
			t.Errorf("later bert shows %+v", now)
		}
	})
}

// TestCutOffWhileItIsActive: a station that lost the cluster says in plain words what helps, and that it is
// not the active one any more.
func TestCutOffWhileItIsActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, _ := two(t)
		defer w.close(t)
		anna.line.Cut(true)
		for range 30 {
			time.Sleep(time.Second)
			now := anna.Now()
			if strings.Contains(now.Trouble, "lease") {
				t.Errorf("it shows %q", now.Trouble)
			}
		}
		isActive := func(s status.Station) bool { return s.Active }
		if now := anna.Now(); now.Active != "" || slices.ContainsFunc(now.Stations, isActive) || now.GiveItAt() != now.Trouble {
			t.Errorf("it shows %+v", now)
		}
	})
}

// TestAnotherTree: a station tells one that is in the place of its drive from a drive that is away.
func TestAnotherTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		defer w.close(t)
		anna.set(func() { anna.offline = map[string]bool{"/srv/shoots": true} })
		time.Sleep(5 * time.Second)
		if now := bert.Now(); now.Stations[0].Roots[0].State != status.TreeAnother {
			t.Errorf("bert shows %+v", now)
		}
	})
}

// TestNameThatIsTaken: a second computer of the name does not join, and a killed one joins again once
// its own key is gone.
func TestNameThatIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, _ := two(t)
		twin := w.computer(t, "anna", 3, 0)
		twin.way = &way{Cluster: twin.line}
		twin.start()
		time.Sleep(lease + 5*time.Second)
		if !errors.Is(twin.failure(), station.ErrNameTaken) || twin.way.granted.Load() > 0 {
			t.Errorf("the twin ended with %v, after %d leases", twin.failure(), twin.way.granted.Load())
		}
		anna.kill()
		anna.start()
		time.Sleep(time.Minute)
		if anna.failure() != nil || len(anna.Now().Stations) != 2 {
			t.Errorf("after its death it ended with %v, and shows %+v", anna.failure(), anna.Now())
		}
		w.close(t)
	})
}

// TestEndWithoutTheName: a station that has lost its name to another computer leaves that one's key where it is.
func TestEndWithoutTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Second}
		anna, other := w.computer(t, "anna", 1, 0), w.computer(t, "anna", 2, 0)
		defer w.close(t)
		anna.start()
		time.Sleep(5 * time.Second)
		anna.line.Cut(true)
		time.Sleep(lease + 2*time.Second)
		other.start()
		time.Sleep(5 * time.Second)
		anna.line.Cut(false)
		time.Sleep(time.Second)
		anna.end()
		if is, err := other.line.Read(t.Context(), "members/anna"); err != nil || is.Value == nil {
			t.Errorf("the other one is not in the fleet any more: %v", err)
		}
	})
}

// TestExamine finds a name that is in use, and a tree that no station of the fleet has had.
func TestExamine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, _ := two(t)
		defer w.close(t)
		o := anna.options()
		o.Store = nil // its daemon has it
		if found, err := station.Examine(t.Context(), o, true); err != nil || found.Unknown != nil || len(found.Differs) > 0 {
			t.Errorf("where all is well: %+v, %v", found, err)
		}
		if _, err := station.Examine(t.Context(), o, false); !errors.Is(err, station.ErrNameTaken) {
			t.Errorf("at another computer of the name: %v", err)
		}
		carla := w.computer(t, "carla", 3, 0).options()
		carla.Settings = map[string]map[string]string{"shoot": {"frames": ""}}
		found, err := station.Examine(t.Context(), carla, false)
		if err != nil || !slices.Equal(found.Unknown, []string{"shoot"}) || !slices.Equal(found.Known, []string{"shoots"}) {
			t.Errorf("with a mistyped name: %+v, %v", found, err)
		}
	})
}

// TestOwnKeyThatStays: a station whose key outlives its lease joins again once it is gone.
func TestOwnKeyThatStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, bert := two(t)
		write := func(w cluster.Write) cluster.Transaction { return cluster.Transaction{Then: []cluster.Write{w}} }
		key, err := w.model.Read(t.Context(), "members/bert")
		if err != nil {
			t.Fatal(err)
		}
		bert.line.Cut(true)
		_, _ = w.model.Commit(t.Context(), write(cluster.Write{Key: key.Key, Value: key.Value})) // without a lease
		time.Sleep(lease + 5*time.Second)
		bert.line.Cut(false)
		time.Sleep(time.Minute)
		if now := bert.Now().Trouble; !strings.Contains(now, "has the name") {
			t.Errorf("shown: %q", now)
		}
		_, _ = w.model.Commit(t.Context(), write(cluster.Write{Key: key.Key}))
		time.Sleep(lease + 5*time.Second)
		if now := bert.Now(); bert.failure() != nil || now.Trouble != "" || len(now.Stations) != 2 {
			t.Errorf("it ended with %v, and shows %+v", bert.failure(), now)
		}
		w.close(t)
	})
}

// TestOtherSettings: a station with other settings takes nothing over, also when it is alone, until a
// person makes its settings the fleet's.
func TestOtherSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), settings: "36", pace: time.Second}
		anna := w.computer(t, "anna", 1, 0)
		anna.start()
		time.Sleep(5 * time.Second)
		w.settings = "24"
		bert := w.computer(t, "bert", 2, 0)
		bert.start()
		time.Sleep(5 * time.Second)
		if anna.Accept("/srv/shoots") {
			t.Error("a station with the fleet's settings has others to accept")
		}
		anna.end()
		time.Sleep(time.Minute)
		if w.active() != "anna" {
			t.Errorf("%s works with other settings", w.active())
		}
		if state := bert.Now().Stations[0].Roots[0].State; state != status.TreeOtherSettings {
			t.Errorf("its tree is %q", state)
		}
		now, whole := bert.Now(), status.Status{Fleet: new(bert.Now())}
		why := status.OtherSetting("/srv/shoots", "frames")
		for what, said := range map[string]string{
			"health": whole.Trouble(), "a verb": now.GiveItAt(), "the log": bert.log.String(),
		} {
			if !strings.Contains(said, why) {
				t.Errorf("%s: %q", what, said)
			}
		}
		if all, err := station.Stations(t.Context(), bert.line); err != nil || all[0].Service != status.OtherSetting("shoots", "frames") {
			t.Errorf("fleet status has %+v, %v", all, err)
		}
		if !bert.Accept("/srv/shoots") {
			t.Error("there is nothing to accept")
		}
		w.takes(t, "bert", 5*time.Second)
		w.close(t)
	})
}

// TestAcceptedSettingsThatAreLate: those that a person accepts are sent until they are the fleet's, and a copy that
// arrives late changes nothing.
func TestAcceptedSettingsThatAreLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, bert := two(t)
		bert.end()
		w.settings = "24"
		var late []cluster.Transaction
		bert.way.committing = func(t cluster.Transaction) error {
			if t.Then[0].Key != "settings/shoots" || len(late) == 3 {
				return nil
			}
			late = append(late, t)
			return cluster.ErrOpen
		}
		bert.start()
		time.Sleep(5 * time.Second)
		bert.Accept("/srv/shoots")
		time.Sleep(10 * time.Second)
		if state := bert.Now().Stations[1].Roots[0].State; len(late) < 3 || state != status.TreeStandby {
			t.Errorf("its tree is %q after %d tries", state, len(late))
		}
		for _, copy := range late {
			if outcome, err := w.model.Commit(t.Context(), copy); err != nil || outcome.Done {
				t.Errorf("a late copy is done: %+v, %v", outcome, err)
			}
		}
		w.close(t)
	})
}

// TestOtherFleets: a station that belongs to no such fleet says so and ends.
func TestOtherFleets(t *testing.T) {
	decide := func(c *computer) { c.decide(func(r *syncstate.Record) { r.Updating = true }) }
	for name, prepare := range map[string]func(w *world, t *testing.T) *computer{
		"records before the fleet has any": func(w *world, t *testing.T) *computer {
			c := w.computer(t, "anna", 1, 0)
			decide(c)
			return c
		},
		"records beside the fleet's": func(w *world, t *testing.T) *computer {
			first, c := w.computer(t, "bert", 2, 0), w.computer(t, "anna", 1, 0)
			first.start()
			time.Sleep(5 * time.Second)
			decide(c)
			return c
		},
		"another account": func(w *world, t *testing.T) *computer {
			first, c := w.computer(t, "bert", 2, 0), w.computer(t, "anna", 1, 0)
			first.start()
			time.Sleep(5 * time.Second)
			c.user = "guest"
			return c
		},
		"a copy of another cluster": func(w *world, t *testing.T) *computer {
			c := w.computer(t, "anna", 1, 0)
			c.start()
			time.Sleep(5 * time.Second)
			c.end()
			c.line = clustertest.NewLine(clustertest.NewModel(), 1, 0, 0)
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{model: clustertest.NewModel(), pace: time.Second}
				c := prepare(w, t)
				if _, err := station.Examine(t.Context(), c.options(), false); !errors.Is(err, station.ErrMistake) {
					t.Errorf("before, all seems well: %v", err)
				}
				c.start()
				time.Sleep(5 * time.Second)
				if !errors.Is(c.failure(), station.ErrMistake) {
					t.Errorf("it ended with %v", c.failure())
				}
				w.close(t)
			})
		})
	}
}

// TestRestoredCluster: after the cluster was restored under stations that are at work, one of them goes on
// with the records of the backup, and all of them have these, with or without revisions that were raised.
func TestRestoredCluster(t *testing.T) {
	for _, raise := range []int64{0, 1000} {
		synctest.Test(t, func(t *testing.T) {
			w, anna, bert := two(t)
			defer w.close(t)
			backup, kept := w.model.Backup(), len(w.done())
			time.Sleep(time.Minute)
			w.model.Restore(backup, raise)
			time.Sleep(2 * time.Minute)
			all := w.done()
			sent, falls := all[len(all)-1], 1
			for falls < len(all) && all[falls] > all[falls-1] {
				falls++
			}
			if falls == len(all) || all[falls] > kept+2 { // a change may be in the backup and not sent yet
				t.Errorf("raised by %d: the backup has %d, and it goes on so: %v", raise, kept, all)
			}
			for _, c := range []*computer{anna, bert} {
				head, err := c.store.Head(folder)
				if now := c.Now(); err != nil || head.Updates.Fields < sent-1 || head.Updates.Fields > sent || now.Trouble != "" || now.Active == "" {
					t.Errorf("raised by %d: %s is at %d, and sent was %d; %+v, %v", raise, c.name, head.Updates.Fields, sent, now, err)
				}
			}
			time.Sleep(time.Minute)
			if later := w.done(); len(later) < len(all)+50 {
				t.Errorf("raised by %d: %d things done in a minute", raise, len(later)-len(all))
			}
		})
	}
}

// TestBackAfterCompaction: a station follows whose cluster forgot only how others came and went.
func TestBackAfterCompaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: 1000 * time.Hour}
		anna, bert, carl := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0), w.computer(t, "carl", 3, 0)
		anna.start()
		time.Sleep(5 * time.Second)
		bert.start()
		time.Sleep(5 * time.Second)
		bert.end()
		carl.start()
		time.Sleep(5 * time.Second)
		w.model.Compact()
		bert.start()
		time.Sleep(time.Minute)
		if now := bert.Now(); now.Trouble != "" || len(now.Stations) != 3 {
			t.Errorf("shown: %+v", now)
		}
		w.close(t)
	})
}

// TestSlowRead: a station joins also where all that the cluster has takes long to read, and after a restore.
func TestSlowRead(t *testing.T) {
	for _, restored := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{model: clustertest.NewModel(), pace: 10 * time.Second}
			anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
			anna.start()
			time.Sleep(5 * time.Second)
			if restored {
				backup := w.model.Backup()
				bert.start()
				time.Sleep(20 * time.Minute)
				bert.end()
				w.model.Restore(backup, 0)
			}
			bert.way = &way{Cluster: bert.line, listed: func() { time.Sleep(2 * time.Minute) }}
			bert.start()
			time.Sleep(20 * time.Minute)
			if now := bert.Now(); now.Trouble != "" || len(now.Stations) != 2 {
				t.Errorf("restored %t: %+v", restored, now)
			}
			w.close(t)
		})
	}
}

// TestReadsWhileNobodyWorks: a station that has joined first and still reads what the cluster has holds up no
// other one.
func TestReadsWhileNobodyWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Second}
		anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
		defer w.close(t)
		anna.way = &way{Cluster: anna.line, listed: func() { time.Sleep(2 * time.Minute) }}
		anna.start()
		time.Sleep(5 * time.Second)
		bert.start()
		w.takes(t, "bert", 10*time.Second)
	})
}

// TestRemovedWhileOff: a station that was off knows what a person removed from the cluster by then, though
// nothing was decided since, and though the cluster keeps no changes from then.
func TestRemovedWhileOff(t *testing.T) {
	for _, compacted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{model: clustertest.NewModel(), pace: 1000 * time.Hour}
			anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
			anna.start()
			time.Sleep(5 * time.Second)
			bert.start()
			time.Sleep(5 * time.Second)
			bert.end()
			_, err := w.model.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: "folders/shoots/SKU-1"}}})
			if err != nil {
				t.Fatal(err)
			}
			if compacted {
				w.model.Compact()
			}
			bert.start()
			time.Sleep(time.Minute)
			if head, err := bert.store.Head(folder); err != nil || head.Updates.Fields != 0 {
				t.Errorf("compacted %t: bert has %+v, %v", compacted, head.Updates, err)
			}
			w.close(t)
		})
	}
}

// TestRecordThatCanBeReadAgain: a station that starts reads what its version could not read before.
func TestRecordThatCanBeReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: 1000 * time.Hour}
		anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
		anna.start()
		time.Sleep(5 * time.Second)
		bert.start()
		time.Sleep(5 * time.Second)
		bert.end()
		has, err := w.model.Read(t.Context(), "folders/shoots/SKU-1")
		if err != nil {
			t.Fatal(err)
		}
		bert.decide(func(r *syncstate.Record) { *r = syncstate.Record{Unread: map[string][]byte{"folders/": has.Value}} })
		bert.start()
		time.Sleep(5 * time.Second)
		if head, err := bert.store.Head(folder); err != nil || head.Unread != nil || head.Updates.Fields != 1 {
			t.Errorf("bert has %+v, %v", head, err)
		}
		w.close(t)
	})
}

// TestEpochThatWasMissed: a station that begins has read all that was decided before, also in an epoch of which it
// has not heard yet.
func TestEpochThatWasMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: 20 * time.Second}
		anna, bert, carl := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0), w.computer(t, "carl", 3, 0)
		defer w.close(t)
		bert.way = &way{Cluster: bert.line, late: time.Second}
		for _, c := range w.computers {
			c.start()
			time.Sleep(10 * time.Second)
		}
		carl.end()
		time.Sleep(time.Minute)
		anna.end()
		carl.decideInAnEpoch()
		w.takes(t, "bert", time.Minute)
		w.grows(t)
	})
}

// decideInAnEpoch begins an epoch of its own, decides in it, and ends it.
func (c *computer) decideInAnEpoch() {
	ctx, trees := c.t.Context(), map[string]string{"/srv/shoots": "shoots"}
	fails := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	leased, err := cluster.NewLease(ctx, c.line, lease)
	fails(err)
	epoch, err := cluster.Begin(ctx, c.line, leased, c.name)
	fails(err)
	id, err := c.store.CopyOf()
	fails(err)
	_, err = cluster.CatchUp(ctx, c.line, c.store.Copy(id, trees, func([]syncstate.Folder) {}))
	fails(err)
	fails(c.store.Sharing(trees, epoch).Update(folder, func(r *syncstate.Record) error {
		r.Updates.Fields += 100
		c.world.sent = append(c.world.sent, r.Updates.Fields)
		return nil
	}))
	fails(epoch.End(ctx))
}

// TestHeardWhileItDecides: a station that decides while it lists the others misses no change of them.
func TestHeardWhileItDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		anna.end()
		w.takes(t, "bert", 2*time.Second)
		carl := w.computer(t, "carl", 3, 0)
		bert.way.listed = sync.OnceFunc(func() {
			carl.start()
			time.Sleep(3 * time.Second)
		})
		bert.way.breaks.Store(true)
		time.Sleep(10 * time.Second)
		if now := bert.Now(); len(now.Stations) != 2 {
			t.Errorf("shown: %+v", now)
		}
		w.close(t)
	})
}

// TestSevered: what is on its way is broken off with the lease, also while the cluster does not answer what
// the station says of itself.
func TestSevered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, _ := two(t)
		anna.way.hangs.Store(true)
		var over, severed time.Time
		for n := 0; severed.IsZero(); n++ {
			time.Sleep(100 * time.Millisecond)
			anna.set(func() {
				anna.ill = fmt.Sprint("trouble ", n)
				if severed = anna.severed; over.IsZero() && anna.part.Fence.Holds() != nil {
					over = time.Now()
				}
			})
		}
		if late := severed.Sub(over); late > time.Second {
			t.Errorf("its connections end %v after its lease", late)
		}
		anna.way.hangs.Store(false)
		w.close(t)
	})
}

// TestActiveKeyThatIsRemoved: the station of the epoch is severed as soon as it hears of that, while it
// decides nothing. It begins again 5 seconds later.
func TestActiveKeyThatIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Hour}
		anna := w.computer(t, "anna", 1, 0)
		anna.start()
		time.Sleep(5 * time.Second)
		_, err := w.model.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: cluster.ActiveKey}}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		anna.set(func() {
			if anna.severed.IsZero() {
				t.Error("it goes on without its epoch")
			}
		})
		time.Sleep(4 * time.Second)
		if now := anna.Now(); now.Active != "" {
			t.Errorf("it begins again and again: %+v", now)
		}
		time.Sleep(4 * time.Second)
		if now := anna.Now(); now.Active != "anna" || now.Trouble != "" {
			t.Errorf("later: %+v", now)
		}
		w.close(t)
	})
}

// TestLeaseEndsWhileTheDaemonIsHeld: a station whose daemon could not be changed in time, because its settings
// were, goes on.
func TestLeaseEndsWhileTheDaemonIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		bert.held = make(chan struct{})
		anna.end()
		time.Sleep(3 * time.Second)
		bert.line.Cut(true)
		time.Sleep(lease + time.Second)
		bert.line.Cut(false)
		time.Sleep(time.Minute)
		close(bert.held)
		time.Sleep(time.Minute)
		if bert.failure() != nil || w.active() != "bert" {
			t.Errorf("it ended with %v, and %s is active", bert.failure(), w.active())
		}
		w.close(t)
	})
}

// TestDaemonThatIsNeverChanged: a station whose daemon does not end keeps the work from no other one for long.
func TestDaemonThatIsNeverChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, _ := two(t)
		anna.held = make(chan struct{})
		anna.set(func() { anna.ill = "the password is refused" })
		time.Sleep(63 * time.Second)
		anna.set(func() { anna.hangs = true })
		w.takes(t, "bert", 2*time.Minute)
		close(anna.held)
		anna.set(func() { anna.hangs = false })
		time.Sleep(time.Minute)
		w.grows(t)
		w.close(t)
	})
}

// TestFileOfAStandbyFails: it is opened again, and the standby is as good as before.
func TestFileOfAStandbyFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		bert.fails.Store(true)
		time.Sleep(15 * time.Second)
		if _, err := bert.store.Head(folder); err != nil || bert.Now().Trouble != "" {
			t.Errorf("its file: %v; shown: %q", err, bert.Now().Trouble)
		}
		anna.end()
		w.takes(t, "bert", 1200*time.Millisecond)
		w.close(t)
	})
}

// TestFileThatStaysAwayAtAStandby: it takes nothing over, and says why.
func TestFileThatStaysAwayAtAStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		if err := os.Rename(bert.store.Path(), bert.store.Path()+".away"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Second)
		for _, said := range []string{bert.Now().Trouble, anna.Now().Stations[1].Service} {
			if !strings.Contains(said, bert.store.Path()) || strings.Contains(said, "cluster") {
				t.Errorf("shown: %q", said)
			}
		}
		anna.end()
		time.Sleep(time.Minute)
		if w.active() != "anna" {
			t.Errorf("%s works without a state file", w.active())
		}
		w.close(t)
	})
}

// TestFileOfAStandbyIsReplaced: a file with records of its own, in the place of that of a standby, keeps them.
func TestFileOfAStandbyIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, bert := two(t)
		carl := w.computer(t, "carl", 3, 0)
		carl.decide(func(r *syncstate.Record) { r.Product.UUID = "own" })
		if err := carl.store.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(carl.store.Path(), bert.store.Path()); err != nil {
			t.Fatal(err)
		}
		w.computers = w.computers[:2]
		time.Sleep(time.Minute)
		if head, err := bert.store.Head(folder); err != nil || head.Product.UUID != "own" || !errors.Is(bert.failure(), station.ErrMistake) {
			t.Errorf("it ended with %v, and its file has %+v, %v", bert.failure(), head.Product, err)
		}
		w.close(t)
	})
}

// TestDaysOfAFleet: three stations live through hours in which they are killed, stopped, cut off, hang
// and are ill, over lines that lose answers and bring transactions late. Nothing is done twice, and
// the work goes on.
func TestDaysOfAFleet(t *testing.T) {
	for s := *seed; s < *seed+*seeds; s++ {
		t.Run(strconv.FormatUint(s, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { liveADay(t, s) })
		})
	}
}

func liveADay(t *testing.T, seed uint64) {
	w, r := &world{model: clustertest.NewModel(), pace: 3 * time.Second}, rand.New(rand.NewPCG(seed, 1))
	for i := range 3 {
		c := w.computer(t, fmt.Sprint("station", i), seed*10+uint64(i), 0.02)
		c.start()
	}
	for range 30 {
		time.Sleep(time.Duration(r.Int64N(int64(2 * time.Minute))))
		c := w.computers[r.IntN(3)]
		switch r.IntN(6) {
		case 0:
			c.kill()
		case 1:
			c.end()
		case 2:
			c.line.Cut(true)
		case 3:
			c.set(func() { c.hangs = true })
		case 4:
			c.set(func() { c.ill = "it is ill" })
		case 5:
			w.model.Compact()
		}
		time.Sleep(time.Duration(r.Int64N(int64(time.Minute))))
		c.line.Cut(false)
		c.set(func() { c.hangs, c.ill = false, "" })
		if c.end == nil {
			c.start()
		}
	}
	before := len(w.done())
	time.Sleep(time.Hour)
	if len(w.done()) < before+600 {
		t.Errorf("%d things done in the last hour", len(w.done())-before)
	}
	for _, c := range w.computers {
		if c.failure() != nil {
			t.Errorf("%s ended: %v", c.name, c.failure())
		}
	}
	w.grows(t)
	w.close(t)
}

// TestUpgrade: the schema rises once every station knows the newer one, also one that is away for less than
// 30 days. One that does not know it joins no more.
func TestUpgrade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anna, bert := two(t)
		defer w.close(t)
		bert.end()
		anna.end()
		anna.schema = 2
		upgrade := func(after time.Duration) (int, error) {
			time.Sleep(after)
			return station.Upgrade(t.Context(), anna.options())
		}
		const day = 24 * time.Hour
		if _, err := upgrade(20 * day); err == nil || !strings.Contains(err.Error(), "bert knows schema 1") {
			t.Errorf("bert was there 20 days ago: %v", err)
		}
		bert.start()
		time.Sleep(time.Minute)
		bert.end()
		if _, err := upgrade(20 * day); err == nil || !strings.Contains(err.Error(), "etcdctl del` its key seen/bert") {
			t.Errorf("bert was there again 20 days ago: %v", err)
		}
		for range 2 {
			if schema, err := upgrade(11 * day); err != nil || schema != 2 {
				t.Errorf("schema %d, %v", schema, err)
			}
		}
		bert.start()
		time.Sleep(time.Minute)
		bert.end()
		if !errors.Is(bert.err, station.ErrMistake) {
			t.Errorf("bert joins a fleet that it does not know: %v", bert.err)
		}
	})
}

// TestStartAndLeave: a computer alone gives a fleet its records, others follow, and the last of them
// takes them out again.
func TestStartAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Second}
		anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
		anna.decide(func(r *syncstate.Record) {
			r.Product.UUID, r.Published, r.Run = "shoe", &syncstate.Published{Revision: 3}, &syncstate.Run{
				Phase: syncstate.Finishing, Reupload: true,
			}
		})
		if err := station.Start(t.Context(), anna.options()); err == nil {
			t.Error("a fleet begins with an upload in the middle")
		}
		anna.decide(func(r *syncstate.Record) { r.Run = nil })
		if err := syncstate.AllPaused.Set(anna.store, time.Unix(100, 0).UTC()); err != nil {
			t.Fatal(err)
		}
		if err := station.Start(t.Context(), anna.options()); err != nil {
			t.Fatal(err)
		}
		if err := station.Start(t.Context(), bert.options()); !errors.Is(err, station.ErrMistake) {
			t.Errorf("it begins again with %v", err)
		}
		if err := station.Start(t.Context(), anna.options()); !errors.Is(err, station.ErrMistake) || strings.Contains(err.Error(), "new file") {
			t.Errorf("it begins a second time with %v", err)
		}
		bert.start()
		time.Sleep(5 * time.Second)
		if err := station.Leave(t.Context(), anna.options(), reached); err == nil {
			t.Error("anna leaves while bert is in the fleet")
		}
		bert.end()
		if err := station.Leave(t.Context(), bert.options(), reached); err != nil {
			t.Fatal(err)
		}
		r, err := bert.store.Record(folder)
		paused, errPaused := syncstate.AllPaused.Read(bert.store)
		if err != nil || errPaused != nil || r.Published == nil || r.Published.Revision != 3 || paused.IsZero() {
			t.Errorf("bert took %+v out, paused %v, %v, %v", r, paused, err, errPaused)
		}
		if id, _ := bert.store.CopyOf(); id != "" {
			t.Errorf("its file is of %s", id)
		}
		if err := station.Leave(t.Context(), bert.options(), reached); !errors.Is(err, station.ErrMistake) {
			t.Errorf("it leaves again with %v", err)
		}
		w.close(t)
	})
}

func reached(context.Context) bool    { return true }
func notReached(context.Context) bool { return false }

// TestLeaveWithoutAnAnswer: a cluster that is there and refuses to answer may have another station at work.
func TestLeaveWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, bert := two(t)
		bert.end()
		bert.line.Cut(true)
		err := station.Leave(t.Context(), bert.options(), reached)
		if id, _ := bert.store.CopyOf(); err == nil || id == "" {
			t.Errorf("it leaves with %v, and its file is of %q", err, id)
		}
		if err := station.Leave(t.Context(), bert.options(), notReached); err != nil {
			t.Errorf("without its cluster it does not leave: %v", err)
		}
		w.close(t)
	})
}

// TestStartThatBreaksOff: no other station begins a fleet with the half of the records that is there, and the
// same computer may start it again.
func TestStartThatBreaksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Second}
		anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
		anna.decide(func(r *syncstate.Record) { r.Product.UUID = "shoe" })
		o, records := anna.options(), 0
		o.Cluster = &way{Cluster: anna.line, committing: func(cluster.Transaction) error {
			if records++; records == 2 {
				anna.line.Cut(true)
			}
			return nil
		}}
		if err := station.Start(t.Context(), o); err == nil {
			t.Error("it does not break off")
		}
		anna.line.Cut(false)
		time.Sleep(time.Minute)
		bert.start()
		time.Sleep(5 * time.Second)
		if !errors.Is(bert.failure(), station.ErrMistake) {
			t.Errorf("bert ended with %v", bert.failure())
		}
		if err := station.Start(t.Context(), anna.options()); err != nil {
			t.Error(err)
		}
		w.close(t)
	})
}

// TestStartAfterAnother: of a start that broke off at another computer, or before a change, nothing stays.
func TestStartAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Second}
		anna, bert := w.computer(t, "anna", 1, 0), w.computer(t, "bert", 2, 0)
		for i := range 100 {
			err := anna.store.Update(syncstate.Folder{Root: folder.Root, Path: fmt.Sprint("SKU-", i+7)}, func(r *syncstate.Record) error {
				r.Product.UUID, r.Published = "old", &syncstate.Published{Revision: 3}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := syncstate.AllPaused.Set(anna.store, time.Unix(100, 0).UTC()); err != nil {
			t.Fatal(err)
		}
		bert.decide(func(r *syncstate.Record) { r.Product.UUID = "shoe" })
		o := anna.options()
		o.Cluster = &way{Cluster: anna.line, committing: func(t cluster.Transaction) error {
			if slices.ContainsFunc(t.Then, func(w cluster.Write) bool { return w.Key == "fleet" }) {
				return clustertest.ErrCut
			}
			return nil
		}}
		if err := station.Start(t.Context(), o); err == nil {
			t.Error("it does not break off")
		}
		if err := station.Start(t.Context(), bert.options()); err != nil {
			t.Fatal(err)
		}
		all, _, err := w.model.List(t.Context(), "")
		var keys []string
		for _, e := range all {
			keys = append(keys, e.Key)
		}
		if want := []string{"counter", "fleet", "folders/shoots/SKU-1"}; err != nil || !slices.Equal(keys, want) {
			t.Errorf("the cluster has %q, %v", keys, err)
		}
		w.close(t)
	})
}

// TestStartBesideAnother: a fleet that another station has begun by then gets no records of this computer.
func TestStartBesideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{model: clustertest.NewModel(), pace: time.Second}
		anna := w.computer(t, "anna", 1, 0)
		anna.decide(func(r *syncstate.Record) { r.Product.UUID = "shoe" })
		o := anna.options()
		o.Cluster = &way{Cluster: anna.line, committing: func(cluster.Transaction) error {
			_, err := w.model.Commit(t.Context(), cluster.Transaction{Then: []cluster.Write{{Key: "fleet", Value: []byte("{}")}}})
			return err
		}}
		err := station.Start(t.Context(), o)
		if all, _, errList := w.model.List(t.Context(), "folders/"); err == nil || errList != nil || len(all) > 0 {
			t.Errorf("it begins with %v; in the cluster: %v, %v", err, all, errList)
		}
		w.close(t)
	})
}
