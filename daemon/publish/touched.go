package publish

import (
	"slices"

	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// mostTouches ends the repeats where that time never comes to rest, as on some drives of other
// makers.
const mostTouches = 3

// touchedSince returns the frames that were changed in any way since they were sent, or read again
// because of that.
func (j *Job) touchedSince(frames []watcher.File) []string {
	var touched []string
	for _, f := range frames {
		was, ok := j.touches[f.Name]
		if ok && was.Changed != 0 && f.Changed != 0 && was.Changed != f.Changed && was.Times < mostTouches {
			j.touches[f.Name] = plan.Touch{Changed: f.Changed, Times: was.Times + 1}
			touched = append(touched, f.Name)
		}
	}
	return touched
}

// readAgain has frames read before the finish as if they had been sent too early.
func (j *Job) readAgain(names []string) error {
	for _, name := range names {
		delete(j.Readings, name)
	}
	return j.Update(func(r *syncstate.Record) error {
		for i := range r.Run.Frames {
			f := &r.Run.Frames[i]
			f.Early = f.Early || slices.Contains(names, f.Name)
		}
		return nil
	})
}
