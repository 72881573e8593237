package plan

import (
	"time"

	"spinsync/daemon/status"
)

// notTaken says which photos in the folder are no frames, and why; nil for none.
func (s Scene) notTaken() []status.Cause {
	if s.Snapshot.NotTaken == nil {
		return nil
	}
	return []status.Cause{{Kind: status.SomeNotTaken, Said: status.NotTaken(s.Snapshot.NotTaken)}}
}

// planNoFrames is for a folder without frames. Photos that are not taken call a person when nothing
// has come beside them for long enough.
func (s Scene) planNoFrames() Step {
	others := s.notTaken()
	called := &status.Cause{Kind: status.OnlyNotTaken, Parts: others}
	switch {
	case others == nil:
		return Step{Action: Rest, State: status.Collecting, Cause: status.Because(status.NoFrames)}
	case s.isQuiet(), s.saidBefore(called):
		return NeedsPerson(called)
	}
	until := s.Snapshot.Changed.Add(max(s.Rules.Quiet, time.Second))
	none := &status.Cause{Kind: status.NoneTaken, Parts: others}
	return Step{Action: Wait, State: status.Collecting, Until: until, Quiet: until, Cause: none}
}
