package simulation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/publish"
	"spinsync/daemon/station"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A life is the daemon from a start to its end, a clean one or a kill.
type life struct {
	w        *world
	computer *computer // in a fleet; nil for one alone
	number   int
	state    string // path of its state file
	store    *syncstate.Store
	client   *apiclient.Client
	config   *config.Config
	daemon   *daemon.Live // nil where it could not start
	stop     context.CancelFunc
	looked   *daemon.Daemon
	seen     status.Status // the last time that daemon was looked at
	ended    chan struct{} // closed when nothing of it runs any more
	err      error         // how it ended

	mu       sync.Mutex
	dead     bool // nothing that it does counts any more
	killed   bool
	stopping bool   // a person wants it to end
	again    bool   // sync.toml must be read again, with another daemon
	between  func() // is done before that
	passes   bool   // it is a sync, which ends by itself
	cut      context.CancelFunc
	failed   bool // a commit was made to fail
	lines    map[*line]bool

	// In a fleet.
	station *station.Station
	part    station.Part // of the daemon of now
	views   *publish.Views
	way     *way
	entry   *door // to the service
	turns   chan handover
	held    time.Time // until then it is stopped
}

// look compares what was shown of the folders with what is shown of them now. In the
// middle of a change nothing can be compared.
func (l *life) look() {
	if l.daemon == nil {
		return
	}
	d := l.daemon.Daemon()
	if d != l.looked {
		l.looked, l.seen = d, status.Status{}
	}
	short, _ := d.StatusSince(l.seen)
	whole := d.Status()
	if _, still := d.StatusSince(short); still && !reflect.DeepEqual(short.Products, whole.Products) {
		l.w.breaks("folders that changed are told of as they were: %+v, and are %+v", short.Products, whole.Products)
	}
	l.seen = short
}

// A start is the begin of a life.
type start struct {
	at      time.Time
	awaited map[syncstate.Folder]bool // folders that an earlier life knew, and did not publish
}

func (w *world) noteStart(l *life) {
	started := l.start()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.starts = append(w.starts, started)
}

// start notes what a life knows that begins now.
func (l *life) start() start {
	awaited := map[syncstate.Folder]bool{}
	for key, record := range l.store.Heads() {
		awaited[l.w.place(key)] = record.Shown.State != "" && record.Published == nil
	}
	return start{time.Now(), awaited}
}

// start begins a life on a state file.
func (w *world) start(state string) { w.startAt(nil, state) }

func (w *world) startAt(at *computer, state string) {
	w.lives++
	l := &life{
		w: w, number: w.lives, state: state, stop: func() {}, ended: make(chan struct{}), lines: map[*line]bool{},
		passes: w.luck.passes, computer: at,
	}
	if w.luck.passes {
		w.sync, w.luck.passes = l, false
	}
	if at != nil {
		at.take(l)
	} else {
		w.current.Store(l)
	}
	if err := l.open(); err != nil {
		w.breaks("the program does not start: %v", err)
		close(l.ended)
		return
	}
	w.trace.add("life %d begins, a sync: %v", l.number, l.passes)
	w.noteStart(l)
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.run(ctx)
}

func (l *life) run(ctx context.Context) {
	if l.computer != nil {
		l.err = l.runStation(ctx)
	} else {
		l.err = l.runDaemon(ctx)
	}
	for l.err == nil && l.isAgain() {
		if l.err = l.change(); l.err == nil {
			l.err = l.daemon.Replace(l.makeDaemon)
		}
		if l.err == nil {
			l.err = l.runDaemon(ctx)
		}
	}
	l.client.CloseIdle()
	l.err = errors.Join(l.err, l.store.Close())
	l.mu.Lock()
	killed, stopping, failed := l.killed, l.stopping, l.failed
	l.dead = true
	l.mu.Unlock()
	defer close(l.ended)
	if killed {
		return
	}
	if l.passes {
		waitForBeat()
	}
	without := strings.ReplaceAll(fmt.Sprint(l.err), l.w.dir, "") // which is another each time
	l.w.trace.add("life %d ends: %s", l.number, without)
	ended := l.passes && (l.err == nil || errors.Is(l.err, daemon.ErrUnpublished) || stopping && errors.Is(l.err, context.Canceled))
	if !ended && (l.err != nil && !failed || l.err == nil && !stopping) {
		l.w.breaks("life %d ended: %v", l.number, l.err)
	}
	l.w.down <- downfall{life: l, state: l.state}
}

// runDaemon runs the daemon of now until the life ends, or sync.toml is read again.
func (l *life) runDaemon(ctx context.Context) error {
	during, cut := context.WithCancel(ctx)
	defer cut()
	l.mu.Lock()
	l.cut = cut
	l.mu.Unlock()
	if l.passes {
		return l.daemon.Daemon().Sync(during)
	}
	return l.daemon.Daemon().Run(during)
}

// isAgain reports whether a daemon ended for the next one.
func (l *life) isAgain() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	again := l.again && !l.killed && !l.stopping
	l.again = false
	return again
}

// reload has sync.toml read again.
func (l *life) reload() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.dead && !l.stopping && !l.passes && l.cut != nil {
		l.w.trace.add("life %d reads sync.toml again", l.number)
		l.again = true
		l.cut()
	}
}

// reloadAfter has a person change sync.toml, and read it again. It returns when the daemon of before has
// ended, and reports whether there was one.
func (l *life) reloadAfter(change func()) bool {
	changed := make(chan struct{})
	l.mu.Lock()
	may := !l.dead && !l.stopping && !l.passes && !l.again && l.cut != nil
	if may {
		l.again, l.between = true, func() { change(); close(changed) }
		l.cut()
	}
	l.mu.Unlock()
	if !may {
		return false
	}
	select {
	case <-changed:
		return true
	case <-l.ended:
		return false
	}
}

// change makes what is changed of sync.toml before it is read again.
func (l *life) change() (err error) {
	l.mu.Lock()
	change := l.between
	l.between = nil
	l.mu.Unlock()
	if change != nil {
		change()
		l.config, err = l.readConfig()
	}
	return err
}

// end stops a life as a person would, and waits for it.
func (l *life) end() {
	l.mu.Lock()
	l.stopping = true
	l.mu.Unlock()
	l.stop()
	<-l.ended
}

// isOver reports whether nobody should speak to it any more, or nobody can because its machine sleeps or
// its process is paused.
func (l *life) isOver() bool {
	if !l.w.machine.wakes().IsZero() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead || l.stopping || time.Now().Before(l.held.Add(time.Second))
}

func (l *life) open() error {
	c, err := l.readConfig()
	if err != nil {
		return err
	}
	account := syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username}
	l.store, err = syncstate.OpenObserved(l.state, account, l.commit)
	if err != nil {
		return err
	}
	l.config = c
	if l.computer != nil {
		l.join()
	}
	d, err := l.makeDaemon(nil)
	if err != nil {
		return errors.Join(err, l.store.Close())
	}
	l.daemon = daemon.NewLive(d)
	return nil
}

func (l *life) readConfig() (*config.Config, error) {
	dir, text := l.w.dir, ""
	if l.computer != nil {
		dir, text = l.computer.dir, l.computer.config()
	}
	path := filepath.Join(dir, "sync.toml")
	if err := os.WriteFile(path, []byte(l.w.plan.config(dir, l.state)+text), 0o600); err != nil {
		return nil, err
	}
	return config.Load(path, func(string) string { return "" })
}

func (l *life) makeDaemon(before *daemon.Daemon) (*daemon.Daemon, error) {
	service := l.config.Service
	client, err := apiclient.New(apiclient.Options{
		BaseURL: service.BaseURL, Username: service.Username, Password: service.Password, DialContext: l.dial,
	})
	if err != nil {
		return nil, err
	}
	if l.client != nil {
		l.client.CloseIdle()
	}
	l.client = client
	o := daemon.Options{
		Config: l.config, Store: l.store, Client: client,
		Hooks: daemon.Hooks{Random: l.w.jitter, Stagger: l.w.stagger, Drive: l.w.drive()},
		Log:   l.w.logger(), Before: before,
	}
	if l.computer != nil {
		l.takePart(&o)
	}
	return daemon.New(o)
}

func (w *world) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// jitter depends on nothing but the seed and the time, so that it is the same whoever asks first.
func (w *world) jitter(n int64) int64 {
	h := fnv.New64a()
	h.Write([]byte(instant().String()))
	return rand.New(rand.NewPCG(w.seed, h.Sum64())).Int64N(n)
}

// stagger gives the work on each folder and frame an instant of its own, so that nothing depends on
// which of several that began together came first.
func (w *world) stagger(folder syncstate.Folder, frame string) time.Duration {
	name := fmt.Sprint(filepath.Base(folder.Root), folder.Path, frame, instant())
	return between(random(w.seed, name), 1, time.Millisecond)
}

func (l *life) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n := l.w.network
	l.w.holdAsleep(ctx)
	if n.down() || l.isDead() || l.isUnplugged() {
		return nil, errRefused
	}
	c, err := n.dial(ctx, l.door(), l.w.plan.lineSpeed)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		c.Close()
		return nil, errRefused
	}
	l.lines[c] = true
	return c, nil
}

func (l *life) isDead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

func (l *life) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.lines {
		c.Close()
	}
	clear(l.lines)
}

// kill ends a life at this instant. What has left it has left it; the next life begins with a copy
// of the state file as it is now, and what this one still does reaches nobody.
func (l *life) kill(why string) {
	l.mu.Lock()
	was := l.dead
	l.dead, l.killed = true, true
	l.mu.Unlock()
	if was {
		return
	}
	l.w.trace.add("life %d is killed %s", l.number, why)
	next := filepath.Join(l.w.dir, "state", "after-"+string(rune('a'+l.number%26))+".db")
	l.w.disk.Lock()
	err := copyFile(next, l.state)
	if marks := ".reading"; err == nil {
		_ = copyFile(next+marks, l.state+marks) // of what was being read, if anything
	}
	l.w.disk.Unlock()
	if err != nil {
		l.w.breaks("the state file cannot be copied: %v", err)
	}
	l.hangUp()
	if l.computer != nil {
		l.way.Cut(true)
	}
	l.stop()
	l.w.down <- downfall{life: l, state: next}
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// commit stands around every commit of the state file, and may end the life on either side, or make
// the commit fail.
func (l *life) commit(do func() error) error {
	if l.isDead() {
		return do()
	}
	label := fmt.Sprintf("commit%s at %s", l.computer, instant().Sub(l.w.trace.began))
	l.w.stop(l, "before "+label)
	written := func() error {
		l.w.disk.Lock()
		defer l.w.disk.Unlock()
		return do()
	}
	if l.w.diskIsFull() {
		l.mu.Lock()
		l.failed = true
		l.mu.Unlock()
		return &fs.PathError{Op: "write", Path: l.state, Err: syscall.ENOSPC}
	}
	if failed, after := l.w.failAt(label); failed {
		l.w.trace.add("%s fails, done: %v", label, after)
		l.mu.Lock()
		l.failed = true
		l.mu.Unlock()
		if after {
			if err := written(); err != nil {
				return err
			}
		}
		return errors.New("input/output error")
	}
	err := written()
	if err == nil && !l.isDead() {
		l.w.stop(l, "after "+label)
	}
	return err
}

// downfall tells that a life has ended against its will, and where the state file of the next one
// is.
type downfall struct {
	life  *life
	state string
}
