package daemon

import (
	"slices"
	"strings"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// files are the product folders below the roots, and the roots as the system answers for them.
type files struct{ *watcher.Watcher }

// rootStatus is the status of the roots, with the command by which a person accepts an untrusted
// one.
func (w files) rootStatus() []watcher.RootStatus {
	all := w.Roots()
	for i, r := range all {
		if r.Untrusted && !r.Online {
			all[i].Reason += "; " + status.HowToAccept(r.Path)
		}
	}
	return all
}

// hungRoots are those that the system does not answer for at present.
func (w files) hungRoots() map[string]bool {
	hung := map[string]bool{}
	for _, r := range w.Roots() {
		if r.Hung {
			hung[r.Path] = true
		}
	}
	return hung
}

// readable reports whether a root is online and was read, or is only now being read for the first
// time.
func (w files) readable(root string) bool {
	return slices.ContainsFunc(w.Roots(), func(r watcher.RootStatus) bool {
		return r.Path == root && (r.Online && !r.LastRead.IsZero() || r.Unread)
	})
}

// offlineRoots names all roots that cannot be read, with the remedies, or is "".
func (w files) offlineRoots() string {
	return strings.Join(Status{Roots: w.rootStatus()}.OfflineRoots(), "; ")
}

// offline says why a root that was read before cannot be read now; nil when it can.
func (w files) offline(root string) *status.Cause {
	for _, r := range w.rootStatus() {
		if r.Path == root && !r.Online && !r.LastRead.IsZero() {
			return &status.Cause{Kind: status.RootOffline, Said: "the root " + r.Path + " " + r.Reason}
		}
	}
	return nil
}

func (w files) onNetwork(root string) bool {
	return slices.ContainsFunc(w.Roots(), func(r watcher.RootStatus) bool {
		return r.Path == root && r.Network
	})
}
