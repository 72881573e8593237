package daemon

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"spinsync/daemon/layout"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A directory at the wrong depth for a product folder has a status of its own while it needs a
// person: it cannot be read, or photos lie in it that no product folder takes. The daemon never
// acts on it.

// planDirectory plans for such a directory. A product folder of an earlier layout keeps its record.
func (s scene) planDirectory() step {
	misplaced, is := errors.AsType[*watcher.MisplacedError](s.snapshot.Err)
	switch {
	case is:
		return attention(&status.Cause{Kind: status.Misplaced, Said: s.rules.whereFrom(s.snapshot, misplaced)})
	case s.snapshot.Present && s.snapshot.Err != nil:
		return unreadable(s.snapshot.Err)
	case s.snapshot.Absent.Reads == 0:
		return s.asRecorded()
	case s.record.Product.UUID != "" || s.record.Intent != nil:
		return step{action: wait, state: Published}
	}
	return step{action: forget, state: Missing, cause: because(status.NoLongerWrong)}
}

// whereFrom says where photos lie, and where product folders are expected.
func (r rules) whereFrom(s watcher.Snapshot, misplaced *watcher.MisplacedError) string {
	what := fmt.Sprintf("its photo %s is not taken: move it", status.Name(misplaced.First))
	if misplaced.Photos > 1 {
		what = fmt.Sprintf("its %d photos, such as %s, are not taken: move them",
			misplaced.Photos, status.Name(misplaced.First))
	}
	const says = "%s; %s, or change layout or ignore in sync.toml"
	return fmt.Sprintf(says, WrongDepth(s.Root, s.Folder, r.layout), what)
}

// WrongDepth says where a folder lies that is at the wrong depth for a product folder, and where
// product folders are expected.
func WrongDepth(root, folder string, l layout.Layout) string {
	root = path.Base(filepath.ToSlash(root))
	where := status.Name(root+"/"+folder) + " lies " + depthInWords(folder, l)
	if folder == "." {
		where = status.Name(root) + " is the root"
	}
	expected := strings.NewReplacer("{", "", "}", "").Replace(l.String())
	return fmt.Sprintf("%s; product folders are expected at %s", where, expected)
}

func depthInWords(folder string, l layout.Layout) string {
	switch level := watcher.Level(folder); {
	case level > l.Depth():
		return "in a product folder"
	case level == 1:
		return "directly below the root"
	default:
		return fmt.Sprintf("%d directories below the root", level)
	}
}

// directory is the newest snapshot of a directory that is no product folder.
func (b *board) directory(key syncstate.Folder) (watcher.Snapshot, bool) {
	if b.roots[key.Root].rules.places(key.Path) {
		return watcher.Snapshot{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	switch {
	case !ok:
		return absent(key), true
	case f.newest != nil:
		return *f.newest, true
	}
	return f.snapshot(), true
}

// toldDirectories are the directories of a root that an earlier process reported.
func (b *board) toldDirectories(root string) []string {
	var all []string
	for key, f := range b.folders {
		if key.Root == root && f.status.Product == "" && !f.root.rules.places(key.Path) {
			all = append(all, key.Path)
		}
	}
	return all
}
