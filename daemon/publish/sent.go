package publish

import (
	"slices"

	"spinsync/daemon/plan"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// sentFrames are the frames of one folder that were sent and are not finished.
type sentFrames struct {
	*ledger

	touches   map[string]plan.Touch // by name
	premature bool                  // a frame that was sent early had to be sent again
}

// mostTouches ends the repeats where the time of the last change never comes to rest, as on some
// drives of other makers.
const mostTouches = 3

// freeze writes down which files are about to be sent, before any byte of them leaves. A frozen
// frame that differs from its file later is the sign that the form holds something that must not be
// published. It returns the frames' indices in the run.
func (sf *sentFrames) freeze(s plan.Scene, unsent []watcher.File) ([]int, error) {
	stored, stood := s.FrameSet().Stored, s.Stood()
	if sf.touches == nil {
		sf.touches = map[string]plan.Touch{}
	}
	var indices []int
	again := false
	err := sf.Update(func(r *syncstate.Record) {
		indices = indices[:0]
		index := map[string]int{}
		for i, f := range r.Run.Frames {
			index[f.Name] = i
		}
		for _, f := range unsent {
			sf.touches[f.Name] = plan.Touch{Changed: f.Changed, Stood: stood, Times: sf.touches[f.Name].Times}
			frozen := syncstate.RunFrame{
				File: plan.FileOf(f), Stored: otherName(stored[f.Name], f.Name),
				Captured: s.CapturedAt(f), Early: !f.Still,
			}
			i, ok := index[f.Name]
			if !ok {
				i = len(r.Run.Frames)
				r.Run.Frames = append(r.Run.Frames, syncstate.RunFrame{})
			}
			again = again || r.Run.Frames[i].Early && r.Run.Frames[i].Uploaded
			r.Run.Frames[i] = frozen
			indices = append(indices, i)
		}
		s.Record.Run.Frames = r.Run.Frames
	})
	sf.premature = sf.premature || again
	return indices, err
}

// learn remembers the findings about a frame that came with the end of its upload.
func (sf *sentFrames) learn(sent sending.Sent) {
	if sent.Moved != "" {
		// The name may lead to another file, which was not touched: that proves nothing.
		delete(sf.touches, sent.Moved)
	}
	if sent.Corrupt != nil {
		sf.Remember(map[string]plan.Reading{sent.Corrupt.File.Name: *sent.Corrupt})
		delete(sf.touches, sent.Corrupt.File.Name)
	}
}

// touchedSince returns the frames that were changed in any way since they were sent, or read again
// because of that.
func (sf *sentFrames) touchedSince(frames []watcher.File) []string {
	var touched []string
	for _, f := range frames {
		was, ok := sf.touches[f.Name]
		if ok && was.Changed != 0 && f.Changed != 0 && was.Changed != f.Changed && was.Times < mostTouches {
			sf.touches[f.Name] = plan.Touch{Changed: f.Changed, Times: was.Times + 1}
			touched = append(touched, f.Name)
		}
	}
	return touched
}

// readAgain has frames read before the finish as if they had been sent too early.
func (sf *sentFrames) readAgain(names []string) error {
	for _, name := range names {
		delete(sf.Readings, name)
	}
	return sf.Update(func(r *syncstate.Record) {
		for i := range r.Run.Frames {
			f := &r.Run.Frames[i]
			f.Early = f.Early || slices.Contains(names, f.Name)
		}
	})
}

// mayHurry reports whether frames of the folder may be sent early. On a network drive the second
// reading costs more than the time that is gained.
func (sf *sentFrames) mayHurry() bool { return !sf.premature && !sf.OnNetwork() }

// notePremature notes that a frame was premature: it was sent early, and came to rest with other
// content.
func (sf *sentFrames) notePremature(sent []syncstate.RunFrame) {
	sf.premature = sf.premature || slices.ContainsFunc(sent, func(f syncstate.RunFrame) bool { return f.Early })
}

// otherName is the name on the service, where it is not the local one.
func otherName(stored, local string) string {
	if stored == "" || stored == local {
		return ""
	}
	return stored
}
