package watcher

import (
	"context"
	"fmt"
	"time"

	"spinsync/watcher/volume"
)

// How often the root is surveyed; a network drive is left alone more.
const (
	surveyEvery        = 5 * time.Second
	surveyNetworkEvery = 30 * time.Second
)

// nextSurvey is when the root must be surveyed; each reading of the tree begins with that.
func (t *tree) nextSurvey(now time.Time) time.Time {
	if t.plan.reading || t.at.offline() {
		return t.plan.surveyAt
	}
	next := sooner(t.plan.surveyAt, t.plan.wholeAt)
	if t.at.phase == online && len(t.plan.branches) > 0 {
		return now
	}
	if t.scans() {
		next = sooner(next, t.plan.scanAt)
	}
	return next
}

func (t *tree) beginSurvey(ctx context.Context) {
	t.plan.surveying = true
	t.loop.spawn(ctx, func() func(context.Context) {
		if t.root.MayRead != nil {
			if err := t.root.MayRead(); err != nil {
				return func(context.Context) { t.refused = err }
			}
		}
		v, err := t.ask()
		return func(ctx context.Context) { t.judge(ctx, v, err) }
	})
}

// ask surveys the root, which may hang.
func (t *tree) ask() (v volume.Volume, err error) {
	err = t.disk.readings.during(t.root.Path, func() error {
		v, err = t.survey(t.root.Path)
		err = t.nameDenied(err)
		return err
	})
	return v, err
}

// nameDenied names, in an error of reading the root itself, the place that this account may not
// read.
func (t *tree) nameDenied(err error) error {
	if e := denied(Access(t.root.Path, err)); e != nil {
		return fmt.Errorf("cannot be read: %w", e)
	}
	return err
}

// judge decides from a survey whether the root may be read.
func (t *tree) judge(ctx context.Context, v volume.Volume, err error) {
	now := time.Now()
	t.plan.surveying = false
	t.plan.surveyAt = now.Add(UntilTick(now, surveyEvery))
	if err != nil {
		t.fail(err)
		return
	}
	if why := t.trust.volume.Differs(v.Identity); why != "" && !t.trust.accepts(v) {
		t.refuse(v, why)
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

// fail takes the root offline for an error, which completes the sentence "the root …".
func (t *tree) fail(err error) {
	t.goOffline(offline, err.Error())
	if t.at.denied == nil {
		t.at.denied = denied(err)
	}
}

func (t *tree) goOffline(p phase, why string) {
	t.trust.forget()
	if !t.at.become(p, why) {
		return
	}
	t.log.Warn("the watched folder is offline", "reason", why)
	t.plan.wholeAt = time.Time{}
	t.watches.close()
}

func (t *tree) goOnline() {
	if t.at.become(online, "") {
		t.log.Info("the watched folder is online", "folders", len(t.folders.all))
	}
	t.trust.untrusted.root = nil
}

// refuse takes the root offline because its volume is untrusted.
func (t *tree) refuse(v volume.Volume, why string) {
	t.goOffline(offline, why)
	t.trust.untrusted.root = &v
}
