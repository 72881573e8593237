package reading

import (
	"slices"
	"strings"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// Files are the product folders below the roots, and the roots as the system answers for them.
type Files struct {
	Watcher *watcher.Watcher
	Marks   *Marks // nil where no process follows that reads the same
}

// RootStatus is the status of the roots, with the command by which a person accepts an untrusted
// one, or lets the account read one.
func (w Files) RootStatus() []watcher.RootStatus {
	all := w.Watcher.Roots()
	for i, r := range all {
		switch {
		case r.Denied != nil:
			all[i].Reason = outcome.Unreadable(r.Denied)
		case r.Untrusted && !r.Online:
			all[i].Reason += ": connect the drive that belongs there; " + status.HowToAccept(r.Path)
		}
	}
	return all
}

// HungRoots are those that the system does not answer for at present.
func (w Files) HungRoots() map[string]bool {
	hung := map[string]bool{}
	for _, r := range w.Watcher.Roots() {
		if r.Hung {
			hung[r.Path] = true
		}
	}
	return hung
}

// Hung is why the work on a folder below a root may never return: the system does not answer a
// reading there. It is nil when all is well.
func (w Files) Hung(root string) *status.Cause {
	for _, r := range w.Watcher.Roots() {
		if r.Path == root && r.Hung {
			return offlineBecause(r)
		}
	}
	return nil
}

// Readable reports whether a root is online, or is only now being read for the first time.
func (w Files) Readable(root string) bool {
	return slices.ContainsFunc(w.Watcher.Roots(), func(r watcher.RootStatus) bool {
		return r.Path == root && !r.Offline()
	})
}

// IsEmptied reports whether a root is not believed because it holds no product folder any more.
func (w Files) IsEmptied(root string) bool {
	return slices.ContainsFunc(w.Watcher.Roots(), func(r watcher.RootStatus) bool { return r.Path == root && r.Emptied })
}

// OfflineRoots names all roots that cannot be read, with the remedies, or is "".
func (w Files) OfflineRoots() string {
	return strings.Join(status.Status{Roots: w.RootStatus()}.OfflineRoots(), "; ")
}

// offline is why a root that was read before cannot be read now; nil when it can.
func (w Files) offline(root string) *status.Cause {
	for _, r := range w.RootStatus() {
		if r.Path == root && !r.Online && !r.LastRead.IsZero() {
			return offlineBecause(r)
		}
	}
	return nil
}

func offlineBecause(r watcher.RootStatus) *status.Cause {
	return &status.Cause{Kind: status.RootOffline, Text: "the watched folder " + r.Path + " " + r.Reason}
}

func (w Files) onNetwork(root string) bool {
	return slices.ContainsFunc(w.Watcher.Roots(), func(r watcher.RootStatus) bool {
		return r.Path == root && r.Network
	})
}
