package daemon

import (
	"path/filepath"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// The board answers here what the work on one folder asks about the others.

// IsMissed reports whether the last whole reads did not find a folder.
func (b *board) IsMissed(key syncstate.Folder) (missed bool) {
	b.with(key, func(f *folder) { missed = f.gone })
	return missed
}

// Around is what a folder's next step depends on beside the folder. The others matter only to one
// that is absent, which is nil for one that stands. A folder without a product that holds as many
// bytes may be that folder under another name or in another root, which is certain only once it is
// complete.
func (b *board) Around(key syncstate.Folder, absent *watcher.Absence) plan.Around {
	around := plan.Around{AllPaused: b.allPaused()}
	if absent == nil {
		return around
	}
	around.MayStandIn = b.mayStandIn(key.Root, absent.Since)
	b.mu.Lock()
	defer b.mu.Unlock()
	was, missed := b.Records.Index.SizeOf(key), 0
	for other, f := range b.folders {
		switch {
		case f.gone && other.Root == key.Root:
			missed++
		case f.gone:
		case was.Images > 0 && f.status.Product == "" && f.status.TotalBytes == was.Bytes:
			around.MaybeMoved = true
		}
	}
	around.ManyGone = missed > 1
	return around
}

// mayStandIn is another root to which a folder that is gone since a time may have moved, empty for none.
// Such a root cannot be read at present, or it sends no events and was not read since.
func (b *board) mayStandIn(root string, since time.Time) string {
	for _, r := range b.Files.Roots() {
		untold := r.Network || b.roots[r.Path].Watch.Poll
		if r.Path != root && (!r.Online || untold && r.LastRead.Add(-r.ReadTook).Before(since)) {
			return r.Path
		}
	}
	return ""
}

// Namesake is another folder that stands and has this SKU and title, in that project or, without one, in
// any; empty for none.
func (b *board) Namesake(key syncstate.Folder, in apiclient.Project, sku, title string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for other, f := range b.folders {
		is, err := f.root.Rules.ProductOf(other.Path, config.Product{SKU: f.status.SKU, Title: f.status.Title})
		if err != nil || other == key || f.gone || !hosting.SameLetters(is.SKU, sku) || !hosting.SameLetters(is.Title, title) {
			continue
		}
		if in.UUID == "" || is.Project == in.UUID || hosting.SameLetters(is.Project, in.Title) {
			return other.Path
		}
	}
	return ""
}

// New lists the folders of a root without a product that hold so many bytes, as far as that is
// known.
func (b *board) New(root string, bytes int64) (found []syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, f := range b.folders {
		size := f.status.TotalBytes
		if key.Root == root && !f.gone && f.status.Product == "" && (size == 0 || size == bytes) {
			found = append(found, key)
		}
	}
	return found
}

// Hold takes a folder that no worker has, and keeps it from all workers until release. It reports
// whether the folder's run is unchecked.
func (b *board) Hold(key syncstate.Folder) (unchecked bool, release func(), free bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok || f.busy {
		return false, nil, false
	}
	f.busy, f.dirty = true, true
	b.changes.generation++
	b.queue.Remove(f.key)
	return b.jobOf(f).Unchecked, func() { b.finished(f, f.last) }, true
}

// Forget drops a folder that is gone together with its product.
func (b *board) Forget(key syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove(key)
}

// Renamed follows a record that moved.
func (b *board) Renamed(from, to syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if was, is := b.folders[from], b.folders[to]; was != nil && is != nil {
		is.logged = was.logged
		if is.paused.IsZero() {
			is.paused = was.paused
		}
	}
	b.remove(from)
}

// NameInShell is a product folder as a person writes it behind `spinsync retry` in a shell: as the
// export names it, and with the root in front where another root has a folder of the same name.
func (b *board) NameInShell(key syncstate.Folder) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shellName(key)
}

// shellName is NameInShell for a caller that holds the mutex.
func (b *board) shellName(key syncstate.Folder) string {
	name := key.Path
	for root := range b.roots {
		if _, twin := b.folders[syncstate.Folder{Root: root, Path: key.Path}]; twin && root != key.Root {
			name = filepath.ToSlash(key.Root) + "/" + key.Path
		}
	}
	return status.ShellWord(name)
}
