package plan

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"spinsync/daemon/layout"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// A directory at the wrong depth for a product folder has a status of its own while it needs a
// person: it cannot be read, or photos lie in it that no product folder takes. The daemon never
// acts on it.

// planDirectory plans for a directory at the wrong depth. A product folder of an earlier layout
// keeps its record.
func (s Scene) planDirectory() Step {
	misplaced, is := errors.AsType[*watcher.MisplacedError](s.Facts.Snapshot.Err)
	switch {
	case is:
		return NeedsPerson(&status.Cause{Kind: status.Misplaced, Count: misplaced.Photos, Text: s.Facts.Rules.whereFrom(s.Facts.Snapshot, misplaced)})
	case s.Facts.Snapshot.Present && s.Facts.Snapshot.Err != nil:
		return unreadable(s.Facts.Snapshot.Err)
	case s.Facts.Snapshot.Absent.Reads == 0:
		return s.asRecorded()
	case s.Record.Product.UUID != "" || s.Record.Run != nil:
		return Step{Action: Wait, State: status.Published}
	}
	return Step{Action: Forget, State: status.Missing, Cause: status.Because(status.NoLongerWrong)}
}

// whereFrom describes where photos lie, and where product folders are expected.
func (r Rules) whereFrom(s watcher.Snapshot, misplaced *watcher.MisplacedError) string {
	what := fmt.Sprintf("its photo %s is not used: move it", status.Name(misplaced.First))
	if misplaced.Photos > 1 {
		what = fmt.Sprintf("its %d photos, such as %s, are not used: move them",
			misplaced.Photos, status.Name(misplaced.First))
	}
	const says = "%s; %s, or change layout or ignore in sync.toml"
	return fmt.Sprintf(says, WrongDepth(s.Root, s.Folder, r.Layout), what)
}

// WrongDepth describes where a folder of the wrong depth lies, and where product folders are
// expected.
func WrongDepth(root, folder string, l layout.Layout) string {
	root = path.Base(filepath.ToSlash(root))
	where := status.Name(root+"/"+folder) + " lies " + depthInWords(folder, l)
	if folder == "." {
		where = status.Name(root) + " is the watched folder itself"
	}
	return fmt.Sprintf("%s; product folders belong at %s", where, l.Example())
}

func depthInWords(folder string, l layout.Layout) string {
	switch level := watcher.Level(folder); {
	case level > l.Depth():
		return "in a product folder"
	case level == 1:
		return "directly in the watched folder"
	default:
		return fmt.Sprintf("%d directories below the watched folder", level)
	}
}
