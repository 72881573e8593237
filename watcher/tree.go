package watcher

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// tree is one root and all that is known about it. One goroutine owns it (run) and never touches
// the disk itself: readings happen in goroutines of their own and come back as work, so that one
// which hangs holds nothing up.
type tree struct {
	Root
	disk      *disk
	log       *slog.Logger
	readers   *sync.WaitGroup
	send      func(context.Context, Snapshot)
	firstDone func()
	status    statusBox

	inbox inbox
	work  chan func(context.Context)
	hints chan events.Hints

	survey     func(root string) (volume.Volume, error)
	newWatches func(context.Context) (watchSet, error)
	watches    watchSet
	lazy       bool    // see Watcher.WatchLazily
	retry      backoff // of the watches

	state    state
	reason   string
	since    time.Time
	on       volume.Volume // what the root stands on; zero until surveyed
	surveyed bool
	mounts   map[string]volume.Identity // of drives mounted below the root; never changed, only replaced
	astray   map[string]stray           // untrusted mounts
	waived   map[string]stray           // untrusted mounts that a person has accepted
	hung     bool

	folders  map[string]*folder
	queue    queue
	looks    int           // under way
	looking  atomic.Bool   // some are
	lookTook time.Duration // recently
	branches map[string]bool
	// alone holds the directories above product folders in which a photo may lie. A reading of one
	// of these goes no deeper.
	alone  map[string]bool
	missed int

	directories directories // those that were told of
	barredAt    time.Time   // when those that cannot be read are tried again
	lastNews    time.Time

	surveying bool
	surveyAt  time.Time
	plan      plan // of readings of the tree
}

type state int

const (
	unread state = iota
	online
	offline
)

func newTree(cfg Root, rules *names.Rules, log *slog.Logger) *tree {
	t := &tree{
		Root:    cfg,
		disk:    newDisk(cfg, rules),
		log:     log,
		inbox:   inbox{wake: make(chan struct{}, 1)},
		work:    make(chan func(context.Context), 64),
		hints:   make(chan events.Hints),
		watches: noWatches{},
		folders: map[string]*folder{},

		directories: directories{},

		branches: map[string]bool{},
		alone:    map[string]bool{},
		mounts:   map[string]volume.Identity{},
		reason:   "is being read for the first time",
		plan:     plan{interval: wholeEvery},
		survey:   volume.Survey,
	}
	t.newWatches = t.openWatches
	for path, known := range cfg.Known {
		if Level(path) == cfg.Depth {
			t.folders[path] = &folder{path: path, idlePrint: known.Fingerprint, idleSince: known.At.Unix()}
		}
	}
	for _, dir := range cfg.Directories {
		t.recallDirectory(dir)
	}
	maps.Copy(t.mounts, cfg.Mounts)
	t.Known, t.Mounts = nil, nil
	t.status.setMounts(t.mounts)
	t.publish()
	return t
}

// run owns the tree until ctx ends.
func (t *tree) run(ctx context.Context) {
	defer t.closeWatches()
	now := time.Now()
	t.since = now
	t.plan.random = rand.New(rand.NewPCG(uint64(now.UnixNano()), 0))
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-t.inbox.wake:
			for _, do := range t.inbox.take() {
				do(ctx)
			}
		case do := <-t.work:
			do(ctx)
			t.workOn(ctx)
		case h := <-t.hints:
			t.takeHints(h)
		}
		timer.Reset(time.Until(t.step(ctx)))
		// A look that the system does not answer may never end.
		t.looking.Store(t.looks > 0 && t.state != offline)
		t.inbox.done()
		t.publish()
		if t.state != unread {
			t.firstDone()
		}
	}
}

// workOn does the other work that readings have brought by now. Only then the loop asks for the
// next work due, since a reading of the tree brings thousands of folders.
func (t *tree) workOn(ctx context.Context) {
	for range len(t.work) {
		(<-t.work)(ctx)
	}
}

// spawn calls read in another goroutine. The owner runs the function that read returns.
func (t *tree) spawn(ctx context.Context, read func() func(context.Context)) {
	t.readers.Go(func() { t.post(ctx, read()) })
}

func (t *tree) post(ctx context.Context, do func(context.Context)) {
	select {
	case t.work <- do:
	case <-ctx.Done():
	}
}

// How often the root is surveyed; a network drive is left alone more. hangLimit is when a reading
// counts as hanging.
const (
	surveyEvery        = 5 * time.Second
	surveyNetworkEvery = 30 * time.Second
	hangLimit          = 30 * time.Second
)

// step begins the work that is due and returns the time of the next step.
func (t *tree) step(ctx context.Context) time.Time {
	now := time.Now()
	if t.hangs(now) {
		return now.Add(surveyEvery)
	}
	barredAt := t.lookAtBarred(now)
	surveyAt := t.nextSurvey(now)
	if !t.surveying && !surveyAt.After(now) {
		t.beginSurvey(ctx)
		surveyAt = now.Add(surveyEvery)
	}
	lookAt := t.lookAround(ctx, now)
	return sooner(now.Add(surveyEvery), sooner(surveyAt, sooner(lookAt, barredAt)))
}

// hangs takes the root offline while the system does not answer a reading.
func (t *tree) hangs(now time.Time) bool {
	where, since, stuck := t.disk.ops.stuck(hangLimit)
	if stuck {
		t.goOffline(fmt.Sprintf("does not answer: a reading of %s has not returned since %s",
			where, since.Format(time.TimeOnly)))
	}
	if t.hung && !stuck {
		t.readWhole(now)
	}
	t.hung = stuck
	return stuck
}

// untilBeat is the time until the clock shows a multiple of a beat, and at least half of one. What
// is done now and then is done at these times all over the program, so that the machine is woken
// once for all of it.
func untilBeat(now time.Time, beat time.Duration) time.Duration {
	return now.Add(beat / 2).Truncate(beat).Add(beat).Sub(now)
}

// nextSurvey is when the root must be surveyed; each reading of the tree begins with that.
func (t *tree) nextSurvey(now time.Time) time.Time {
	if t.plan.reading || t.state == offline {
		return t.surveyAt
	}
	next := sooner(t.surveyAt, t.plan.wholeAt)
	if t.state == online && len(t.branches)+len(t.alone) > 0 {
		return now
	}
	if t.scans() {
		next = sooner(next, t.plan.scanAt)
	}
	return next
}

func (t *tree) beginSurvey(ctx context.Context) {
	t.surveying = true
	t.spawn(ctx, func() func(context.Context) {
		g, err := t.ask()
		return func(ctx context.Context) { t.judge(ctx, g, err) }
	})
}

// ask surveys the root, which may hang.
func (t *tree) ask() (g volume.Volume, err error) {
	err = t.disk.ops.during(t.Path, func() error {
		g, err = t.survey(t.Path)
		return err
	})
	return g, err
}

// judge decides from a survey whether the root may be read.
func (t *tree) judge(ctx context.Context, g volume.Volume, err error) {
	now := time.Now()
	t.surveying = false
	t.surveyAt = now.Add(untilBeat(now, surveyEvery))
	if err != nil {
		t.goOffline(err.Error())
		return
	}
	if why := t.Volume.Differs(g.Identity); why != "" && !t.accepts(g) {
		t.doubt(g, why)
		return
	}
	if g.Network && t.state == online {
		t.surveyAt = now.Add(surveyNetworkEvery)
	}
	if !t.on.SameMount(g) {
		t.readWhole(now)
		t.closeWatches() // the watches are on a mount that is no more
	}
	t.on, t.surveyed = g, true
	t.beginReading(ctx, now)
}

func (t *tree) goOffline(why string) {
	t.plan.doubted, t.plan.accepted = nil, nil
	t.astray, t.waived = nil, nil
	if t.state == offline && t.reason == why {
		return
	}
	t.log.Warn("the root is offline", "reason", why)
	t.state, t.reason, t.since = offline, why, time.Now()
	t.plan.wholeAt = time.Time{}
	t.closeWatches()
}

func (t *tree) goOnline() {
	if t.state != online {
		t.log.Info("the root is online", "folders", len(t.folders))
		t.state, t.reason, t.since = online, "", time.Now()
	}
	t.plan.doubted = nil
}

func (t *tree) publish() {
	t.status.set(RootStatus{
		Path: t.Path, Online: t.state == online, Unread: t.state == unread, Reason: t.reason, Since: t.since,
		Untrusted: t.plan.doubted != nil || len(t.astray) > 0, Hung: t.hung,
		Network: t.on.Network, Volume: t.Volume,
		LastRead: t.plan.lastWhole, ReadTook: t.plan.took,
		Folders: len(t.folders), Watches: t.watches.Count(), Missed: t.missed,
	})
}

// settling gives the rule of this root.
func (t *tree) settling() settling {
	if t.on.Network {
		return settling{settle: max(t.Settle, 2*time.Second), opened: true}
	}
	return settling{settle: t.Settle}
}
