package plan

import (
	"time"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// notTaken lists the photos in the folder that are no frames, and why; nil for none.
func notTaken(s watcher.Snapshot) []status.Cause {
	if s.NotTaken == nil {
		return nil
	}
	return []status.Cause{{Kind: status.SomeNotTaken, Text: status.NotTaken(s.NotTaken)}}
}

// planNoFrames is for a folder without frames. Photos that are not taken call a person when nothing
// has changed for long enough.
func (j *judge) planNoFrames() Step {
	others := notTaken(j.facts.Snapshot)
	switch {
	case others == nil && j.record.Published != nil:
		return Step{Action: Idle, State: status.Collecting, Cause: status.Because(status.NoFramesLeft)}
	case others == nil:
		return Step{Action: Idle, State: status.Collecting, Cause: status.Because(status.NoFrames)}
	case j.isQuiet():
		return NeedsPerson(&status.Cause{Kind: status.OnlyNotTaken, Parts: others})
	}
	until := j.facts.Snapshot.Changed.Add(max(j.facts.Rules.Quiet, time.Second))
	none := &status.Cause{Kind: status.NoneTaken, Parts: others}
	return Step{Action: Wait, State: status.Collecting, Until: until, QuietAt: until, Cause: none}
}
