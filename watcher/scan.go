package watcher

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Between whole reads a directory scan lists the directories above product folders where some
// folders have no watch, so that a new folder is found soon. Some scans also read the times of all
// product folders, and each scan lists the files of some folders that became idle lately. Directory
// times do not show that a frame was overwritten.
const (
	scanEvery  = 5 * time.Second
	timesEvery = 2 * time.Second  // where there are no watches at all
	timesSlow  = 10 * time.Second // on network drives, and where some folders have no watch
	timesIdle  = 30 * time.Second // when nothing has happened for long
	lately     = 7 * 24 * time.Hour
	// turnEvery is the time in which the files of all folders that became idle lately are listed.
	turnEvery = 20 * time.Second
	scanShare = 10 // scans may take one part in 10 of the time
)

// scans reports whether directories are scanned between whole reads, because some product folders
// have no watch.
func (t *tree) scans() bool { return t.at.phase == online && !t.watches.set.Complete() }

// turn gives the listings of folders whose files the next scan lists: of those that became idle
// lately and have no watch, the ones that were listed longest ago, as many as are due and as the
// scans' share of the time allows if one takes listTook.
func (s *settler) turn(now time.Time, listTook time.Duration) map[string]Fingerprint {
	var recent []*folder
	for _, f := range s.folders.all {
		if f.live == nil && f.missed == nil &&
			now.Unix()-f.idleSince < int64(lately/time.Second) && !s.watches.set.Has(f.path) {
			recent = append(recent, f)
		}
	}
	slices.SortFunc(recent, func(a, b *folder) int {
		return cmp.Or(cmp.Compare(a.listed, b.listed), strings.Compare(a.path, b.path))
	})
	most := int(scanEvery / scanShare / max(listTook, time.Microsecond))
	due := int((time.Duration(len(recent))*scanEvery + turnEvery - 1) / turnEvery)
	idle := map[string]Fingerprint{}
	for _, f := range recent[:min(due, max(most, 1))] {
		idle[f.path] = f.idlePrint
	}
	return idle
}

// planScans decides when the next scan begins, and when one reads the times of product folders.
// Reading the times takes its share of the time from the next such scan alone: on a slow drive new
// folders are still found in time.
func (p *plan) planScans(r *reading, folders int, every time.Duration) {
	took := r.end.Sub(r.start)
	p.scanAt = r.end.Add(min(every, UntilTick(r.end, scanEvery)))
	switch {
	case r.walk.detail == timed:
		p.timesAt = r.end.Add(max(every, share*took))
	case r.walk.isWhole():
		p.timesAt, p.listTook = r.end.Add(every), took/time.Duration(max(folders, 1))
	case !r.walk.isBranches():
		p.scanAt = later(p.scanAt, r.end.Add(scanShare*took))
	}
	if n := len(r.walk.idle); r.walk.detail == named && n > 0 {
		p.listTook = (3*p.listTook + took/time.Duration(n)) / 4
	}
}

func (t *tree) timesEvery(now time.Time) time.Duration {
	every := timesEvery
	if t.at.on.Network || !t.watches.none() {
		every = timesSlow
	}
	return min(max(every, now.Sub(t.settler.lastNews)/6), timesIdle)
}
