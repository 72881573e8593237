package publish

import (
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A runner brings a run forward on the service: announced, finished, processed, collected.
type runner struct {
	*inquiry
	sent  *sentFrames
	texts *describer
}

// startOver gives up the sent frames, so that the folder is uploaded again. The pauses before that
// grow, and after a few times in a row a person is asked: another station may upload to the same
// view, or the service may list other images each time.
func (w runner) startOver(run *syncstate.Run, because string) error {
	again := Afresh(run)
	again.Setbacks.Overtaken++
	if err := w.Update(func(r *syncstate.Record) error { r.Run = again; return nil }); err != nil {
		return err
	}
	why := &status.Cause{Kind: status.Overtaken, Said: because}
	if pause, patient := w.tries(again.Setbacks.Overtaken); patient {
		return outcome.Later(time.Now().Add(pause), why, nil)
	}
	why.Remedy = "see that nobody else uploads to this view, or " + outcome.AskSupport + ", then " + status.RetryCommand
	return outcome.Person(why)
}

// Afresh is a run that is still to begin, in place of a failed run. It uploads the folder even if
// the same frames are recorded as published.
func Afresh(given *syncstate.Run) *syncstate.Run {
	run := &syncstate.Run{Reupload: true}
	if given != nil {
		run.Carry, run.Setbacks.Overtaken = given.Carry, given.Setbacks.Overtaken
	}
	return run
}
