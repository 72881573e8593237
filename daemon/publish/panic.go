package publish

import (
	"log/slog"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Panics in the work on one folder do not affect the others: the folder waits for a while, and
// after the third one for a person.
type panics struct {
	record *ledger
	screen *screen
	folder *reading.Folder
	pace   pace
	log    *slog.Logger
}

// park makes a folder wait whose work panicked.
func (pa panics) park(p *outcome.Outcome) (last plan.Step) {
	pa.log.Error("the work on a folder panicked",
		"folder", pa.record.key.Path, "panic", p.Err, "stack", string(p.Stack))
	err := outcome.Guard(func() (err error) {
		last, err = pa.recordPanic()
		return err
	})
	switch {
	case outcome.Is(err, outcome.Panicked):
		return plan.NeedsPerson(status.Because(status.InternalErrors))
	case err != nil:
		return pa.record.notRecorded(err)
	}
	return last
}

func (pa panics) recordPanic() (plan.Step, error) {
	var s plan.Scene
	err := pa.record.change(func(r *syncstate.Record) {
		now := time.Now()
		r.Panics++
		r.Trouble = &syncstate.Trouble{
			Kind: syncstate.NeedsPerson, Cause: status.Because(status.InternalErrors), At: now, Content: pa.folder.Content(),
		}
		if pause, patient := pa.pace.tries(r.Panics); patient {
			r.Trouble.Kind, r.Trouble.Cause = syncstate.Retried, status.Because(status.InternalError)
			r.Trouble.Tries = syncstate.Tries{N: r.Panics, Next: now.Add(pause)}
		}
		s = plan.Scene{Now: now, Record: *r, Facts: plan.Facts{
			Snapshot: pa.folder.Snapshot, Readings: pa.folder.Readings, Rules: pa.folder.Root.Rules,
		}}
	})
	if err != nil {
		return plan.Step{}, err
	}
	s.Set = plan.Judge(s.Facts, s.Record, s.Now) // which may be what panicked
	last := s.PlanTrouble()
	pa.screen.show(last, s)
	return last, nil
}
