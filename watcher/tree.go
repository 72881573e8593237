package watcher

import (
	"fmt"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/volume"
)

// tree is one root and all that is known about it: it surveys what the root stands on, reads the
// tree, and concludes which product folders are gone. One goroutine owns it (run).
type tree struct {
	settler
	trust     trust
	volume    volume.Identity // that the root stood on last
	survey    func(root string) (volume.Volume, error)
	hints     chan events.Hints
	firstDone func()
	refused   error // what MayRead returned
}

// ask surveys the root, which may hang.
func (t *tree) ask() (v volume.Volume, err error) {
	err = t.disk.readings.during(t.root.Path, func() error {
		v, err = t.survey(t.root.Path)
		err = t.barring(err)
		return err
	})
	return v, err
}

// barring names, in an error of reading the root itself, the place that this account may not read.
func (t *tree) barring(err error) error {
	if e := denied(Access(t.root.Path, err)); e != nil {
		return fmt.Errorf("cannot be read: %w", e)
	}
	return err
}

// fail takes the root offline for an error, which completes the sentence "the root …".
func (t *tree) fail(err error) {
	t.goOffline(offline, err.Error())
	if t.at.denied == nil {
		t.at.denied = denied(err)
	}
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

// refuse takes the root offline because its volume is untrusted.
func (t *tree) refuse(v volume.Volume, why string) {
	t.goOffline(offline, why)
	t.trust.untrusted.root = &v
}

func (t *tree) publish() {
	t.status.set(RootStatus{
		Path: t.root.Path, Online: t.at.phase == online, Unread: t.at.phase == unread, Reason: t.at.reason, Denied: t.at.denied,
		Since:     t.at.since,
		Untrusted: !t.trust.untrusted.none(), Hung: t.at.phase == hanging,
		Network: t.at.on.Network, Volume: t.volume,
		LastRead: t.plan.lastWhole, ReadTook: t.plan.took,
		Folders: len(t.folders), Watches: t.watches.Count(), Missed: t.watches.missed,
	})
}
