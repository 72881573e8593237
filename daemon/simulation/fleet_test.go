package simulation

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/publish"
	"spinsync/daemon/station"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster"
	"spinsync/syncstate/cluster/clustertest"
)

// A fleet is several computers that watch the roots of the studio, and the cluster between them.
type fleet struct {
	w         *world
	model     *clustertest.Model
	computers []*computer
	loss      float64       // of transactions whose answer is lost, or which come late
	lag       time.Duration // by which mirrors are behind the studio, at most
	mu        sync.Mutex
	deadly    string // the operation whose next requests are the last of their senders
	deaths    int    // of how many of them
	stood     []span // in which one was behind it for long
}

const lease = 10 * time.Second

// newFleet makes a world with several computers.
func (w *world) makeFleet() {
	r := random(w.seed, "fleet")
	w.fleet = &fleet{w: w, model: clustertest.NewModel(), lag: pick(r, 0, time.Second, 6*time.Second), loss: pick(r, 0, 0.03, 0.2)}
	for _, name := range []string{"anna", "bert", "cleo"}[:2+r.IntN(2)] {
		c := &computer{
			w: w, name: name, dir: filepath.Join(w.dir, name), rng: random(w.seed, name), shown: map[string]version{}, dirs: map[string]bool{},
		}
		if err := os.Mkdir(c.dir, 0o755); err != nil {
			w.t.Fatal(err)
		}
		w.fleet.computers = append(w.fleet.computers, c)
	}
	w.plan.chaos = between(r, 4*time.Minute, 15*time.Minute)
	w.plan.studio.gap = between(r, w.plan.chaos/100, w.plan.chaos/20)
	w.plan.studio.roots, w.plan.misfortunes = 0, nil
	w.plan.faults = slices.DeleteFunc(w.plan.faults, func(kind string) bool { return !slices.Contains(fleetFaults, kind) && !isMishap(kind) })
	for i := range w.plan.roots {
		root := &w.plan.roots[i]
		root.shared, root.onRemove = true, "keep"
		root.settle = max(root.settle, 2*time.Second) // as on any network drive
		root.folders = root.folders[:min(len(root.folders), 4)]
	}
}

// fleetFaults are the kinds that days of a fleet have, beside mishaps of requests.
var fleetFaults = []string{killing, failingCommit, lateLists, staleLists, shortForms, refusedPhoto, refusedFinish, unknownProduct}

func isMishap(kind string) bool {
	return slices.ContainsFunc(mishaps, func(m mishap) bool { return m.name == kind })
}

// begin starts all computers, one soon after the other.
func (f *fleet) begin() {
	r := random(f.w.seed, "begin")
	for i, c := range f.computers {
		c.sync()
		start := func() { f.w.startAt(c, filepath.Join(f.w.dir, "state", c.name+".db")) }
		if i == 0 {
			start()
		} else {
			f.w.carryOn(between(r, 1, 20*time.Second), start)
		}
	}
	f.plan()
}

// plan has computers fail, at times of their own.
func (f *fleet) plan() {
	r := random(f.w.seed, "fleet's misfortunes")
	if chance(r, 0.3) {
		f.deadly, f.deaths = sandbox.CreateProduct, 1
	}
	gap, kinds := between(r, 15*time.Second, 2*time.Minute), f.misfortunes()
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	kinds = kinds[:1+r.IntN(4)] // so that one which ends things early does not hide what another one does
	for at := between(r, 1, gap); at < f.w.plan.chaos; at += between(r, 1, 2*gap) {
		c := pick(r, f.computers...)
		strike := pick(r, kinds...)
		f.w.after(at, func() {
			if c.life != nil {
				strike(r, c)
			}
		})
	}
}

func (f *fleet) misfortunes() []func(*rand.Rand, *computer) {
	return []func(*rand.Rand, *computer){f.kill, f.stop, f.dieSending, f.dieSending, f.cutOff, f.pause, f.unplug, f.stand, f.stand, f.compact}
}

// pause stops a process for a while. Its clock runs on, and so does what it does for itself: what it
// sends, and hears, is held up.
func (f *fleet) pause(r *rand.Rand, c *computer) {
	long := between(r, time.Second, time.Minute)
	f.w.trace.add("%s is paused for %s", c.name, long)
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	c.life.held = time.Now().Add(long)
}

// compact has the cluster forget what was before.
func (f *fleet) compact(*rand.Rand, *computer) {
	f.w.trace.add("the cluster is compacted")
	f.model.Compact()
}

// dieSending has the station that sends the next request of a kind die as it arrives, and perhaps the next
// one too.
func (f *fleet) dieSending(r *rand.Rand, _ *computer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deadly = pick(r, sandbox.CreateProduct, sandbox.UpdateProduct, sandbox.Upload, sandbox.Upload, sandbox.FinishUpload)
	f.deaths = pick(r, 1, 1, 2, 3)
}

func (f *fleet) isDeadly(op string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	is := op == f.deadly && f.deaths > 0 && !f.w.calm.Load()
	if is {
		f.deaths--
	}
	return is
}

// cutOff keeps a computer from the cluster for a while.
func (f *fleet) cutOff(r *rand.Rand, c *computer) {
	if c.cutOff {
		return
	}
	long := between(r, time.Second, time.Minute)
	f.w.trace.add("%s is cut off from the cluster for %s", c.name, long)
	cut := func(is bool) {
		if c.cutOff = is; !c.life.isDead() {
			c.life.way.Cut(is)
		}
	}
	cut(true)
	f.w.carryOn(long, func() { cut(false) })
}

// unplug keeps a computer from the service for a while.
func (f *fleet) unplug(r *rand.Rand, c *computer) {
	long := between(r, 10*time.Second, 4*time.Minute)
	f.w.trace.add("%s does not reach the service for %s", c.name, long)
	c.life.mu.Lock()
	c.plugged = time.Now().Add(long)
	c.life.mu.Unlock()
	c.life.hangUp()
}

// stand has a computer see the studio as it is now, for long.
func (f *fleet) stand(r *rand.Rand, c *computer) {
	if c.stands {
		return
	}
	since, long := time.Now(), between(r, time.Minute, f.w.plan.chaos/2)
	f.w.trace.add("the mirror of %s stands for %s", c.name, long)
	c.stands = true
	f.w.carryOn(long, func() {
		c.stands = false
		f.stood = append(f.stood, span{since, time.Now()})
		c.sync()
	})
}

// seenFrom is since when a computer may have seen at a time what was in the studio.
func (f *fleet) seenFrom(at time.Time) time.Time {
	if f == nil {
		return at
	}
	from := at.Add(-f.lag)
	for _, s := range f.stood {
		if !at.Before(s.from) && from.Before(s.until) {
			from = slices.MinFunc([]time.Time{from, s.from.Add(-f.lag)}, time.Time.Compare)
		}
	}
	return from
}

// seenUntil is until when a computer may have seen what was in the studio up to a time.
func (f *fleet) seenUntil(at time.Time) time.Time {
	if f == nil {
		return at
	}
	until := at.Add(f.lag)
	for _, s := range f.stood {
		if !until.Before(s.from) && at.Before(s.until) {
			until = slices.MaxFunc([]time.Time{until, s.until}, time.Time.Compare)
		}
	}
	return until
}

// judgeViews: no set of photos goes live in the place of one that came after it.
func (w *world) judgeViews() {
	live := map[string]sandbox.Entry{}
	for _, e := range w.journal {
		if e.Effect != sandbox.Uploaded || w.fleet == nil || w.theirs.has(e.Files) {
			continue
		}
		if was, is := live[e.Product]; is {
			began := func(m moment) time.Time { return m.state.since }
			now, before := w.studio.momentsOf(e.Files, w.trace.began, e.Time), w.studio.momentsOf(was.Files, w.trace.began, was.Time)
			older := func(m moment) bool {
				return m.folder.endOf(m.state).Before(began(slices.MinFunc(before, func(a, b moment) int { return began(a).Compare(began(b)) })))
			}
			if len(now) > 0 && len(before) > 0 && !slices.ContainsFunc(now, func(m moment) bool { return !older(m) }) {
				w.breaks("revision %d of %s, finished at %s, is older than the one before", e.Revision, e.SKU, e.Time.Sub(w.trace.began))
			}
		}
		live[e.Product] = e
	}
}

// endOf is when a folder got into another state.
func (f *folder) endOf(st state) time.Time {
	for _, next := range f.history {
		if next.since.After(st.since) {
			return next.since
		}
	}
	return time.Now()
}

func (f *fleet) kill(_ *rand.Rand, c *computer) {
	if l := c.life; !l.isOver() {
		l.kill("just so")
	}
}

func (f *fleet) stop(_ *rand.Rand, c *computer) {
	if l := c.life; !l.isOver() {
		f.w.trace.add("life %d is stopped", l.number)
		l.end()
	}
}

// lives are the newest of each computer.
func (f *fleet) lives() (all []*life) {
	for _, c := range f.computers {
		if c.life != nil {
			all = append(all, c.life)
		}
	}
	return all
}

// isActive reports whether a station is active that people can speak to.
func (f *fleet) isActive() bool {
	l := f.w.current.Load()
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.dead && !l.part.Standby
}

// checkSender: nothing comes to the service but from the station of the epoch, and a change only while it
// has time left. The way to the service takes no time here.
func (f *fleet) checkSender(c *call) {
	name, at := c.by.computer.name, c.began.Sub(f.w.trace.began)
	switch {
	case name != c.active:
		f.w.breaks("%s of %s came at %s, in an epoch of %q", c.op, name, at, c.active)
	case changes(c.op) && c.op != sandbox.Upload && c.left <= lease/3:
		f.w.breaks("%s of %s came at %s, with %s of its lease left", c.op, name, at, c.left)
	}
	if !c.by.isDead() && f.isDeadly(c.op) {
		c.by.kill("as its request arrives")
	}
}

// epoch is the station of the epoch, and how long its lease lasts.
func (f *fleet) epoch() (station string, left time.Duration) {
	if f == nil {
		return "", 0
	}
	active, left := f.model.Left(cluster.ActiveKey)
	return cluster.ActiveIn(active), left
}

// place is a folder as the studio knows it.
func (w *world) place(key syncstate.Folder) syncstate.Folder {
	if w.fleet == nil {
		return key
	}
	for _, c := range w.fleet.computers {
		if name, is := strings.CutPrefix(key.Root, c.dir+"/"); is {
			key.Root = filepath.Join(w.dir, name)
		}
	}
	return key
}

// A computer is one of a fleet. It sees the roots of the studio in a mirror of its own.
type computer struct {
	w     *world
	name  string
	dir   string
	life  *life // the newest; nil before the first
	shown map[string]version
	dirs  map[string]bool // of product folders
	rng   *rand.Rand      // of how late the mirror is

	due     bool // the mirror is to follow
	stands  bool // it does not, for long
	cutOff  bool // from the cluster
	plugged time.Time
}

// A version is what a file of a mirror holds.
type version struct {
	content  *content
	modified time.Time
}

// String tells its points of death from those of others.
func (c *computer) String() string {
	if c == nil {
		return ""
	}
	return " of " + c.name
}

func (c *computer) config() string {
	return fmt.Sprintf("[fleet]\netcd = [\"http://127.0.0.1:2379\"]\nstation = %q\nlease = %q\n", c.name, lease)
}

// take makes a life the newest of the computer. People look at the first one until a station is active.
func (c *computer) take(l *life) {
	c.life = l
	c.w.current.CompareAndSwap(nil, l)
}

// changed has the mirrors follow the studio.
func (f *fleet) changed() {
	if f == nil || f.w.studio == nil {
		return
	}
	for _, c := range f.computers {
		switch {
		case c.due || c.stands:
		case f.lag == 0:
			c.sync()
		default:
			c.due = true
			f.w.carryOn(between(c.rng, 1, f.lag), c.follow)
		}
	}
}

// follow has a mirror show what is in the studio, unless it stands.
func (c *computer) follow() {
	if c.due = false; !c.stands {
		c.sync()
	}
}

// sync makes the mirror what the studio is now.
func (c *computer) sync() {
	s, want, dirs := c.w.studio, map[string]version{}, map[string]bool{}
	for _, r := range s.roots {
		s.must(os.MkdirAll(filepath.Join(c.dir, r.name), 0o755))
		if r.list != nil {
			want[filepath.Join(c.dir, r.name, listName)] = version{r.list, r.list.modified}
		}
	}
	for _, f := range s.folders {
		if !f.present {
			continue
		}
		dir := filepath.Join(c.dir, f.root.name, filepath.FromSlash(f.name))
		dirs[dir] = true
		for name, file := range f.files {
			want[filepath.Join(dir, name)] = version{file, file.modified}
		}
	}
	for name := range c.shown {
		if _, stays := want[name]; !stays {
			s.must(os.Remove(name))
			c.touch(name)
		}
	}
	for dir := range c.dirs {
		if !dirs[dir] {
			s.must(os.Remove(dir))
			c.touch(dir)
		}
	}
	for dir := range dirs {
		if !c.dirs[dir] {
			s.must(os.MkdirAll(dir, 0o755))
			c.touch(dir)
		}
	}
	for name, v := range want {
		if c.shown[name] != v {
			s.must(os.WriteFile(name, v.content.data, 0o644))
			s.must(os.Chtimes(name, v.modified, v.modified))
			c.touch(name)
		}
	}
	c.shown, c.dirs = want, maps.Clone(dirs)
}

// touch gives the directories above a thing the present time.
func (c *computer) touch(name string) {
	for dir := filepath.Dir(name); dir != c.dir; dir = filepath.Dir(dir) {
		if err := os.Chtimes(dir, time.Now(), time.Now()); err != nil && !os.IsNotExist(err) {
			c.w.studio.must(err)
		}
	}
}

// A handover asks a life for another daemon.
type handover struct {
	to   station.Part
	done chan turned
}

type turned struct {
	drained bool
	err     error
}

// join makes the station of a life, as the engine does.
func (l *life) join() {
	w, c := l.w, l.config
	seed := random(w.seed, fmt.Sprint("way of life ", l.number)).Uint64()
	l.way = &way{Line: clustertest.NewLine(w.fleet.model, seed, w.fleet.loss, 2*time.Minute), l: l}
	l.way.Cut(l.computer.cutOff)
	l.entry, l.turns, l.views = w.network.door(l), make(chan handover), publish.NewViews()
	o := station.Options{
		Cluster: l.way, Name: l.computer.name, Lease: lease, Account: w.account(), Store: l.store, Trees: c.Trees(),
		Settings: map[string]map[string]string{}, Work: work{l}, Log: w.logger(),
		Survey: func(context.Context) (trouble, worst string) { return "", "" },
	}
	for _, watch := range c.Watch {
		o.Settings[watch.Name] = watch.Shared()
	}
	l.station = station.New(o)
	l.part = l.station.Part()
}

// takePart makes a daemon that of the station.
func (l *life) takePart(o *daemon.Options) {
	o.Store = l.part.Store
	o.Client.SetFence(fence{l.part.Fence, l})
	o.Fleet = &daemon.Fleet{Standby: l.part.Standby, Now: l.station.Now, Accept: l.station.Accept, Views: l.views}
}

// runStation runs the daemons of a station until the life ends.
func (l *life) runStation(ctx context.Context) error {
	taking, leave := context.WithCancel(context.WithoutCancel(ctx))
	left := make(chan error, 1)
	go func() { left <- l.station.Run(taking, func() bool { return l.daemon.Daemon().Drained() }) }()
	defer func() {
		leave()
		<-left
	}()
	for {
		during, cut := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func(d *daemon.Daemon) { ended <- d.Run(during) }(l.daemon.Daemon())
		select {
		case err := <-ended:
			cut()
			return err
		case err := <-left:
			left <- nil
			cut()
			<-ended
			return err
		case t := <-l.turns:
			cut()
			err := <-ended
			drained := l.daemon.Daemon().Drained()
			if err == nil {
				err = l.become(t.to)
			}
			t.done <- turned{drained, err}
			if err != nil {
				return err
			}
		}
	}
}

// become puts a daemon of another part in the place of the one that has ended.
func (l *life) become(to station.Part) error {
	l.mu.Lock()
	l.part = to
	l.mu.Unlock()
	if l.store.Err() != nil {
		if err := l.store.Reopen(); err != nil {
			return err
		}
	}
	if err := l.daemon.Replace(l.makeDaemon); err != nil {
		return err
	}
	if !to.Standby && !l.isDead() {
		l.w.trace.add("life %d, %s, is active", l.number, l.computer.name)
		l.w.noteStart(l) // it knows no more than the state file does
		l.w.current.Store(l)
	}
	return nil
}

// work is a life as its station sees it.
type work struct{ l *life }

// Replace implements station.Work.
func (k work) Replace(ctx context.Context, to station.Part) (drained bool, err error) {
	t := handover{to, make(chan turned, 1)}
	select {
	case k.l.turns <- t:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	done := <-t.done
	return done.drained, done.err
}

// Sever implements station.Work.
func (k work) Sever() { k.l.daemon.Daemon().Sever() }

// Pulse implements station.Work.
func (k work) Pulse(ctx context.Context) error { return k.l.daemon.Pulse(ctx) }

// Health implements station.Work.
func (k work) Health() (trouble string, offline map[string]bool) { return k.l.daemon.Daemon().Health() }

// Followed implements station.Work.
func (k work) Followed(folders []syncstate.Folder) {
	k.l.views.Changed(folders)
	k.l.daemon.Daemon().Followed(folders)
}

// A way is that of a life to the cluster.
type way struct {
	*clustertest.Line
	l  *life
	mu sync.Mutex // of the line's chance
}

// Commit implements cluster.Cluster.
func (v *way) Commit(ctx context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	v.l.hold()
	label := fmt.Sprintf("transaction%s at %s", v.l.computer, instant().Sub(v.l.w.trace.began))
	v.l.w.stop(v.l, "before "+label)
	outcome, err := v.commitInEpoch(ctx, t)
	v.l.w.stop(v.l, "after "+label)
	v.l.hold()
	return outcome, err
}

// commitInEpoch: no decision is made but by the station of the epoch.
func (v *way) commitInEpoch(ctx context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	active, _ := v.Model.Left(cluster.ActiveKey)
	outcome, err := v.commit(ctx, t)
	writes := func(key string) bool {
		return slices.ContainsFunc(t.Then, func(w cluster.Write) bool { return w.Key == key })
	}
	if name := cluster.ActiveIn(active); outcome.Done && writes("counter") && !writes(cluster.ActiveKey) && name != v.l.computer.name {
		v.l.w.breaks("%s decided at %s, in an epoch of %q", v.l.computer.name, time.Since(v.l.w.trace.began), name)
	}
	return outcome, err
}

func (v *way) commit(ctx context.Context, t cluster.Transaction) (cluster.Outcome, error) {
	if v.l.w.calm.Load() && !v.l.isDead() {
		return v.Model.Commit(ctx, t)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.Line.Commit(ctx, t)
}

// Read implements cluster.Cluster.
func (v *way) Read(ctx context.Context, key string) (cluster.Entry, error) {
	v.l.hold()
	defer v.l.hold()
	return v.Line.Read(ctx, key)
}

// ReadAt implements cluster.Cluster.
func (v *way) ReadAt(ctx context.Context, key string, revision int64) (cluster.Entry, error) {
	v.l.hold()
	defer v.l.hold()
	return v.Line.ReadAt(ctx, key, revision)
}

// List implements cluster.Cluster.
func (v *way) List(ctx context.Context, prefix string) ([]cluster.Entry, int64, error) {
	v.l.hold()
	defer v.l.hold()
	return v.Line.List(ctx, prefix)
}

// Follow implements cluster.Cluster.
func (v *way) Follow(ctx context.Context, prefix string, after int64) iter.Seq2[cluster.Changes, error] {
	return func(yield func(cluster.Changes, error) bool) {
		for changes, err := range v.Line.Follow(ctx, prefix, after) {
			if v.l.hold(); !yield(changes, err) {
				return
			}
		}
	}
}

// Renew implements cluster.Cluster.
func (v *way) Renew(ctx context.Context, id cluster.LeaseID) error {
	v.l.hold()
	defer v.l.hold()
	return v.Line.Renew(ctx, id)
}

// A fence is that of a daemon, which does not get to it while its process is stopped.
type fence struct {
	station.Fence
	l *life
}

// Holds implements apiclient.Fence.
func (f fence) Holds() error {
	f.l.hold()
	return f.Fence.Holds()
}

// HasTime implements apiclient.Fence.
func (f fence) HasTime() error {
	f.l.hold()
	return f.Fence.HasTime()
}

// wasHeld reports whether the process was stopped a moment ago.
func (l *life) wasHeld() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.held.Add(time.Second))
}

// isUnplugged reports whether its computer does not reach the service.
func (l *life) isUnplugged() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.computer != nil && time.Now().Before(l.computer.plugged)
}

// hold waits while the process is stopped. What was held up goes on at instants of its own.
func (l *life) hold() {
	l.mu.Lock()
	until := l.held
	l.mu.Unlock()
	if now := time.Now(); now.Before(until) {
		time.Sleep(until.Sub(now) + between(random(l.w.seed, now.String()), 1, 100*time.Millisecond))
	}
}

// A door is the way of one life to the service, which tells its requests from those of others.
type door struct {
	*servicetest.Network
	l *life
}

func (n *network) door(l *life) *door {
	d := &door{servicetest.NewNetwork(), l}
	n.served.Go(func() { n.server.Serve(d) })
	return d
}

// door is how a life comes to the service.
func (l *life) door() *servicetest.Network {
	if l.entry != nil {
		return l.entry.Network
	}
	return l.w.network.Network
}

type senderKey struct{}

func senderThrough(listener net.Listener) context.Context {
	ctx := context.Background()
	if d, is := listener.(*door); is {
		ctx = context.WithValue(ctx, senderKey{}, d.l)
	}
	return ctx
}

// sender is the life that a request comes from.
func (n *network) sender(ctx context.Context) *life {
	if l, is := ctx.Value(senderKey{}).(*life); is {
		return l
	}
	return n.w.current.Load()
}

// awaitActive waits until a station of a fleet is active, and nothing of what befell it is left. It reports
// whether one is.
func (w *world) awaitActive() bool {
	if w.fleet == nil {
		return true
	}
	w.pass(time.Now().Add(time.Minute + 2*lease))
	const enough = 40 * time.Minute // who lost the work rests for half an hour at most
	for until := time.Now().Add(enough); !w.fleet.isActive(); w.pass(time.Now().Add(time.Second)) {
		if time.Now().After(until) {
			w.breaks("no station is active, %s after all is well", enough)
			return false
		}
	}
	return true
}
