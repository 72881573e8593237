package publish

import "spinsync/syncstate"

// A runner brings a run forward on the service: announced, finished, processed, collected.
type runner struct {
	*inquiry
	sent  *sentFrames
	texts *describer
}

// startOver gives up the sent frames, so that the folder is uploaded again.
func (w runner) startOver(because error) error {
	w.Log.Warn("starting the upload again", "folder", w.Key.Path, "because", because)
	return w.Update(func(r *syncstate.Record) error { r.Run = Afresh(r.Run); return nil })
}

// Afresh is a run that is still to begin, in place of a failed run. It uploads the folder even if
// the same frames are recorded as published.
func Afresh(given *syncstate.Run) *syncstate.Run {
	run := &syncstate.Run{Reupload: true}
	if given != nil {
		run.Carry = given.Carry
	}
	return run
}
