package watcher

import (
	"time"

	"spinsync/watcher/volume"
)

// phase is how far a root can be read.
type phase int

const (
	unread  phase = iota // it was not read yet
	online               // it was read
	offline              // it may not be read
	hanging              // it may not be read, because the system does not answer
)

// condition is whether a root may be read, why not, and the volume below it.
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

// stillRule is how a folder's files become still.
type stillRule struct {
	settle time.Duration
	opened bool // a file becomes still only when read through an open handle: network drives
}
