package publish

import (
	"time"

	"spinsync/daemon/plan"
)

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
