package watcher

import (
	"time"

	"spinsync/watcher/volume"
)

// phase says how a root fares.
type phase int

const (
	unread  phase = iota // it was not read yet
	online               // it was read
	offline              // it may not be read
	hanging              // it may not be read, because the system does not answer
)

// condition says whether a root may be read, why not, and what it stands on.
type condition struct {
	phase  phase
	reason string // why it is not online
	denied *AccessError
	since  time.Time
	on     volume.Volume // zero until it was surveyed
}

// become reports whether it is news.
func (c *condition) become(p phase, reason string) bool {
	if c.phase == p && c.reason == reason {
		return false
	}
	c.phase, c.reason, c.denied, c.since = p, reason, nil, time.Now()
	return true
}

func (c *condition) offline() bool { return c.phase >= offline }

func (c *condition) surveyed() bool { return c.on != volume.Volume{} }

// rule is how files become still there.
func (c *condition) rule(settle time.Duration) stillRule {
	if c.on.Network {
		return stillRule{settle: max(settle, 2*time.Second), opened: true}
	}
	return stillRule{settle: settle}
}

// trust says which volumes stand where others were expected. A person may accept those that are
// untrusted at that time, and none that come later. The acceptance counts for the next whole read.
type trust struct{ untrusted, accepted strangers }

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

// stillRule is how a folder's files become still.
type stillRule struct {
	settle time.Duration
	opened bool // a file becomes still only by a look through an open handle: network drives
}
