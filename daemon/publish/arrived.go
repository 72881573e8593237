package publish

import (
	"spinsync/daemon/sending"
	"spinsync/syncstate"
)

// The arrival of a frame cannot be recorded while the disk of the state file is full. The job keeps
// it, and records it as soon as the file can be written, before it plans anything else. Without
// that the frame would be sent a second time.

// An arrival is a frame that the upload host took.
type arrival struct {
	index  int // in the run
	frame  syncstate.RunFrame
	policy string // of the form that it was sent with; every form has its own
}

// A sentFrame is how the upload of one frame ended, with the arrival that could not be recorded.
type sentFrame struct {
	sending.Sent
	arrived *arrival
}

// markArrived records the arrivals that the run still waits for.
func (w *sentFrames) markArrived() error {
	for len(w.arrived) > 0 {
		record, err := w.Records.Record(w.Key)
		if err != nil {
			return err
		}
		if first := w.arrived[0]; first.isOpen(record.Run) {
			if err := w.Records.MarkUploaded(w.Key, first.index, first.frame); err != nil {
				return err
			}
			w.Board.FrameSent(w.Key)
		}
		w.arrived = w.arrived[1:]
	}
	return nil
}

// isOpen reports whether a run waits for exactly this frame, sent with exactly this form.
func (a arrival) isOpen(run *syncstate.Run) bool {
	if !run.In(syncstate.Sending) || run.Form.Policy != a.policy || a.index >= len(run.Frames) {
		return false
	}
	frozen := run.Frames[a.index]
	return !frozen.Uploaded && frozen.Same(a.frame.File)
}
