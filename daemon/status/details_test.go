package status

import "testing"

// Only a frame that waits is shown as broken: the reason concerns the file that is to be sent.
func TestOnlyAWaitingFrameIsBroken(t *testing.T) {
	reasons := map[string]string{"1.jpg": "it is cut off"}
	for _, state := range []FrameState{FrameWaiting, FrameArriving, FrameSent, FramePublished, FrameGone} {
		for _, name := range []string{"1.jpg", "2.jpg"} {
			f := FrameDetails{File: name, State: state}
			f.BreakFor(reasons)
			want := FrameDetails{File: name, State: state}
			if name == "1.jpg" && state == FrameWaiting {
				want.State, want.Reason = FrameBroken, reasons[name]
			}
			if f.State != want.State || f.Reason != want.Reason {
				t.Errorf("%s, %s: %s %q", name, state, f.State, f.Reason)
			}
		}
	}
}
