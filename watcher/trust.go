package watcher

import "spinsync/watcher/volume"

// trust knows the volume of a root, and which volumes are where others were expected. A person may
// accept those that are untrusted at that time, and none that come later. The acceptance counts for
// the next whole read.
type trust struct {
	volume              volume.Identity // of the root, last
	untrusted, accepted strangers
	emptied             bool // the root is not believed because no product folder is left
}

// strangers are the volume of a root and those of mounts below it, by directory.
type strangers struct {
	root   *volume.Volume
	mounts map[string]unmountedDir
}

// An unmountedDir is a directory that is not trusted, because the drive that was mounted there is
// away or lacks all that it held.
type unmountedDir struct {
	why   string // completes the sentence that begins with the directory
	since uint32 // number of the reading that found it
}

// none reports whether there is nothing to accept.
func (s strangers) none() bool { return s.root == nil && len(s.mounts) == 0 }

// accepts reports whether a person accepted the root on this volume.
func (t *trust) accepts(v volume.Volume) bool { return t.accepted.root != nil && *t.accepted.root == v }

// acceptAll accepts what is untrusted, and reports whether anything is.
func (t *trust) acceptAll() bool {
	if t.untrusted.none() {
		return false
	}
	t.accepted, t.untrusted = t.untrusted, strangers{}
	return true
}

// takeMounts gives the accepted mounts to the one reading for which they count.
func (t *trust) takeMounts() map[string]unmountedDir {
	mounts := t.accepted.mounts
	t.accepted.mounts = nil
	return mounts
}

// confirm notes that a whole read found the root healthy on a volume.
func (t *trust) confirm(on volume.Volume) {
	if t.volume.IsZero() || t.accepts(on) {
		t.volume = on.Identity
	}
	t.accepted.root, t.emptied = nil, false
}

// forget drops what is untrusted or accepted, because the root went offline.
func (t *trust) forget() {
	t.untrusted, t.accepted, t.emptied = strangers{}, strangers{}, false
}
