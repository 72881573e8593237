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
)

// Options are what a daemon is made of. All fields are needed but those at the end.
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
	following  sync.Mutex // of two calls of followPriority the second sees what both recorded

	around       surroundings
	lookedAround time.Time

	mends        int // of the state file, in a row
	mendedAt     time.Time
	stateTrouble atomic.Value // string: why the state file could not be written the last time
	settings     atomic.Value // string: see Status.Settings

	wake  chan struct{} // the queue, or what ends a pass, may have changed
	pulse chan struct{} // see Pulse
	fatal chan error

	troubled   []syncstate.Folder // at the start
	elsewhere  string             // what was left behind at another address, at the start
	fromBackup int                // folders whose record was not held against the service since the state file came from a backup, at the start
	unopened   bool               // the state file is from a backup, and was only read since

	mu      sync.Mutex
	folders map[syncstate.Folder]*folder
	ordered []*folder                       // see inOrder; nil since one came or went
	kin     map[extent]map[*folder]struct{} // folders by what is recorded of their frames
	owners  map[string]syncstate.Folder     // by product UUID
	news    chan struct{}                   // closed and replaced at each change of the status
	stirs   int                             // see lull
}

// A folder is a product folder with all that is kept of it in memory. Its job is touched only by
// the hand that holds the folder; everything else is guarded by the daemon's mutex.
type folder struct {
	key      syncstate.Folder
	root     *root
	job      *job // nil while the folder rests, as most of them do: a job is larger than all else; see jobOf
	status   ProductStatus
	newest   *watcher.Snapshot // not seen by the job yet
	stands   *stillstand       // instead of that, where the folder is as it was when nothing was owed any more
	busy     bool              // in a hand
	dirty    bool              // something happened since it was taken up
	gone     bool              // the last whole reads did not find it
	paused   time.Time         // when a person paused it, or all, since this process began; zero for not, and when that has ended
	last     step              // what it came to rest or wait with
	sent     atomic.Int64      // bytes of the run under way
	amended  atomic.Int32      // how often a person gave up the run or the product
	asked    time.Time         // the newest status request of the last job; zero for none
	extent   extent            // what is recorded of its frames
	recorded *status.Cause     // the cause that the state file gives for the state
	before   stand             // what it was, while it is only looked at, or paused
	logged   logged            // what the log knows of it
	broken   map[string]string // why frames are not whole, by name
	stood    time.Time         // when it was last found on the disk, to tell that it was not renamed
	recalled bool              // an earlier process knew it
	resumed  bool              // and had begun a run that has not ended
	begun    bool              // a run had begun, and not ended, when it was last in a hand
}

// New makes a daemon from the configuration and what the state file remembers.
func New(o Options) (*Daemon, error) {
	d := &Daemon{
		config: o.Config, store: o.Store, client: o.Client, log: o.Log, started: time.Now(),
		roots: map[string]*root{}, folders: map[syncstate.Folder]*folder{}, kin: map[extent]map[*folder]struct{}{}, owners: map[string]syncstate.Folder{},
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
		d.roots[w.Path] = &root{products: products, watch: w, rules: r, digest: r.digest(w), volume: volumeOf(remembered.Volume), mounts: mountsOf(remembered.Mounts), readers: make(chan struct{}, readersPerRoot)}
	}
	known, err := d.recall()
	if err != nil {
		return nil, err
	}
	d.watcher, err = watcher.New(d.watchedRoots(known), o.Log)
	return d, err
}

// newFolder is one that nothing is known of yet.
func (d *Daemon) newFolder(key syncstate.Folder) *folder {
	return &folder{key: key, root: d.roots[key.Root], status: ProductStatus{Root: key.Root, Folder: key.Path, Since: time.Now()}}
}

// jobOf is the work on a folder. The mutex is held.
func (d *Daemon) jobOf(f *folder) *job {
	if f.job == nil {
		f.job = &job{
			d: d, key: f.key, root: f.root, asked: f.asked, news: make(chan struct{}, 1), amended: &f.amended,
			resumed: f.resumed, recalled: f.recalled,
		}
		if f.asked.IsZero() { // whoever ran before may have asked a moment ago
			f.job.asked = d.started
		}
	}
	return f.job
}

// layDown ends the job of a folder at rest.
func (f *folder) layDown() {
	f.stands = stillstandOf(f.job.snapshot)
	f.asked, f.job, f.recalled, f.resumed = f.job.asked, nil, false, false
}

// snapshot is the one that the folder was last worked on with. The mutex is held.
func (f *folder) snapshot() watcher.Snapshot {
	switch {
	case f.job != nil:
		return f.job.snapshot
	case f.stands != nil:
		return f.stands.of(f.key)
	}
	return watcher.Snapshot{}
}

func (d *Daemon) watchedRoots(known map[string]map[string]watcher.Rested) []watcher.Root {
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

// loop watches and works. It ends when left returns 0, which is asked when all workers are idle,
// and after the time that it returned last.
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

// shift receives snapshots and hands out work until nothing is left, or until the state file fails.
// All hands are empty when it returns, but for those that a drive keeps.
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
			if s.AtRest {
				continue // nothing is to be handed out for it, and after a start there are thousands
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

// beatBeside is how often the loop looks around when nothing happens: soon while a camera writes,
// so that what makes way for it goes on when it rests.
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
	if s.AtRest && !f.busy && f.status.NotTaken.Same(s.NotTaken) {
		d.arriveAtRest(f, s)
		return
	}
	newest := s // only this one is to lie in the heap
	f.newest, f.stands = &newest, nil
	d.requeue(f)
}

// A stillstand is all that a snapshot of a folder at rest says: there are many of these.
type stillstand struct {
	fingerprint watcher.Fingerprint
	id          watcher.FileID
	notTaken    *watcher.NotTaken
}

func stillstandOf(s watcher.Snapshot) *stillstand {
	return &stillstand{s.Fingerprint, s.ID, s.NotTaken}
}

func (s stillstand) of(key syncstate.Folder) watcher.Snapshot {
	return watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, AtRest: true, Fingerprint: s.fingerprint, ID: s.id, NotTaken: s.notTaken}
}

// arriveAtRest is for a folder that stands as it was when nothing was owed any more: no file is
// read, no request sent.
func (d *Daemon) arriveAtRest(f *folder, s watcher.Snapshot) {
	f.newest, f.stands = nil, stillstandOf(s)
	f.last = step{action: rest, state: f.status.State}
	d.queue.Drop(f.key)
	if f.status.State != Published { // it is not what was recorded, for instance after a kill in a pass
		d.watcher.Refresh(s.Root, s.Folder)
	}
}

// requeue puts a folder in line, or marks it when it is in a hand. The mutex is held.
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

// latest is the newest snapshot of a folder: the one that came since, or the one the job has.
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

// finished takes a folder back from a hand.
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

// leave has the watcher forget a folder that is gone. One that has come back is reported once more,
// since what was heard of it went with the folder.
func (d *Daemon) leave(key syncstate.Folder) {
	d.watcher.Forget(key.Root, key.Path)
	d.watcher.Refresh(key.Root, key.Path)
}

// drop takes a folder out of everything. The mutex is held.
func (d *Daemon) drop(key syncstate.Folder) {
	if f, ok := d.folders[key]; ok {
		d.queue.Remove(f.key)
		d.setExtent(f, extent{})
		delete(d.folders, key)
		d.ordered = nil
	}
}

var errUnknownFolder = errors.New("no such product folder; `spinsync status` lists them")
