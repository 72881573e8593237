package daemon

import (
	"slices"

	"spinsync/syncstate"
	"spinsync/watcher"
)

// A program may write into a file and put its time back. On a disk of the machine's own the time of
// its last change tells: it is kept for each frame from before it is sent to the finish, by the
// process that sends it.
type touch struct {
	changed int64
	stood   bool // for as long as settle, when it was about to be sent
	times   int  // that it was found to be another
}

// mostTouches ends the repeats where that time never comes to rest, as on some drives of other
// makers.
const mostTouches = 3

// touchedSince returns the frames that were changed in any way since they were sent, or read again
// because of that.
func (j *job) touchedSince(frames []watcher.File) []string {
	var touched []string
	for _, f := range frames {
		was, ok := j.touches[f.Name]
		if ok && was.changed != 0 && f.Changed != 0 && was.changed != f.Changed && was.times < mostTouches {
			j.touches[f.Name] = touch{changed: f.Changed, times: was.times + 1}
			touched = append(touched, f.Name)
		}
	}
	return touched
}

// readAgain has frames read before the finish as if they had been sent too early.
func (j *job) readAgain(names []string) error {
	for _, name := range names {
		delete(j.readings, name)
	}
	return j.update(func(r *syncstate.Record) error {
		for i := range r.Run.Frames {
			f := &r.Run.Frames[i]
			f.Early = f.Early || slices.Contains(names, f.Name)
		}
		return nil
	})
}
