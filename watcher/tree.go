package watcher

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// tree is one root: it surveys the volume of the root, and decides when to read the whole of it.
// Its parts know the rest. One goroutine owns the tree and its parts (run).
type tree struct {
	root Root
	log  *slog.Logger
	loop loop
	disk *disk

	at        condition // whether it may be read
	plan      plan      // when it is read
	watches   watching
	hints     chan events.Hints
	survey    func(root string) (volume.Volume, error)
	firstDone func()
	refused   error // what MayRead returned
	links     Links // that the last reading of all directories passed by

	folders  *folders
	settler  *settler // knows what is still
	absence  absence  // knows what is gone
	trust    trust    // knows which volumes are believed
	troubled troubled // directories that are no product folders
	status   statusBox
	busy     atomic.Bool // folders are being read
}

func newTree(cfg Root, rules *names.Rules, log *slog.Logger) *tree {
	t := &tree{root: cfg, log: log, disk: newDisk(cfg, rules), hints: make(chan events.Hints)}
	t.survey = t.disk.survey
	t.loop = loop{inbox: inbox{wake: make(chan struct{}, 1)}, work: make(chan func(context.Context), 64)}
	t.at.reason = "is being read for the first time"
	t.plan = plan{interval: wholeEvery, branches: map[string]bool{}}
	t.watches = watching{set: noWatches{}, poll: cfg.Poll, open: t.openWatches, log: log}
	t.status.mounts = map[string]volume.Identity{}
	maps.Copy(t.status.mounts, cfg.Mounts)
	t.status.aside = cfg.Aside
	t.folders = newFolders(cfg, rules)
	t.trust = trust{volume: cfg.Volume}
	t.absence = absence{folders: t.folders, disk: t.disk, trust: &t.trust, status: &t.status}
	t.troubled = troubled{root: cfg, disk: t.disk, folders: t.folders, reported: directories{}}
	t.troubled.root.Known, t.troubled.root.Mounts = nil, nil
	for _, dir := range cfg.Directories {
		t.troubled.recall(dir)
	}
	t.settler = &settler{
		root: cfg.Path, stillAfter: cfg.Settle, folders: t.folders, disk: t.disk, loop: &t.loop, at: &t.at, watches: &t.watches,
		status: &t.status, troubled: &t.troubled, shots: newShots(), above: t,
	}
	t.root.Known, t.root.Mounts = nil, nil
	t.publish()
	return t
}

// openWatches makes watches that deliver to t.hints.
func (t *tree) openWatches(ctx context.Context) (watchSet, error) {
	w, err := events.Open(t.root.Path, t.watches.lazy, t.log)
	if err != nil {
		return nil, err
	}
	t.loop.readers.Go(func() { w.Drain(ctx, t.hints) })
	return w, nil
}

// run owns the tree until ctx ends, or until the tree may not be read.
func (t *tree) run(ctx context.Context) error {
	defer t.watches.close()
	now := time.Now()
	t.at.since = now
	t.plan.random = rand.New(rand.NewPCG(uint64(now.UnixNano()), 0))
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-t.loop.inbox.wake:
			for _, do := range t.loop.inbox.take() {
				do(ctx)
			}
		case do := <-t.loop.work:
			do(ctx)
			t.loop.workOn(ctx)
		case h := <-t.hints:
			t.takeHints(h)
		}
		if t.refused != nil {
			return t.refused
		}
		timer.Reset(time.Until(t.step(ctx)))
		// A read that the system does not answer may never end.
		t.busy.Store(t.settler.reads > 0 && !t.at.offline())
		t.loop.inbox.done()
		t.publish()
		if t.at.phase != unread {
			t.firstDone()
		}
	}
}

// hangLimit is when a reading counts as hanging.
const hangLimit = 30 * time.Second

// step begins the work that is due and returns the time of the next step.
func (t *tree) step(ctx context.Context) time.Time {
	now := time.Now()
	if t.hangs() {
		return now.Add(surveyEvery)
	}
	barredAt := t.retryUnreadable(now)
	surveyAt := t.nextSurvey(now)
	if !t.plan.surveying && !surveyAt.After(now) {
		t.beginSurvey(ctx)
		surveyAt = now.Add(surveyEvery)
	}
	lookAt := t.settler.readDue(ctx, now)
	return sooner(now.Add(surveyEvery), surveyAt, lookAt, barredAt)
}

// hangs takes the root offline while the system does not answer a reading.
func (t *tree) hangs() bool {
	where, since, stuck := t.disk.readings.stuck(hangLimit)
	if stuck {
		t.goOffline(hanging, fmt.Sprintf("does not answer: a reading of %s has not returned since %s",
			where, since.Format(time.TimeOnly)))
	}
	if t.at.phase == hanging && !stuck {
		t.at.phase = offline
	}
	return stuck
}

func (t *tree) publish() {
	t.status.set(RootStatus{
		Path: t.root.Path, Online: t.at.phase == online, Unread: t.at.phase == unread, Reason: t.at.reason, Denied: t.at.denied,
		Since:     t.at.since,
		Untrusted: !t.trust.untrusted.none() || len(t.status.getAside()) > 0, Hung: t.at.phase == hanging,
		Emptied: t.trust.emptied, Network: t.at.on.Network, Volume: t.trust.volume,
		LastRead: t.plan.lastWhole, ReadTook: t.plan.took,
		Folders: len(t.folders.all), Watches: t.watches.set.Count(), Missed: t.watches.missed,
		Links: t.links,
	})
}

// lose gives the watches up because events were lost, and reads the tree.
func (t *tree) lose(why string) {
	now := time.Now()
	t.log.Info("reading the whole tree", "reason", why)
	t.watches.giveUp(now)
	t.plan.readWhole(now)
}

// distrust implements above.
func (t *tree) distrust() {
	t.watches.missed++
	t.lose("a read found a change without an event")
}

// surveySoon implements above.
func (t *tree) surveySoon() { t.plan.surveyAt = time.Now() }

// proveAbsence implements above.
func (t *tree) proveAbsence() {
	t.plan.suspect = true
	t.plan.hasten(time.Now())
}

// accept trusts the volumes that are untrusted at this time. What was set aside is gone.
func (t *tree) accept() {
	aside := t.folders.aside()
	for _, path := range aside {
		t.folders.all[path].aside = false
	}
	t.status.setAside(nil)
	if t.trust.acceptAll() || len(aside) > 0 {
		t.rescan()
	}
}

func (t *tree) rescan() {
	t.plan.readWhole(time.Now())
	t.plan.surveyAt = time.Time{}
}

// refresh has a folder sent again. A directory that is no product folder is read again.
func (t *tree) refresh(ctx context.Context, path string) {
	if t.folders.all[path] == nil && t.troubled.has(path) {
		t.plan.retryAt = time.Time{}
		return
	}
	t.settler.refresh(ctx, path)
}
