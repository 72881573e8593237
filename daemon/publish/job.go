package publish

import (
	"context"
	"sync/atomic"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/renamed"
	"spinsync/syncstate"
)

// A Job is the work on one product folder: it plans one step after the other, and has the step done
// by the part that knows it. At most one worker runs a job at a time, and that worker owns all of
// it.
type Job struct {
	News   chan struct{} // holds one: a snapshot came while a worker had the folder
	Begun  bool          // a run of a product has begun that has not ended
	Folder *reading.Folder

	record      *ledger
	screen      *screen
	scenes      scenes
	keeper      Keeper
	heir        heir
	gate        gate
	reader      *reader
	uploading   *uploadStep
	parts       parts
	conclusions conclusions
	rest        rest
}

// Resume has the job go on where an earlier process or another job of the folder ended. abandoned
// counts how often a person gave up the run or the product.
func (j *Job) Resume(recalled, unchecked bool, abandoned *atomic.Int32) {
	j.Folder.Recalled, j.record.unchecked, j.record.abandoned = recalled, unchecked, abandoned
}

// Unchecked reports whether an earlier process began the run, and it was not compared with the
// service yet.
func (j *Job) Unchecked() bool { return j.record.unchecked }

// Command is a command of spinsync for the job's folder.
func (j *Job) Command(verb string) string { return j.screen.command(verb) }

// Scene gathers everything that the next step is decided from.
func (j *Job) Scene() (plan.Scene, error) {
	s, err := j.scenes.scene()
	if err != nil {
		return s, err
	}
	j.Begun = s.Record.Run != nil && s.Record.Product.UUID != ""
	s.UnderWay, s.Lookalikes = j.uploading.aloft(), j.parts.reconciler.comparer.awaits
	return s, nil
}

// Predecessor is the gone folder that this one was before, nil for none. It passes over those that
// are taken.
func (j *Job) Predecessor(
	ctx context.Context, s plan.Scene, taken func(renamed.Predecessor) bool,
) (*renamed.Predecessor, error) {
	return j.heir.search.Predecessor(ctx, s, taken)
}

// HasPhotosOf is the published folder whose photos this one has, which was never published; empty
// for none.
func (j *Job) HasPhotosOf(ctx context.Context, s plan.Scene) (name string, err error) {
	return j.heir.search.HasPhotosOf(ctx, s.Set)
}

// stepsInARow bounds how long one folder keeps others from their turn.
const stepsInARow = 64

// Work takes the steps that are owed until the folder must wait or rests, and returns that last
// step.
func (j *Job) Work(ctx context.Context) plan.Step {
	var last plan.Step
	j.screen.begin()
	err := outcome.Guard(func() error {
		last = j.takeSteps(ctx)
		return nil
	})
	j.uploading.bringDown(err)
	if outcome.Is(err, outcome.Panicked) {
		last = j.conclusions.park(outcome.Of(err))
	}
	if j.screen.pending != nil { // the status last shown is not recorded yet
		if err := j.record.changePatiently(func(*syncstate.Record) {}); err != nil {
			return j.record.notRecorded(err)
		}
	}
	return last
}

func (j *Job) takeSteps(ctx context.Context) plan.Step {
	for taken := 0; taken < stepsInARow || j.uploading.fly(); {
		j.Folder.Snapshot = j.keeper.TakeLatest(j.record.key, j.Folder.Snapshot)
		if !j.uploading.fly() { // else it belongs to the step that frames fly for
			taken++
			j.record.begin()
		}
		s, err := j.Scene()
		if err != nil {
			return j.record.notRecorded(err)
		}
		next := plan.Next(s)
		var stop *plan.Step
		switch {
		case j.uploading.fly():
			stop = j.takeBeside(ctx, s, next)
		case !next.Need.None():
			stop = j.reader.read(ctx, s, next)
		case next.Action == plan.Idle, next.Action == plan.Wait:
			return j.rest.settle(s, next)
		default:
			stop = j.take(ctx, s, next)
		}
		if stop != nil {
			return *stop
		}
		if ctx.Err() != nil && !j.uploading.fly() {
			return next
		}
	}
	return plan.Again(time.Now())
}

// takeBeside takes a step beside the frames that fly: it reads, or sends more frames. It puts off
// any other step until all have landed, because another form, a finish, a delete or a move of the
// record must not meet with a frame that is still to be acknowledged.
func (j *Job) takeBeside(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	j.screen.showFrames(s)
	if j.uploading.mayGrow() && ctx.Err() == nil {
		switch {
		case next.Action == plan.Upload:
			j.screen.show(next, s)
			_ = j.uploading.start(ctx, s, next) // the flights have its failure
		case !next.Need.None() && j.Folder.Read(ctx, s.Facts, next.Need) == nil:
			return nil
		}
	}
	return j.uploading.wait(ctx)
}

// take does one step. It returns a last step when the folder cannot go on.
func (j *Job) take(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	if last := j.gate.stops(s, next); last != nil {
		return last
	}
	j.screen.show(next, s)
	err := j.handlers()[next.Action](ctx, s, next)
	if j.uploading.fly() {
		return j.uploading.wait(ctx)
	}
	return j.conclusions.conclude(ctx, s, next, err)
}
