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
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// Options are the parts of a daemon. The fields at the end are optional.
type Options struct {
	Config *config.Config
	Store  *syncstate.Store
	Client *apiclient.Client
	Log    *slog.Logger

	// PasswordRemedy says what to do when the service rejects the password; see
	// config.Service.PasswordRemedy.
	PasswordRemedy string
	// Random gives a number from 0 up to n, for the jitter of waits. It may be called from several
	// goroutines. Nil is math/rand; a simulation that is to be replayed brings its own.
	Random func(n int64) int64
	// Stagger gives a pause before each turn of work on a folder, and before each frame of it is
	// sent. It may be called from several goroutines. Nil is none; a simulation that is to be
	// replayed keeps any two from beginning at one instant.
	Stagger func(folder syncstate.Folder, frame string) time.Duration
	// Spoil is asked before each reading of a file below a root, and its error is the reading's.
	// Nil spoils nothing.
	Spoil func(path string) error
}

// Daemon publishes the product folders of all roots. Make one with New; it acts only while Run or
// Sync does.
type Daemon struct {
	config  *config.Config
	store   *syncstate.Store
	client  *apiclient.Client
	watcher *watcher.Watcher
	log     *slog.Logger
	started time.Time
	roots   map[string]*root

	slots                  *schedule.Slots
	polls                  schedule.PollEstimator
	throttle               *schedule.Throttle
	creating               keyedLock
	rosters                rosters
	permissions            permissions
	gates                  *gates
	accessKeyFields        *accessKeyFields
	paused                 atomic.Bool
	giveUp                 time.Duration
	firstPoll, longestPoll time.Duration

	random  func(n int64) int64
	stagger func(folder syncstate.Folder, frame string) time.Duration
	spoil   func(path string) error

	queue      *schedule.Queue
	priorities *schedule.Priorities
	following  sync.Mutex // makes calls of followPriority see each other's records

	around       surroundings
	lookedAround time.Time

	mends        int // of the state file, in a row
	mendedAt     time.Time
	stateTrouble atomic.Value // string: why the state file could not be written the last time
	settings     atomic.Value // string: see Status.Settings

	wake  chan struct{} // the queue, or the condition that ends a pass, may have changed
	pulse chan struct{} // see Pulse
	fatal chan error

	troubled   []syncstate.Folder // at the start
	elsewhere  string             // at the start: warning of views at another address
	fromBackup int                // at the start: folders with a restored, unchecked record
	unopened   bool               // the state file is from a backup, and was only read since

	mu      sync.Mutex
	folders map[syncstate.Folder]*folder
	ordered []*folder                       // see inOrder; nil since one came or went
	kin     map[extent]map[*folder]struct{} // content index: folders by size key
	owners  map[string]syncstate.Folder     // by product UUID
	news    chan struct{}                   // closed and replaced at each change of the status
	stirs   int                             // generation of the status; see lull
}

// A folder is the state of a product folder in memory. Only the worker that holds the folder
// touches its job. The daemon's mutex guards everything else.
type folder struct {
	key      syncstate.Folder
	root     *root
	job      *job // nil while the folder is idle, as most are: a job is large; see jobOf
	status   ProductStatus
	newest   *watcher.Snapshot // not seen by the job yet
	stands   *stillstand       // idle snapshot, in place of newest while nothing has changed
	busy     bool              // a worker holds it
	dirty    bool              // something happened since the worker took it
	gone     bool              // the last whole reads did not find it
	paused   time.Time         // when a person paused it or all, in this process; zero: not paused
	last     step              // the step with which it is idle or waits
	sent     atomic.Int64      // bytes of the run under way
	amended  atomic.Int32      // how often a person gave up the run or the product
	asked    time.Time         // the newest status request of the last job; zero for none
	extent   extent            // size key of its recorded frames
	recorded *status.Cause     // the cause that the state file gives for the state
	before   stand             // saved status, while it is only looked at, or paused
	logged   logged            // its newest entry in the log
	broken   map[string]string // why frames are not whole, by name
	stood    time.Time         // when it was last found on the disk, as proof against a rename
	recalled bool              // an earlier process knew it
	resumed  bool              // an earlier process began a run that has not ended
	begun    bool              // the last worker left it with an unfinished run
}

// New makes a daemon from the configuration and the state file.
func New(o Options) (*Daemon, error) {
	d := &Daemon{
		config: o.Config, store: o.Store, client: o.Client, log: o.Log, started: time.Now(),
		roots: map[string]*root{}, folders: map[syncstate.Folder]*folder{},
		kin: map[extent]map[*folder]struct{}{}, owners: map[string]syncstate.Folder{},
		throttle: schedule.NewThrottle(o.Config.Upload), priorities: &schedule.Priorities{},
		giveUp: o.Config.Poll.GiveUp, firstPoll: o.Config.Poll.First, longestPoll: o.Config.Poll.Max,
		wake: make(chan struct{}, 1), pulse: make(chan struct{}), fatal: make(chan error, 1), news: make(chan struct{}),
		random: o.Random, stagger: o.Stagger, spoil: o.Spoil,
	}
	d.queue, d.slots = schedule.NewQueue(d.priorities), schedule.NewSlots(o.Config.Upload, d.priorities)
	if d.random == nil {
		d.random = rand.Int64N
	}
	d.gates = newGates(d.retryPause, d.log, o.PasswordRemedy)
	d.client.Gate = d.gates
	var err error
	if d.accessKeyFields, err = newAccessKeyFields(o.Config.Service.AccessKeyField, o.Store); err != nil {
		return nil, err
	}
	for _, w := range o.Config.Watch {
		r := rulesOf(w)
		remembered, err := o.Store.Root(w.Path)
		if err != nil {
			return nil, err
		}
		var products *productsFile
		if w.Products != "" {
			products = &productsFile{name: w.Products, settle: w.Settle}
		}
		d.roots[w.Path] = &root{
			products: products, watch: w, rules: r, digest: r.digest(w), volume: volumeOf(remembered.Volume),
			mounts: mountsOf(remembered.Mounts), readers: make(chan struct{}, readersPerRoot),
		}
	}
	known, err := d.recall()
	if err != nil {
		return nil, err
	}
	d.watcher, err = watcher.New(d.watchedRoots(known), o.Log)
	return d, err
}

// newFolder makes a folder without a snapshot or a record.
func (d *Daemon) newFolder(key syncstate.Folder) *folder {
	return &folder{
		key: key, root: d.roots[key.Root],
		status: ProductStatus{Root: key.Root, Folder: key.Path, Since: time.Now()},
	}
}

// jobOf is the folder's job, made anew for an idle folder. The mutex is held.
func (d *Daemon) jobOf(f *folder) *job {
	if f.job == nil {
		f.job = &job{
			d: d, key: f.key, root: f.root, asked: f.asked, news: make(chan struct{}, 1), amended: &f.amended,
			resumed: f.resumed, recalled: f.recalled,
		}
		if f.asked.IsZero() { // an earlier process may have asked a moment ago
			f.job.asked = d.started
		}
	}
	return f.job
}

// layDown releases the job of an idle folder.
func (f *folder) layDown() {
	f.stands = stillstandOf(f.job.snapshot)
	f.asked, f.job, f.recalled, f.resumed = f.job.asked, nil, false, false
}

// snapshot is the snapshot of the folder's job, or its idle snapshot. The mutex is held.
func (f *folder) snapshot() watcher.Snapshot {
	switch {
	case f.job != nil:
		return f.job.snapshot
	case f.stands != nil:
		return f.stands.of(f.key)
	}
	return watcher.Snapshot{}
}

func (d *Daemon) watchedRoots(known map[string]map[string]watcher.Idle) []watcher.Root {
	var roots []watcher.Root
	for _, w := range d.config.Watch {
		roots = append(roots, watcher.Root{
			Path: w.Path, Depth: w.Layout.Depth(), Include: w.Include, Ignore: ignored(w), Marker: w.Marker,
			Settle: w.Settle, Rescan: w.Rescan, Poll: w.Poll, Spoil: d.spoil,
			Volume: d.roots[w.Path].volume, Mounts: d.roots[w.Path].mounts, Known: known[w.Path],
			Directories: d.toldDirectories(w.Path),
		})
	}
	return roots
}

// Run publishes until the context ends, which is the clean stop and no error.
func (d *Daemon) Run(ctx context.Context) error {
	return d.loop(ctx, func() time.Duration { return time.Hour })
}

// loop watches and works. It calls left when all workers are idle, and after the time that left
// returned last. It ends when left returns 0.
func (d *Daemon) loop(ctx context.Context, left func() time.Duration) error {
	if d.elsewhere != "" {
		d.log.Warn(d.elsewhere)
	}
	if d.fromBackup > 0 {
		d.log.Warn("the state file is not the one that was used last, but an older one, as from a backup; what it tells of its product folders is held against the service",
			"folders", d.fromBackup)
	}
	ctx, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	defer d.keepReasons()
	defer d.rememberVolumes() // a pass may be over before the loop hears of the first read
	defer watcher.Wait()
	defer cancel()
	watching := make(chan error, 1)
	watcher.Go(func() { watching <- d.watcher.Run(ctx) })
	d.followProducts(ctx, &watcher)
	for {
		var failed stateFailure
		if err := d.shift(ctx, watching, left); !errors.As(err, &failed) {
			return err
		}
		if err := d.mendState(ctx, failed); err != nil {
			return err
		}
		d.revisitAll()
	}
}

// shift receives snapshots and dispatches work until nothing is left, or until the state file
// fails. All workers are idle when it returns, except those that a drive keeps.
func (d *Daemon) shift(watched context.Context, watching <-chan error, left func() time.Duration) error {
	ctx, stop := context.WithCancel(watched)
	workers := newWorkers(d)
	defer workers.wait()
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	ask := time.Now()
	for {
		select {
		case s := <-d.watcher.Snapshots():
			d.see(s)
			d.watcher.Took()
			if s.Idle {
				continue // it needs no worker, and a start brings thousands
			}
		case <-d.watcher.News():
			ask = time.Time{} // a root may have been read
		case <-d.wake:
		case <-d.pulse:
		case <-timer.C:
		case err := <-watching:
			if watched.Err() != nil { // the watcher may hear of it before ctx does
				return nil
			}
			return fmt.Errorf("watching ended: %w", err)
		case err := <-d.fatal:
			workers.free() // or frames that are on their way would be broken off, and sent again
			return err
		case <-ctx.Done():
			return nil
		}
		d.rememberVolumes()
		shooting := d.watcher.Shooting()
		d.slots.SetAside(d.hungRoots(), shooting)
		d.queue.SetShot(shooting)
		d.lookAround(ctx)
		workers.dispatch(ctx)
		if workers.idled() || !time.Now().Before(ask) {
			pause := left()
			if pause == 0 {
				return nil
			}
			ask = time.Now().Add(pause)
		}
		timer.Reset(min(time.Until(ask), beatBeside(shooting), d.queue.UntilDue(time.Now())))
	}
}

// beatBeside is the time after which the loop looks around when nothing happens. It is short while
// a camera writes, so that work that yields to capture soon goes on.
func beatBeside(shooting map[string][]string) time.Duration {
	if len(shooting) > 0 {
		return cameraBeat
	}
	return untilBeat(time.Now())
}

// see takes in a snapshot and queues its folder.
func (d *Daemon) see(s watcher.Snapshot) {
	key := syncstate.Folder{Root: s.Root, Path: s.Folder}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.folders[key]
	if !ok {
		f = d.newFolder(key)
		d.folders[key], d.ordered = f, nil
		d.announce()
	}
	f.gone = !s.Present
	if s.Idle && !f.busy && f.status.NotTaken.Same(s.NotTaken) {
		d.arriveAtRest(f, s)
		return
	}
	newest := s // only this one is to lie in the heap
	f.newest, f.stands = &newest, nil
	d.requeue(f)
}

// A stillstand is an idle snapshot. It is small, because most folders are idle.
type stillstand struct {
	fingerprint watcher.Fingerprint
	id          volume.FileID
	notTaken    *watcher.NotTaken
}

func stillstandOf(s watcher.Snapshot) *stillstand {
	return &stillstand{s.Fingerprint, s.ID, s.NotTaken}
}

func (s stillstand) of(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Idle: true,
		Fingerprint: s.fingerprint, ID: s.id, NotTaken: s.notTaken}
}

// arriveAtRest takes in a folder that has not changed since it became idle. It reads no file and
// sends no request.
func (d *Daemon) arriveAtRest(f *folder, s watcher.Snapshot) {
	f.newest, f.stands = nil, stillstandOf(s)
	f.last = step{action: rest, state: f.status.State}
	d.queue.Drop(f.key)
	if f.status.State != Published { // it differs from the record, as after a kill in a pass
		d.watcher.Refresh(s.Root, s.Folder)
	}
}

// requeue queues a folder, or marks it while a worker holds it. The mutex is held.
func (d *Daemon) requeue(f *folder) {
	if f.busy {
		f.dirty = true
		select {
		case f.job.news <- struct{}{}:
		default:
		}
		return
	}
	d.queue.Add(f.key, classOf(f.status.State, f.begun))
}

// latest is the newest snapshot of a folder; have, when no snapshot came since.
func (d *Daemon) latest(key syncstate.Folder, have watcher.Snapshot) watcher.Snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.folders[key]
	switch {
	case !ok:
		return have
	case f.newest != nil:
		have = *f.newest
	case f.stands != nil:
		have = f.stands.of(key)
	default:
		return have
	}
	f.newest, f.stands = nil, nil
	select {
	case <-d.jobOf(f).news:
	default:
	}
	return have
}

// finished takes a folder back from a worker.
func (d *Daemon) finished(f *folder, last step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.busy, f.last, f.begun = false, last, f.job.begun
	next := classOf(last.state, f.begun)
	switch {
	case d.folders[f.key] != f: // it was forgotten
	case f.dirty || f.newest != nil || f.stands != nil:
		f.dirty = false
		d.queue.Add(f.key, next)
	case !last.due().IsZero():
		d.queue.AddAt(f.key, last.due(), next)
	case last.action == rest && last.state == Published && len(f.job.problems) == 0:
		f.layDown()
	}
	d.poke()
}

// poke wakes the loop.
func (d *Daemon) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *Daemon) serviceClock() time.Duration {
	offset, _ := d.client.ClockOffset()
	return offset
}

func (d *Daemon) retryPause(attempt int) time.Duration { return retryPause(attempt, d.random) }

// owner tells which folder a product belongs to.
func (d *Daemon) owner(uuid string) (syncstate.Folder, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, ok := d.owners[uuid]
	return key, ok
}

func (d *Daemon) own(uuid string, key syncstate.Folder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owners[uuid] = key
}

// claim makes a product the folder's, unless it is another's already.
func (d *Daemon) claim(uuid string, key syncstate.Folder) (owner syncstate.Folder, claimed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if owner, owned := d.owners[uuid]; owned && owner != key {
		return owner, false
	}
	d.owners[uuid] = key
	return key, true
}

// forget drops a folder that is gone together with its product.
func (d *Daemon) forget(key syncstate.Folder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drop(key)
	for uuid, owner := range d.owners {
		if owner == key {
			delete(d.owners, uuid)
		}
	}
	d.leave(key)
	d.announce()
}

// leave has the watcher forget a folder that is gone. If the folder is back, the watcher reports it
// once more, since its last snapshot went with the record.
func (d *Daemon) leave(key syncstate.Folder) {
	d.watcher.Forget(key.Root, key.Path)
	d.watcher.Refresh(key.Root, key.Path)
}

// drop removes a folder from memory. The mutex is held.
func (d *Daemon) drop(key syncstate.Folder) {
	if f, ok := d.folders[key]; ok {
		d.queue.Remove(f.key)
		d.setExtent(f, extent{})
		delete(d.folders, key)
		d.ordered = nil
	}
}

var errUnknownFolder = errors.New("no such product folder; `spinsync status` lists them")
