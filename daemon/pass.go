package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

const (
	// A pass tries a folder with temporary failures for this long. It does not wait for a folder
	// whose next try is farther away because a host asked for that.
	passPatience = 10 * time.Minute
	// How soon a pass checks again whether it is over, when all roots have just been read or all
	// folders are done, and later.
	passHaste = time.Millisecond
	passBeat  = 50 * time.Millisecond
)

// ErrUnpublished is for a pass after which something that should be published is not.
var ErrUnpublished = errors.New("not everything is published; `spinsync status` shows what and why")

// Sync makes one pass: everything due is published, then it ends. It returns ErrUnpublished when a
// folder is still collecting, waits for a person, or failed for longer than the pass has patience.
func (d *Daemon) Sync(ctx context.Context) error {
	if err := d.forgive(); err != nil {
		return err
	}
	p := newPass(d)
	d.files.Watcher.WatchLazily()
	d.reopener.gaveUp = p.waitsForRoom
	if err := d.serve(ctx, p.left); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.verdict()
}

// Pass does what Sync does on a daemon that runs already, and returns when the pass is over.
func (d *Daemon) Pass(ctx context.Context) error {
	p := newPass(d)
	if d.isStandby() {
		return p.awaitOthers(ctx)
	}
	d.service.Breakers.Retry()
	d.service.Memory.RefusedLists.Forget()
	if err := d.change(syncstate.Folder{}, func(r *syncstate.Record) { r.Trouble = nil }, d.lookAnew); err != nil {
		return err
	}
	d.files.Watcher.Rescan()
	for pause := p.left(); pause > 0; pause = p.left() {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.verdict()
}

// forgive gives folders that wait for a person, or for a later try, one more try.
func (d *Daemon) forgive() error {
	for _, key := range d.before.troubled {
		err := d.records.Update(key, func(r *syncstate.Record) error {
			r.Trouble = nil
			return nil
		})
		if err != nil {
			return err
		}
	}
	return d.records.Store.Err()
}

// A pass knows when everything that can happen now has happened.
type pass struct {
	d       *Daemon
	started time.Time
	read    time.Time // when all roots had been read
	done    bool      // all folders were, when it was asked last
	pause   time.Duration

	failing map[*folder]time.Time // when each was first seen to wait for another try
}

func newPass(d *Daemon) *pass {
	return &pass{d: d, started: time.Now(), failing: map[*folder]time.Time{}}
}

// left returns when to ask again whether the pass is over, 0 when it is: all folders are done, and
// the watcher has no more news of any.
func (p *pass) left() time.Duration {
	if p.waitsForRoom() {
		return 0
	}
	if p.read.IsZero() {
		if !p.d.allRead(p.started) {
			return passBeat
		}
		p.read, p.pause = time.Now(), passHaste/2
	}
	changes := p.d.board.folders.changes()
	done := p.allDone()
	switch {
	// Between two equal answers no snapshot was taken in, and no worker asked the watcher.
	case done && p.d.files.Watcher.Delivered() && p.allDone() && p.d.board.folders.changes() == changes:
		return 0
	case done && !p.done:
		p.pause = passHaste / 2
	}
	p.done = done
	p.pause = min(2*p.pause, passBeat)
	return p.pause
}

// waitsForRoom reports whether the state file could not be written for so long that the pass ends.
func (p *pass) waitsForRoom() bool {
	o := p.d.reopener.outage.Load()
	return o != nil && min(time.Since(o.since), time.Since(p.started)) > passPatience
}

// unsaved is why the state file cannot be written; empty while it can.
func (d *Daemon) unsaved() string {
	if o := d.reopener.outage.Load(); o != nil {
		return o.why
	}
	return ""
}

// allDone reports whether every folder is, but for those of roots that are away, and those that wait
// for their drive.
func (p *pass) allDone() bool {
	roots, aside := p.d.files.Watcher.Roots(), map[syncstate.Folder]bool{}
	for _, r := range roots {
		for _, path := range p.d.files.Watcher.Aside(r.Path) {
			aside[syncstate.Folder{Root: r.Path, Path: path}] = true
		}
	}
	away := p.d.board.roots.away(roots)
	for f := range p.d.board.folders.each {
		if !p.isDone(f, roots) && !((away[f.root] || aside[f.key]) && !f.busy) {
			return false
		}
	}
	return true
}

// allRead reports whether every root was read since then, or cannot be, and every products file too.
func (d *Daemon) allRead(since time.Time) bool {
	select {
	case <-d.files.Watcher.FirstRead():
	default:
		return false
	}
	return d.board.roots.productsLooked(d.files.Readable) && !slices.ContainsFunc(d.files.Watcher.Roots(), func(r watcher.RootStatus) bool {
		return r.Online && !readSince(r, since)
	})
}

// readSince reports whether a whole read of a root began since then. A read that was under way by
// then may have missed new files.
func readSince(r watcher.RootStatus, since time.Time) bool {
	return !r.LastRead.Add(-r.ReadTook).Before(since)
}

func (p *pass) isDone(f *folder, roots []watcher.RootStatus) bool {
	if f.busy || p.d.board.queue.Standing(f.key) || f.newest != nil {
		// Workers that read from a drive that does not answer may never become free.
		return p.d.files.Hung(f.key.Root) != nil && p.outOfPatience(f)
	}
	if f.snapshot().Root == "" {
		return true // the reads have not met it: the layout has another depth, or another card is in the slot
	}
	// The status does not yet show a step that waits for its time.
	state := cmp.Or(f.last.State, f.status.State)
	if p.d.board.folders.pauseOf(f).Holds() && !state.OutlastsPause() {
		return true
	}
	toBeSeen := f.last.Action == plan.Wait && f.last.Until.IsZero()
	if toBeSeen && state == status.Published { // published frames wait to be seen unchanged
		state = status.Collecting
	}
	switch state {
	case status.Missing:
		// With another status the service is still to be asked for its view.
		return f.status.State == status.Missing && !p.followsUp(f, roots)
	case status.Published, status.Paused:
		return true
	case status.Attention:
		return !f.last.Cause.Is(status.StateFileFailed) // all go on as soon as the file can be written
	case status.Collecting:
		return time.Since(p.read) > p.gatheringTime(f)
	case status.Retrying:
		return plan.DriveAway(f.snapshot()) || f.last.Until.After(time.Now().Add(passPatience)) || p.outOfPatience(f)
	}
	return false
}

// followsUp reports whether a folder that is gone has a step soon: the service is asked for its
// view, or the second whole read proves it gone, so that its view may be deleted.
func (p *pass) followsUp(f *folder, roots []watcher.RootStatus) bool {
	switch {
	case f.last.Cause.Is(status.GoneOrRenamed), p.d.board.folders.pauseOf(f).Holds():
		return false
	case f.last.Action == plan.Wait:
		return !f.last.Until.After(time.Now().Add(p.d.config.Poll.First)) && !p.outOfPatience(f)
	}
	second := f.snapshot().Absent.Since.Add(plan.AbsenceSpan)
	return !p.outOfPatience(f) && slices.ContainsFunc(roots, func(r watcher.RootStatus) bool {
		return r.Path == f.key.Root && r.Online && !readSince(r, second)
	})
}

func (p *pass) outOfPatience(f *folder) bool {
	since, failed := p.failing[f]
	if !failed {
		p.failing[f] = time.Now()
	}
	return failed && time.Since(since) > passPatience
}

// gatheringTime is how long a folder that does not change any more needs to be found complete, or
// to need a person.
func (p *pass) gatheringTime(f *folder) time.Duration {
	rules := f.root.Rules
	if f.last.Action == plan.Idle {
		return 2*rules.Settle + time.Second
	}
	needed := 2*rules.Settle + rules.Quiet + 3*time.Second
	if len(f.broken) > 0 {
		needed += plan.BrokenPatience
	}
	return needed
}

func (p *pass) verdict() error {
	if refused, _ := p.d.settings.Load().(string); refused != "" {
		return fmt.Errorf("%s; %w", refused, ErrUnpublished)
	}
	if why := p.d.unsaved(); why != "" {
		return fmt.Errorf("%s; %w", why, ErrUnpublished)
	}
	if away := p.d.files.OfflineRoots(); away != "" {
		return fmt.Errorf("%s; %w", away, ErrUnpublished)
	}
	for f := range p.d.board.folders.each {
		switch product := p.d.board.display.shown(f); {
		case product.State == status.Published, product.State == status.Missing:
		default:
			return ErrUnpublished
		}
	}
	return nil
}
