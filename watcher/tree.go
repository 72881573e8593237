package watcher

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// tree is one root and all that is known about it: it surveys what the root stands on, reads the
// tree, and concludes which product folders are gone. One goroutine owns it (run).
type tree struct {
	settler
	trust     trust
	survey    func(root string) (volume.Volume, error)
	hints     chan events.Hints
	firstDone func()
}

func newTree(cfg Root, rules *names.Rules, log *slog.Logger) *tree {
	t := &tree{hints: make(chan events.Hints), survey: volume.Survey}
	t.Root = cfg
	t.loop = loop{inbox: inbox{wake: make(chan struct{}, 1)}, work: make(chan func(context.Context), 64)}
	t.disk, t.log = newDisk(cfg, rules), log
	t.at.reason = "is being read for the first time"
	t.plan = plan{interval: wholeEvery, branches: map[string]bool{}, alone: map[string]bool{}}
	t.watches = watching{watchSet: noWatches{}, poll: cfg.Poll, open: t.openWatches, log: log}
	t.folders, t.directories = map[string]*folder{}, directories{}
	for path, known := range cfg.Known {
		if Level(path) == cfg.Depth {
			t.folders[path] = &folder{path: path, idlePrint: known.Fingerprint, idleSince: known.At.Unix()}
		}
	}
	for _, dir := range cfg.Directories {
		t.recallDirectory(dir)
	}
	t.status.mounts = map[string]volume.Identity{}
	maps.Copy(t.status.mounts, cfg.Mounts)
	t.Known, t.Mounts = nil, nil
	t.publish()
	return t
}

// openWatches makes watches that deliver to t.hints.
func (t *tree) openWatches(ctx context.Context) (watchSet, error) {
	w, err := events.Open(t.Path, t.watches.lazy, t.log)
	if err != nil {
		return nil, err
	}
	t.readers.Go(func() { w.Drain(ctx, t.hints) })
	return w, nil
}

// run owns the tree until ctx ends.
func (t *tree) run(ctx context.Context) {
	defer t.watches.close()
	now := time.Now()
	t.at.since = now
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
		t.looking.Store(t.looks > 0 && !t.at.offline())
		t.inbox.done()
		t.publish()
		if t.at.phase != unread {
			t.firstDone()
		}
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
	if !t.plan.surveying && !surveyAt.After(now) {
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
		t.goOffline(hanging, fmt.Sprintf("does not answer: a reading of %s has not returned since %s",
			where, since.Format(time.TimeOnly)))
	}
	if t.at.phase == hanging && !stuck {
		t.at.phase = offline
		t.plan.readWhole(now)
	}
	return stuck
}

// nextSurvey is when the root must be surveyed; each reading of the tree begins with that.
func (t *tree) nextSurvey(now time.Time) time.Time {
	if t.plan.reading || t.at.offline() {
		return t.plan.surveyAt
	}
	next := sooner(t.plan.surveyAt, t.plan.wholeAt)
	if t.at.phase == online && len(t.plan.branches)+len(t.plan.alone) > 0 {
		return now
	}
	if t.scans() {
		next = sooner(next, t.plan.scanAt)
	}
	return next
}

func (t *tree) beginSurvey(ctx context.Context) {
	t.plan.surveying = true
	t.spawn(ctx, func() func(context.Context) {
		v, err := t.ask()
		return func(ctx context.Context) { t.judge(ctx, v, err) }
	})
}

// ask surveys the root, which may hang.
func (t *tree) ask() (v volume.Volume, err error) {
	err = t.disk.ops.during(t.Path, func() error {
		v, err = t.survey(t.Path)
		return err
	})
	return v, err
}

// judge decides from a survey whether the root may be read.
func (t *tree) judge(ctx context.Context, v volume.Volume, err error) {
	now := time.Now()
	t.plan.surveying = false
	t.plan.surveyAt = now.Add(untilBeat(now, surveyEvery))
	if err != nil {
		t.goOffline(offline, err.Error())
		return
	}
	if why := t.Volume.Differs(v.Identity); why != "" && !t.trust.accepts(v) {
		t.doubt(v, why)
		return
	}
	if v.Network && t.at.phase == online {
		t.plan.surveyAt = now.Add(surveyNetworkEvery)
	}
	if !t.at.on.SameMount(v) {
		t.plan.readWhole(now)
		t.watches.close() // the watches are on a mount that is no more
	}
	t.at.on = v
	t.beginReading(ctx, now)
}

func (t *tree) goOffline(p phase, why string) {
	t.trust = trust{}
	if !t.at.become(p, why) {
		return
	}
	t.log.Warn("the root is offline", "reason", why)
	t.plan.wholeAt = time.Time{}
	t.watches.close()
}

func (t *tree) goOnline() {
	if t.at.become(online, "") {
		t.log.Info("the root is online", "folders", len(t.folders))
	}
	t.trust.untrusted.root = nil
}

// doubt takes the root offline because of its volume.
func (t *tree) doubt(v volume.Volume, why string) {
	t.goOffline(offline, why)
	t.trust.untrusted.root = &v
}

// accept trusts the volumes that are untrusted at this time.
func (t *tree) accept() {
	if !t.trust.untrusted.none() {
		t.trust.accepted, t.trust.untrusted = t.trust.untrusted, strangers{}
		t.rescan()
	}
}

func (t *tree) rescan() {
	t.plan.readWhole(time.Now())
	t.plan.surveyAt = time.Time{}
}

func (t *tree) publish() {
	t.status.set(RootStatus{
		Path: t.Path, Online: t.at.phase == online, Unread: t.at.phase == unread, Reason: t.at.reason, Since: t.at.since,
		Untrusted: !t.trust.untrusted.none(), Hung: t.at.phase == hanging,
		Network: t.at.on.Network, Volume: t.Volume,
		LastRead: t.plan.lastWhole, ReadTook: t.plan.took,
		Folders: len(t.folders), Watches: t.watches.Count(), Missed: t.watches.missed,
	})
}
