package daemon

import (
	"cmp"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// The board answers here what the work on one folder asks about the others.

// IsMissed reports whether the last whole reads did not find a folder. They look for none that is
// ignored.
func (b *board) IsMissed(key syncstate.Folder) (missed bool) {
	b.folders.with(key, func(f *folder) { missed = f.gone })
	return missed || b.ignores(key)
}

// ignores reports whether sync.toml leaves a product folder of a watched root alone.
func (b *board) ignores(key syncstate.Folder) bool {
	r, watched := b.roots[key.Root]
	return watched && r.Ignores(key.Path)
}

// lately is how long a folder that is gone may come back with other photos.
const lately = 24 * time.Hour

// Candidates lists what a folder with these frames may have been before: the folders that the last whole
// reads did not find, for a day, and those that were last read with one of these very files. Another root
// may be read long after a folder left it.
func (b *board) Candidates(frames []watcher.File) (found []syncstate.Folder) {
	ids := map[volume.FileID]bool{}
	for _, frame := range frames {
		if frame.ID != 0 {
			ids[frame.ID] = true
		}
	}
	for f := range b.folders.each {
		missed := f.gone && (f.status.State != status.Missing || time.Since(f.status.Since) < lately)
		if missed || slices.ContainsFunc(f.frames, func(frame watcher.File) bool { return ids[frame.ID] }) {
			found = append(found, f.key)
		}
	}
	return found
}

// Around is what a folder's next step depends on apart from the folder. The others matter only to
// an absent folder that is to be deleted or forgotten; absent is nil for a present one. A folder
// without a product that holds as many bytes, or most of the very files, may be that folder under
// another name or in another root, which is certain only once it is complete.
func (b *board) Around(key syncstate.Folder, record syncstate.Record, absent *watcher.Absence) plan.Around {
	around := plan.Around{AllPaused: !b.folders.allPaused().IsZero(), Twin: absent == nil && b.hasTwin(key)}
	if absent == nil || !b.roots[key.Root].Rules.DeleteGone && record.Absence.Removal == "" {
		return around
	}
	around.MayStandIn = b.mayStandIn(key.Root, absent.Since)
	was, files, met, with := b.publisher.Records.Index.SizeOf(key), renamed.FilesOf(record), false, false
	b.folders.with(key, func(f *folder) { met = f.met })
	for f := range b.folders.each {
		switch {
		case f.gone:
			with = with || f.key.Root == key.Root && f.key != key && f.wentWith(absent.Since, met)
		case f.status.Cause.Is(status.Misplaced):
			photos := f.status.Cause.Count
			if photos == 0 || photos >= was.Images { // 0: they could not be counted
				around.Unsure = status.MayDeleteMisplaced
			}
		case f.status.Product != "":
		case f.unread:
			around.Unsure = cmp.Or(around.Unsure, status.MayDeleteUnread)
		case f.mayBe(files, was):
			around.MaybeMoved = true
		}
	}
	if with {
		around.Unsure = status.MayDeleteMany
	}
	return around
}

// hasTwin reports whether a folder of a fleet stands beside one that some systems show under the same name.
func (b *board) hasTwin(key syncstate.Folder) bool {
	if !b.roots[key.Root].Rules.Fleet || norm.NFD.String(key.Path) == key.Path {
		return false
	}
	for f := range b.folders.each {
		if other := f.key; other != key && other.Root == key.Root && !f.gone &&
			!norm.NFC.IsNormalString(other.Path) && norm.NFC.String(other.Path) == key.Path {
			return true
		}
	}
	return false
}

// atOnce is how far apart folders go that may have gone together, as with a drive that fails or a
// directory that is removed slowly. It is longer than the watcher waits for its next whole read by itself.
const atOnce = 30 * time.Minute

// wentWith reports whether a folder that is gone, and that may have a view, may have gone together
// with another one that is missed since a time. A folder that this process never met may have gone at any
// time before.
func (f *folder) wentWith(since time.Time, met bool) bool {
	apart := since.Sub(f.went)
	if apart < 0 {
		apart, met = -apart, f.met
	}
	mayHaveView := f.status.Product != "" || f.begun || f.status.AwaitsComparison()
	return mayHaveView && (apart <= atOnce || !met)
}

// mayStandIn is another root to which a folder that is gone since a time may have moved, empty for
// none. That root cannot be read at present, or it sends no events and was not read since.
func (b *board) mayStandIn(root string, since time.Time) string {
	for _, r := range b.publisher.Files.Watcher.Roots() {
		untold := r.Network || b.roots[r.Path].Poll
		if r.Path != root && (!r.Online || untold && r.LastRead.Add(-r.ReadTook).Before(since)) {
			return r.Path
		}
	}
	return ""
}

// Namesake is another folder that is present and has this SKU and title, in that project or,
// without one, in any; empty for none.
func (b *board) Namesake(key syncstate.Folder, in apiclient.Project, sku, title string) string {
	for f := range b.folders.each {
		is, err := f.root.Rules.ProductOf(f.key.Path, config.Product{SKU: f.status.SKU, Title: f.status.Title})
		if err != nil || f.key == key || f.gone || !hosting.SameLetters(is.SKU, sku) || !hosting.SameLetters(is.Title, title) {
			continue
		}
		if in.UUID == "" || is.Project == in.UUID || hosting.SameLetters(is.Project, in.Title) {
			return f.key.Path
		}
	}
	return ""
}

// mayBe reports whether a folder holds as many bytes as another one, or most of its very files: it may
// be that one under another name.
func (f *folder) mayBe(files renamed.Files, was plan.SizeKey) bool {
	return files.AreMostlyIn(f.frames) || was.Images > 0 && f.bytes() == was.Bytes
}

// MayStandElsewhere reports whether a folder without a product may be a folder that is gone, under another
// name. The folder that asks does not count.
func (b *board) MayStandElsewhere(gone, asking syncstate.Folder, files renamed.Files) bool {
	was := b.publisher.Records.Index.SizeOf(gone)
	for f := range b.folders.each {
		if !f.gone && f.key != asking && f.status.Product == "" && f.mayBe(files, was) {
			return true
		}
	}
	return false
}

// Holds reports whether a folder without a product holds most of the very files of another one.
func (b *board) Holds(files renamed.Files) bool {
	for f := range b.folders.each {
		if !f.gone && f.status.Product == "" && files.AreMostlyIn(f.frames) {
			return true
		}
	}
	return false
}

// Hold takes a folder that no worker has, and keeps it from all workers until release. It reports
// whether the folder's run is unchecked.
func (b *board) Hold(key syncstate.Folder) (unchecked bool, release func(), free bool) {
	if b.ignores(key) {
		return true, func() {}, true // no worker ever has it
	}
	free = b.folders.hold(key, func(f *folder) {
		b.queue.Remove(f.key)
		unchecked, release = b.jobOf(f).Unchecked(), func() { b.finished(f, f.last) }
	})
	return unchecked, release, free
}

// Renamed follows a record that moved. The photos came under the earlier name. The product is shown
// at once: else it would be missing in one status, and look new in the next.
func (b *board) Renamed(from, to syncstate.Folder) {
	if was, known := b.display.Last(from); known {
		b.folders.change(to, func(is *folder) bool {
			is.status.Arrived, is.status.Live = was.Arrived, was.Live
			is.status.Project, is.status.Product, is.status.Title, is.status.SKU = was.Project, was.Product, was.Title, was.SKU
			return true
		})
	}
	b.Forget(from)
}
