package simulation

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

const (
	host      = "127.0.0.1:8000"
	baseURL   = "http://" + host
	username  = "studio"
	colleague = "colleague"
	password  = "canary-9f2c41d7"
	editor    = "editor"
)

// A world is a studio, the hosting service, and the daemon between them.
type world struct {
	t    *testing.T
	seed uint64
	dir  string
	plan plan
	rng  *rand.Rand // of what the studio does; only the driver draws from it

	trace   trace
	log     safeBuffer
	calls   calls
	service service
	network *network
	studio  *studio
	person  *apiclient.Client // somebody else who uses the service

	current   atomic.Pointer[life] // in a fleet that of the station which became active last
	fleet     *fleet               // nil for a computer alone
	lives     int
	starts    []start
	sync      *life // the newest one that is a sync
	kills     atomic.Int32
	down      chan downfall
	due       chan func() // what the driver does at once
	disk      sync.Mutex  // held while the state file is written, and while it is copied
	calm      atomic.Bool
	helped    int       // how often a person did what the program asked for
	calmSince time.Time // when all was well
	agenda    []deed
	pending   int // of the agenda, what was begun and must be brought to its end

	// What goes wrong, and when. The crash sweep has plans of its own.
	spoil  func(*call) (kind string, fault sandbox.Fault)
	stopAt func(point string) bool
	failAt func(point string) (fails, done bool) // of a commit of the state file: whether it is done all the same

	luck     luck
	machine  machine
	cache    cache
	foreign  []foreign
	removals []removal
	theirs   theirs
	secrets  []string // that must stand in no log
	most     int      // products that may ever be made, where that is known; 0 = it is not
	journal  []sandbox.Entry
	mu       sync.Mutex
	broken   []string // promises
	awaited  string   // the operation whose next request is awaited
	awaits   func()   // what is done then; nil: nothing is awaited
}

// A deed is something that is done at a time.
type deed struct {
	at      time.Time
	do      func()
	started bool // it ends what was begun, and is done before everything is mended
}

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	w := &world{t: t, seed: seed, plan: newPlan(seed), rng: random(seed, "studio"), secrets: []string{password}}
	w.calls.names = map[string]string{}
	w.luck.rng, w.luck.removed = random(seed, "luck"), map[string]bool{}
	w.spoil = func(c *call) (string, sandbox.Fault) {
		if w.calm.Load() {
			return weather{seed: seed}.spoil(c)
		}
		return w.plan.weather.spoil(c)
	}
	w.stopAt = func(point string) bool { return !w.calm.Load() && w.plan.weather.kills(point) }
	w.failAt = func(point string) (fails, done bool) {
		fails, done = w.plan.weather.fails(point)
		return fails && !w.calm.Load(), done
	}
	w.dir = tempDir(t)
	w.cache = cache{seed: seed, dir: w.dir, known: map[thing]known{}}
	return w
}

// worlds is where they lie: in memory where the system has a place for that, since nothing here is
// to outlive a power failure.
func worlds() string {
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err == nil && info.IsDir() {
		return memory
	}
	return os.TempDir()
}

const worldPrefix = "spinsync-simulation-"

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(worlds(), worldPrefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// worldLasts is more than any world is needed for, however busy the machine is.
const worldLasts = 2 * time.Hour

// removeOldWorlds removes those that have lain there for longer: whoever made them was killed.
func removeOldWorlds() {
	left, _ := filepath.Glob(filepath.Join(worlds(), worldPrefix+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > worldLasts {
			os.RemoveAll(dir)
		}
	}
}

// breaks notes a broken promise.
func (w *world) breaks(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

// live is the whole life of a world, inside a bubble.
func (w *world) live(t *testing.T) {
	w.t = t
	defer w.pretend()()
	w.trace.began, w.down = time.Now(), make(chan downfall, 64)
	w.trace.add("%s", w.plan)
	w.open()
	defer w.close()
	w.trace.add("faults: %s", w.plan.faults)
	w.startFirst()
	w.planDeeds()
	w.pass(w.trace.began.Add(w.plan.chaos))
	w.mend()
	if w.fleet != nil && !w.fleet.isActive() {
		return
	}
	w.settle()
	w.restWithoutWork()
	if w.fleet == nil { // where sync is refused
		w.endWithPass()
	}
}

func (w *world) startFirst() {
	if w.fleet != nil {
		w.fleet.begin()
		return
	}
	w.start(filepath.Join(w.dir, "state", "first.db"))
}

func (w *world) open() {
	w.studio = newStudio(w)
	if err := os.Mkdir(filepath.Join(w.dir, "state"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	var err error
	if w.service, err = w.newService(); err != nil {
		w.t.Fatal(err)
	}
	w.network = newNetwork(w)
	w.person, err = apiclient.New(apiclient.Options{
		BaseURL: baseURL, Username: editor, Password: "other",
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return w.network.dial(ctx, w.network.Network, 0)
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) close() {
	w.endAll()
	w.record()
	w.person.CloseIdle()
	w.network.end()
	if err := w.service.Close(); err != nil {
		w.t.Error(err)
	}
}

// lastLives are the newest life of each computer.
func (w *world) lastLives() []*life {
	if w.fleet == nil {
		return []*life{w.current.Load()}
	}
	return w.fleet.lives()
}

func (w *world) endAll() {
	for _, l := range w.lastLives() {
		l.end()
	}
}

// record keeps what the judgement needs once the bubble is over.
func (w *world) record() {
	w.readJournal()
	for _, l := range w.lastLives() {
		w.checkRecords(l)
	}
	w.studio.checkTree()
}

func (w *world) readJournal() {
	var err error
	if w.journal, err = w.service.Journal(); err != nil {
		w.t.Error(err)
	}
}

// after puts a deed on the agenda.
func (w *world) after(d time.Duration, do func()) { w.put(deed{at: time.Now().Add(d), do: do}) }

// carryOn puts the continuation of something begun on the agenda.
func (w *world) carryOn(d time.Duration, do func()) {
	w.put(deed{at: time.Now().Add(d), do: do, started: true})
}

func (w *world) put(d deed) {
	i, _ := slices.BinarySearchFunc(w.agenda, d.at, func(d deed, at time.Time) int { return cmp.Compare(d.at.UnixNano(), at.UnixNano()) })
	w.agenda = slices.Insert(w.agenda, i, d)
	if d.started {
		w.pending++
	}
}

// pass lets time go by until the given one, doing what is on the agenda.
func (w *world) pass(until time.Time) {
	for {
		next := until
		due := len(w.agenda) > 0 && w.agenda[0].at.Before(until)
		if due {
			next = w.agenda[0].at
		}
		w.wait(next)
		w.current.Load().look()
		if !due {
			return
		}
		d := w.agenda[0]
		w.agenda = w.agenda[1:]
		if d.started {
			w.pending--
		}
		d.do()
	}
}

// wait lets time go by, and sees to it that a daemon runs again some time after one went down.
func (w *world) wait(until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case fall := <-w.down:
		w.afterFall(fall, until)
		return
	case do := <-w.due:
		do()
		w.pass(until)
		return
	case <-timer.C:
	}
	select { // of both at one instant
	case fall := <-w.down:
		w.afterFall(fall, until)
	default:
	}
}

func (w *world) afterFall(fall downfall, until time.Time) {
	rest := w.luck.rest
	w.luck.rest = 0
	w.carryOn(rest+between(w.rng, 10*time.Millisecond, 15*time.Second), func() {
		if rest > 0 {
			w.luck.lost.until = time.Now()
		}
		w.revive(fall)
	})
	w.pass(until)
}

// revive starts the next life, once nothing of the last one moves any more.
func (w *world) revive(fall downfall) {
	<-fall.life.ended
	if !w.luck.fileLost {
		w.checkRecordsIn(fall.state)
	}
	w.luck.fileLost = false
	w.setBack(fall.state)
	w.startAt(fall.life.computer, fall.state)
}

// maxKills bounds how often a world is killed, so that it comes to something.
const maxKills = 8

// stop ends a life if the seed wants that at this point.
func (w *world) stop(l *life, point string) bool {
	if !w.stopAt(point) || w.kills.Add(1) > maxKills {
		return false
	}
	l.kill(point)
	return true
}

// safeBuffer is a buffer for many writers.
type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}
