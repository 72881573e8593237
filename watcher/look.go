package watcher

import (
	"context"
	"errors"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
)

// A second look begins beside the first when the next one has waited this long; more than four
// never run.
const (
	lookPatience = 20 * time.Millisecond
	lookers      = 4
)

// lookAround begins the looks that are due and gives the time of the next.
func (s *settler) lookAround(ctx context.Context, now time.Time) time.Time {
	for len(s.queue) > 0 && !s.at.offline() && s.looks < lookers && s.at.surveyed() {
		f := s.queue[0]
		due := f.live.due.Add(time.Duration(s.looks) * lookPatience)
		if due.After(now) {
			return due
		}
		s.look(ctx, f)
	}
	return now.Add(time.Hour)
}

// look begins the scheduled look at a folder.
func (s *settler) look(ctx context.Context, f *folder) {
	s.looks++
	f.live.underway = true
	s.queue.schedule(f, time.Now().Add(time.Hour))
	if s.watches.lazy {
		s.watches.make(ctx, time.Now(), s.at.on)
	}
	ripe := func() []string { return f.live.ripe(time.Now(), s.at.rule(s.root.Settle).settle) }
	s.read(ctx, f, s.disk.adder(s.watches.watchSet), ripe, func(ctx context.Context, f *folder, l listing, err error) {
		s.looks--
		if f.live != nil {
			f.live.underway = false
		}
		s.looked(ctx, f, l, err)
	})
}

// read reads a folder in another goroutine, which watches it before; done runs in the owner's. The
// folder may have been forgotten meanwhile, and then is a new one. On a network drive the files that
// handles names are asked through one, unless the folder is idle.
func (s *settler) read(
	ctx context.Context, f *folder, watch func(string, events.Rank), handles func() []string,
	done func(context.Context, *folder, listing, error),
) {
	path, g, mounts := f.path, s.at.on, mountsOver(s.status.getMounts(), f.path)
	var open []string
	if s.at.rule(s.root.Settle).opened && f.live != nil {
		open = handles()
	}
	s.loop.spawn(ctx, func() func(context.Context) {
		watch(path, events.ActiveFolder)
		l, err := s.disk.look(path, g, mounts, open)
		l.opened = open
		return func(ctx context.Context) { done(ctx, s.folder(path), l, err) }
	})
}

// looked takes in what a look found.
func (s *settler) looked(ctx context.Context, f *folder, l listing, err error) {
	switch {
	case s.at.offline():
		s.putOff(f)
	case err == nil:
		s.lookTook = (3*s.lookTook + l.end.Sub(l.start)) / 4
		s.merge(ctx, f, l, source{})
	case errors.Is(err, errMoved):
		s.plan.surveyAt = time.Now()
		s.putOff(f)
	case IsGone(err):
		s.vanished(f)
	default:
		s.failed(ctx, f, err)
	}
}

// putOff puts off the next look at a folder that cannot be looked at now.
func (s *settler) putOff(f *folder) {
	if f.live == nil || f.live.underway {
		return
	}
	pause := max(pollWatched, s.lookShare())
	if denied(f.live.err) != nil {
		pause = min(pause, pollDenied)
	}
	s.queue.schedule(f, time.Now().Add(pause))
}

// vanished: a look did not find the folder. Only whole reads conclude from that.
func (s *settler) vanished(f *folder) {
	switch {
	case f.missed != nil || f.aside:
		s.drop(f)
	case f.told || f.born == 0:
		s.plan.suspect = true
		s.plan.hasten(time.Now())
		s.putOff(f)
	default:
		s.drop(f)
		delete(s.folders, f.path)
	}
}

// failed notes that a folder is there and cannot be read. Its last listing stays.
func (s *settler) failed(ctx context.Context, f *folder, err error) {
	f.seen, f.missed = s.plan.number, nil
	s.awaken(f)
	news := f.live.err == nil || f.live.err.Error() != err.Error()
	f.live.err = err
	if news {
		s.tell(ctx, f)
	}
	s.putOff(f)
}

// source says how a listing came about.
type source struct {
	counts bool           // by a reading of the tree, and events should have told before
	answer func(Snapshot) // for Look; nil = none
}

// merge takes a listing in and sends a Snapshot when it holds news.
func (s *settler) merge(ctx context.Context, f *folder, l listing, from source) {
	f.id, f.changed, f.seen, f.listed = l.id, l.changed, s.plan.number, s.plan.number
	back := !f.told || f.missed != nil
	f.missed, f.aside = nil, false
	other := s.takeBeside(ctx, f, l)
	if s.calm(f, l) && from.answer == nil {
		s.drop(f)
		if back || other {
			s.tell(ctx, f)
		}
		return
	}
	s.awaken(f)
	v := f.live
	failed, news := v.err != nil, false
	if !l.start.Before(v.last.start) { // else something newer is known already
		s.countMissed(f, l, from)
		first := v.last.start.IsZero()
		news = v.take(l, f.idlePrint, s.at.rule(s.root.Settle)) || other
		if other && len(l.files[names.Frame]) == 0 {
			v.changed = l.end
		}
		if !first && v.changed.Equal(l.end) {
			s.shots.wrote(f.path, l.end.Add(s.shotFor(f)))
		}
	}
	if from.answer != nil {
		from.answer(s.snapshot(f))
	}
	if news || back || failed || v.resend {
		s.tell(ctx, f)
	}
	s.settle(f)
}

// shotFor is how long a folder that a look found changed counts as being shot. Where no event tells
// of the next frame, a look does, so that it lasts until after that.
func (s *settler) shotFor(f *folder) time.Duration {
	if s.watches.Has(f.path) {
		return shootingLasts
	}
	return shootingLasts + min(s.pollEvery(f), pollWatched)
}

// calm reports whether an idle folder has not changed, and no other look at it is wanted.
func (s *settler) calm(f *folder, l listing) bool {
	if f.idlePrint.IsZero() || l.print != f.idlePrint {
		return false
	}
	v := f.live
	return v == nil ||
		v.last.start.IsZero() && v.err == nil && len(v.touched) == 0 && !v.resend && !v.hinted[1].After(l.start)
}

// idleAfter is the time without a change after which a folder becomes idle by itself. SetIdle does
// so earlier.
const idleAfter = 10 * time.Minute

// settle decides what becomes of a folder after a look.
func (s *settler) settle(f *folder) {
	v := f.live
	quiet := v.last.end.Sub(v.changed)
	if v.still() && (v.last.print == f.idlePrint || quiet >= idleAfter) {
		f.becomeIdle(v.last.print)
		s.drop(f)
		return
	}
	s.reschedule(f)
}

// countMissed notes a change that was found by reading, and counts it when a second later still no
// event has told.
func (s *settler) countMissed(f *folder, l listing, from source) {
	v := f.live
	if !v.untold.IsZero() && l.start.Sub(v.untold) >= time.Second {
		v.untold = time.Time{}
		s.distrust()
	}
	if from.counts && l.print != v.last.print && len(v.touched) == 0 && v.hinted[0].IsZero() {
		v.untold = l.end
	}
}
