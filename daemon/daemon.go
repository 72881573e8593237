package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/products"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Options are the parts of a daemon. The fields at the end are optional.
type Options struct {
	Config *config.Config
	Store  *syncstate.Store
	Client *apiclient.Client
	Log    *slog.Logger

	// Before is the daemon whose place the new one takes in this process, once it has ended. The new
	// one goes on with what it knows of hosts, and of runs where the state file is the same. Nil at
	// the start of the process.
	Before *Daemon
	// PasswordRemedy is what to do when the service rejects the password; see
	// config.Service.PasswordRemedy.
	PasswordRemedy string
	// MayRead is asked at each survey of a root. Its error ends Run, Sync and Rebuild. Nil allows
	// every read.
	MayRead func(root string) error
	// Fleet is the station's part in its fleet. Nil is a computer alone.
	Fleet *Fleet

	Hooks Hooks
}

// Fleet is the part of a daemon in a fleet of stations.
type Fleet struct {
	// Standby makes a daemon that watches and shows. It publishes nothing and decides nothing.
	Standby bool
	Now     func() status.Fleet // as people are shown it
	Views   *publish.Views      // of the station
	// Accept makes the settings of a root here those of the fleet. It reports whether they were others.
	Accept func(root string) bool
}

// Hooks are what a test or a simulation changes of a daemon. The zero value changes nothing. The
// functions may be called from several goroutines.
type Hooks struct {
	// Random gives a number from 0 up to n, for the jitter of waits. Nil is math/rand; a replayed
	// simulation brings its own.
	Random func(n int64) int64
	// Stagger gives a pause before each turn of work on a folder, and before each frame of it is
	// sent. Nil is none; a replayed simulation keeps any two from beginning at one instant.
	Stagger func(folder syncstate.Folder, frame string) time.Duration
	Drive   watcher.Drive // below each root
}

// Daemon publishes the product folders of all roots. Make one with New; it acts only while Run or
// Sync does.
type Daemon struct {
	Log     *slog.Logger
	Metrics *metrics.Metrics // of the process

	config   *config.Config
	board    *board
	fleet    *Fleet // nil at a computer alone
	files    reading.Files
	service  *hosting.Service
	records  *publish.Records
	slots    *schedule.Slots
	throttle *schedule.Throttle
	started  time.Time // of the process

	before      recollections
	reopener    *reopener
	wakeWatcher wakeWatcher
	settings    atomic.Value // string: see Status.Settings
	pulse       pulse
	ended       chan struct{} // closed when Run has ended
	drained     atomic.Bool   // and no worker was left
	back        []string      // roots of a station whose drive came back, until all of it was read
	end         func()
}

// New makes a daemon from the configuration and the state file.
func New(o Options) (*Daemon, error) {
	random := o.Hooks.Random
	if random == nil {
		random = rand.Int64N
	}
	pause := func(attempt int) time.Duration { return schedule.Pause(attempt, random) }
	service, err := hosting.New(
		o.Client, o.Store, o.Config.Service.AccessKeyField, o.Log, pause, o.PasswordRemedy,
	)
	if err != nil {
		return nil, err
	}
	started, counters := time.Now(), metrics.New()
	if o.Before != nil {
		started, counters = o.Before.started, o.Before.Metrics
	}
	service.Began = started
	o.Client.Breaker = countedRequests{service.Breakers, counters}
	priorities := &schedule.Priorities{}
	p := &publish.Publisher{
		Service: service, Records: publish.NewRecords(o.Store), Log: o.Log, Metrics: counters,
		Slots: schedule.NewSlots(o.Config.Upload, priorities), Throttle: schedule.NewThrottle(o.Config.Upload),
		Poll: o.Config.Poll, Random: random, StaggerPause: o.Hooks.Stagger,
	}
	d := assemble(o.Config, p, newBoard(p, priorities))
	d.started, d.fleet, d.board.display.standby = started, o.Fleet, o.Fleet != nil && o.Fleet.Standby
	if o.Fleet != nil {
		service.Began = time.Now() // another station asked until then
		service.FormsFrom, p.Views = service.Began.Add(lastRequest), o.Fleet.Views
	}
	for _, w := range o.Config.Watch {
		if d.board.roots[w.Path], err = newRoot(w, o.Store); err != nil {
			return nil, err
		}
	}
	if d.before, err = d.board.recall(d.follow(o)); err != nil {
		return nil, err
	}
	if o.Fleet == nil { // a tree that is new to a station may be an old one of its fleet
		d.board.noteAddedRoots()
	}
	all, err := watcher.New(d.watchedRoots(o), o.Log) // which takes what was recalled
	if err == nil && o.Before != nil {
		all.Continue(o.Before.files.Watcher)
	}
	d.files = reading.Files{Watcher: all, Marks: reading.NewMarks(o.Store.Path() + ".reading")}
	p.Files = d.files
	d.wakeWatcher = wakeWatcher{log: d.Log, breakers: service.Breakers, watcher: all, queue: d.board.queue}
	return d, err
}

// assemble is a daemon that works with the parts that its jobs have in common.
func assemble(c *config.Config, p *publish.Publisher, b *board) *Daemon {
	d := &Daemon{
		Log: p.Log, Metrics: p.Metrics, config: c, board: b, files: p.Files, service: p.Service,
		records: p.Records, slots: p.Slots, throttle: p.Throttle,
		pulse: make(pulse), ended: make(chan struct{}),
	}
	d.end = sync.OnceFunc(func() { close(d.ended) })
	d.reopener = newReopener(b, d.pulse)
	return d
}

// follow goes on where the daemon before ended. It returns that one's folders where they are of the
// same state file, else nil.
func (d *Daemon) follow(o Options) *board {
	before := o.Before
	if before == nil {
		return nil
	}
	was, is := before.config.Service, o.Config.Service
	before.board.retire()
	switch {
	case was.BaseURL != is.BaseURL:
	case o.Fleet != nil && before.records.Store != o.Store: // it takes the work, or has lost it
		d.service.Rest(before.service)
		o.Fleet.Views.Begin()
	default:
		d.service.Continue(before.service, was.Username == is.Username)
	}
	if before.records.Store != o.Store {
		return nil
	}
	return before.board
}

func (d *Daemon) watchedRoots(o Options) []watcher.Root {
	var roots []watcher.Root
	for _, w := range d.config.Watch {
		var mayRead func() error
		if o.MayRead != nil {
			mayRead = func() error { return o.MayRead(w.Path) }
		}
		roots = append(roots, watcher.Root{
			Path: w.Path, Depth: w.Layout.Depth(), Include: w.Include, Ignore: products.Ignored(w), Marker: w.Marker,
			Settle: w.Settle, Rescan: w.Rescan, Poll: w.Poll, Shared: w.Name != "", Drive: o.Hooks.Drive, MayRead: mayRead,
			Volume: d.board.roots[w.Path].Volume, Mounts: d.board.roots[w.Path].Mounts, Aside: d.board.roots[w.Path].Aside,
			Known: d.before.listings[w.Path], Directories: d.before.directories[w.Path],
		})
	}
	return roots
}

// Run publishes until the context ends, which is the clean stop and no error.
func (d *Daemon) Run(ctx context.Context) error {
	return d.serve(ctx, func() time.Duration { return time.Hour })
}

// serve watches and works. It calls left when all workers are idle, and after the time that left
// returned last. It ends when left returns 0.
func (d *Daemon) serve(ctx context.Context, left func() time.Duration) error {
	defer d.end()
	d.files.Marks.Open()
	defer d.files.Marks.End()
	if !d.isStandby() {
		d.board.logUnknownRoots()
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer d.board.roots.rememberVolumes(d.files.Watcher, d.records) // a pass may be over before the loop hears of the first read
	defer d.board.keepReasons()
	defer running.Wait()
	defer cancel()
	watching := make(chan error, 1)
	running.Go(func() { watching <- d.files.Watcher.Run(ctx) })
	newProductsFiles(d.board).follow(ctx, &running)
	for {
		var failed publish.StateFailure
		if err := d.loop(ctx, watching, left); !errors.As(err, &failed) {
			return err
		}
		if err := d.reopener.reopen(ctx, failed); err != nil {
			return err
		}
		d.board.revisitAll()
	}
}

// loop receives snapshots and dispatches work until nothing is left, or until the state file
// fails. All workers are idle when it returns, except those that a drive keeps.
func (d *Daemon) loop(watched context.Context, watching <-chan error, left func() time.Duration) error {
	ctx, stop := context.WithCancel(watched)
	workers := newWorkers(d.board)
	workers.pulse = d.pulse
	defer func() { d.drained.Store(workers.wait()) }()
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	ask := time.Now()
	for {
		select {
		case s := <-d.files.Watcher.Snapshots():
			d.board.onSnapshot(s)
			d.files.Watcher.Took()
			if s.Idle {
				continue // it needs no worker, and a start brings thousands
			}
		case <-d.files.Watcher.News():
			ask = time.Time{} // a root may have been read
			d.board.onRootsBack()
		case <-d.board.wake:
		case <-d.pulse:
		case <-timer.C:
		case err := <-watching:
			if watched.Err() != nil { // the watcher may hear of it before ctx does
				return nil
			}
			return fmt.Errorf("watching ended: %w", err)
		case err := <-d.records.Fatal:
			workers.drain() // or frames that are on their way would be broken off, and sent again
			return err
		case <-ctx.Done():
			return nil
		}
		d.board.roots.rememberVolumes(d.files.Watcher, d.records)
		d.noteMounts()
		if d.isStandby() {
			timer.Reset(watcher.UntilTick(time.Now(), wakeTick))
			continue
		}
		d.board.noteKnownRoots()
		shooting := d.files.Watcher.Shooting()
		d.slots.SetConditions(d.files.HungRoots(), shooting)
		d.board.queue.SetShooting(shooting)
		d.wakeWatcher.check()
		workers.dispatch(ctx)
		if workers.idled() || !time.Now().Before(ask) {
			pause := left()
			if pause == 0 {
				d.board.noteKnownRoots() // the last worker may have become free in this very turn
				return nil
			}
			ask = time.Now().Add(pause)
		}
		timer.Reset(min(time.Until(ask), watcher.UntilTick(time.Now(), wakeTick), d.board.queue.UntilDue(time.Now())))
	}
}

// Pulse returns as soon as the loop of Run takes a turn, or with the context's error when it takes
// none. It shows a supervisor whether the loop waits or hangs.
func (d *Daemon) Pulse(ctx context.Context) error {
	select {
	case d.pulse <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
