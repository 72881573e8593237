package publish

import (
	"time"

	"spinsync/daemon/plan"
)

// look notes when a folder that an earlier process knew was first looked at.
func (j *Job) look() {
	if !j.Recalled || j.Snapshot.Idle || !j.Snapshot.Present || len(j.Snapshot.Frames) == 0 {
		return
	}
	j.Recalled = false
	for _, f := range j.Snapshot.Frames {
		if f.Since.After(j.firstLook) {
			j.firstLook = f.Since
		}
	}
}

// A Condition is how the frames of a folder stand.
type Condition struct {
	Arrival  time.Time // see scene.arrival
	Settled  int       // frames; -1 as before
	Complete bool      // a whole set, each frame read
	Torn     string    // the frame that has to be made again; empty for none
	Broken   map[string]string
}

// notice puts on display how the frames stand.
func (j *Job) notice(s plan.Scene) {
	if !s.Snapshot.Present || s.Snapshot.Err != nil {
		return
	}
	complete, g := s.IsSet()
	c := Condition{Arrival: s.Arrival(), Settled: -1, Complete: complete, Torn: g.Torn, Broken: g.BrokenFrames()}
	if !s.Snapshot.Idle {
		c.Settled = s.Settled()
	}
	j.Board.Notice(j.Key, c)
}
