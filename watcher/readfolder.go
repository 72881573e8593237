package watcher

import (
	"context"
	"errors"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
)

// A second read begins while the first goes on when the next one has waited this long; more than
// four never run.
const (
	readPatience = 20 * time.Millisecond
	mostReads    = 4
)

// readDue begins the reads that are due and gives the time of the next.
func (s *settler) readDue(ctx context.Context, now time.Time) time.Time {
	for len(s.queue) > 0 && !s.at.offline() && s.reads < mostReads && s.at.surveyed() {
		f := s.queue[0]
		due := f.live.due.Add(time.Duration(s.reads) * readPatience)
		if due.After(now) {
			return due
		}
		s.begin(ctx, f)
	}
	return now.Add(time.Hour)
}

// begin begins the scheduled read of a folder.
func (s *settler) begin(ctx context.Context, f *folder) {
	s.reads++
	f.live.underway = true
	s.queue.schedule(f, time.Now().Add(time.Hour))
	if s.watches.lazy {
		s.watches.make(ctx, time.Now(), s.at.on)
	}
	ripe := func() []string { return f.live.ripe(time.Now(), s.at.rule(s.stillAfter).settle) }
	s.read(ctx, f, s.disk.adder(s.watches.set), ripe, func(ctx context.Context, f *folder, l listing, err error) {
		s.reads--
		if f.live != nil {
			f.live.underway = false
		}
		s.takeRead(ctx, f, l, err)
	})
}

// read reads a folder in another goroutine, which watches it before; done runs in the owner's. A
// folder that was forgotten during the read is a new one. On a network drive the files that handles
// names are asked through one, unless the folder is idle.
func (s *settler) read(
	ctx context.Context, f *folder, watch func(string, events.Rank), handles func() []string,
	done func(context.Context, *folder, listing, error),
) {
	path, g, mounts := f.path, s.at.on, mountsOver(s.status.getMounts(), f.path)
	var open []string
	if s.at.rule(s.stillAfter).opened && f.live != nil {
		open = handles()
	}
	s.loop.spawn(ctx, func() func(context.Context) {
		watch(path, events.ActiveFolder)
		l, err := s.disk.readFolder(path, g, mounts, open)
		l.opened = open
		return func(ctx context.Context) { done(ctx, s.folders.at(path), l, err) }
	})
}

// take takes in what a reading of the tree found about one folder. It counts if events should have
// reported that before.
func (s *settler) take(ctx context.Context, what found, counts bool) {
	known := s.folders.all[what.folder] != nil
	f := s.folders.at(what.folder)
	f.seen = s.folders.reading
	switch {
	case what.err != nil:
		s.failed(ctx, f, what.err)
	case what.listing != nil && what.listing.bare && !s.calm(f, *what.listing): // changed since then
		s.readNow(f)
	case what.listing != nil:
		s.merge(ctx, f, *what.listing, source{counts: counts && s.watched(f, known)})
	case what.changed != 0 && what.changed != f.changed || !f.reported:
		s.readNow(f)
	}
}

// watched reports whether a change in the folder, or its appearance, should have sent events.
func (s *settler) watched(f *folder, known bool) bool {
	if !known {
		return s.watches.set.Complete()
	}
	return s.watches.set.Has(f.path)
}

// takeRead takes in what a read of one folder found.
func (s *settler) takeRead(ctx context.Context, f *folder, l listing, err error) {
	switch {
	case s.at.offline():
		s.putOff(f)
	case err == nil:
		s.readTook = (3*s.readTook + l.end.Sub(l.start)) / 4
		s.merge(ctx, f, l, source{})
	case errors.Is(err, errMoved):
		s.above.surveySoon()
		s.putOff(f)
	case IsGone(err):
		s.vanished(f)
	default:
		s.failed(ctx, f, err)
	}
}

// putOff puts off the next read of a folder that cannot be read now.
func (s *settler) putOff(f *folder) {
	if f.live == nil || f.live.underway {
		return
	}
	pause := max(pollWatched, s.readShare())
	if denied(f.live.err) != nil {
		pause = min(pause, pollDenied)
	}
	s.queue.schedule(f, time.Now().Add(pause))
}

// vanished: a read did not find the folder. Only reads of the whole tree conclude from that.
func (s *settler) vanished(f *folder) {
	switch {
	case f.missed != nil || f.aside:
		s.drop(f)
	case f.reported || f.born == 0:
		s.above.proveAbsence()
		s.putOff(f)
	default:
		s.remove(f)
	}
}

// failed notes that a folder is there and cannot be read. Its last listing stays.
func (s *settler) failed(ctx context.Context, f *folder, err error) {
	f.seen, f.missed = s.folders.reading, nil
	s.awaken(f)
	news := f.live.err == nil || f.live.err.Error() != err.Error()
	f.live.err = err
	if news {
		s.report(ctx, f)
	}
	s.putOff(f)
}

// source is how a listing came about.
type source struct {
	counts bool           // by a reading of the tree, and events should have come before
	answer func(Snapshot) // for ReadFolder; nil = none
}

// merge takes a listing in and sends a Snapshot when it holds news.
func (s *settler) merge(ctx context.Context, f *folder, l listing, from source) {
	f.id, f.changed, f.seen, f.listed = l.id, l.changed, s.folders.reading, s.folders.reading
	back := !f.reported || f.missed != nil
	if f.aside { // its drive is back, and proves nothing about the folders of another one
		f.aside, f.born = false, s.folders.reading
	}
	f.missed = nil
	other := s.takeBeside(ctx, f, l)
	if s.calm(f, l) && from.answer == nil {
		s.drop(f)
		if back || other {
			s.report(ctx, f)
		}
		return
	}
	s.awaken(f)
	v := f.live
	blind, news := v.err != nil || s.at.offline(), false
	if !l.start.Before(v.last.start) { // else something newer is known already
		s.countMissed(f, l, from)
		first := v.last.start.IsZero()
		if first {
			v.kept = f.keptAtRest(l.files[names.Frame])
		}
		news = v.take(l, f.idlePrint, s.at.rule(s.stillAfter), blind) || other
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
	if news || back || blind || v.resend {
		s.report(ctx, f)
	}
	s.settle(f)
}

// takeBeside takes in what does not belong in the folder, and reports whether the photos that are
// not taken are others than before.
func (s *settler) takeBeside(ctx context.Context, f *folder, l listing) (news bool) {
	before := f.beside
	f.beside = l.beside
	if below := before.directories(); below != nil || l.beside.directories() != nil {
		s.troubled.report(ctx, l.beside.directories(), func(dir string) bool { return within(f.path, dir) })
	}
	return !before.notTaken().Same(l.beside.notTaken())
}

// shotFor is how long a folder that a read found changed counts as being shot. Where no event
// reports the next frame, the next read does, so it lasts until after that.
func (s *settler) shotFor(f *folder) time.Duration {
	if s.watches.set.Has(f.path) {
		return shootingLasts
	}
	return shootingLasts + min(s.pollEvery(f), pollWatched)
}

// calm reports whether an idle folder has not changed, and no other read of it is wanted.
func (s *settler) calm(f *folder, l listing) bool {
	if f.idlePrint.IsZero() || l.print != f.idlePrint {
		return false
	}
	v := f.live
	return v == nil ||
		v.last.start.IsZero() && v.err == nil && len(v.touched) == 0 && !v.resend && !v.hinted[1].After(l.start)
}

// idleAfter is the time without a change after which a folder becomes idle by itself, unless it holds
// photos of two shoots, which an idle folder does not tell apart. SetIdle does so earlier.
const idleAfter = 10 * time.Minute

// settle decides what becomes of a folder after a read.
func (s *settler) settle(f *folder) {
	v := f.live
	quiet := v.last.end.Sub(v.changed)
	if v.still() && (v.last.print == f.idlePrint || quiet >= idleAfter && v.kept == nil) {
		f.becomeIdle(v.last.print)
		s.drop(f)
		return
	}
	s.reschedule(f)
}

// countMissed notes a change that was found by reading, and counts it when a second later still no
// event has come.
func (s *settler) countMissed(f *folder, l listing, from source) {
	v := f.live
	if !v.unannounced.IsZero() && l.start.Sub(v.unannounced) >= time.Second {
		v.unannounced = time.Time{}
		s.above.distrust()
	}
	if from.counts && l.print != v.last.print && len(v.touched) == 0 && v.hinted[0].IsZero() {
		v.unannounced = l.end
	}
}
