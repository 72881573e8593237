package publish

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/renamed"
	"spinsync/daemon/sending"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Job is the work on one product folder: it plans one step after the other, and has the step done
// by the part that knows it. At most one worker runs a job at a time, and that worker owns all of
// it.
type Job struct {
	News   chan struct{} // holds one: a snapshot came while a worker had the folder
	Begun  bool          // a run of a product has begun that has not ended
	Folder *reading.Folder

	record   *ledger
	screen   *screen
	scenes   scenes
	troubles troubles
	ask      *requests
	service  *hosting.Service
	watcher  *watcher.Watcher
	keeper   Keeper
	log      *slog.Logger

	flights *flights // nil while no frame is on its way
	unread  string   // why files could not be read the last time, as the log has it; empty once they were

	search     renamed.Search
	heir       heir
	sent       *sentFrames
	forms      forms
	uploader   uploader
	texts      *describer
	projects   projectFinder
	creator    creator
	starter    starter
	finisher   finisher
	poller     poller
	collector  collector
	upkeep     upkeep
	remover    remover
	reconciler reconciler
}

// NewJob is the work on a folder of which nothing was read.
func NewJob(p *Publisher, key syncstate.Folder, root *reading.Root) *Job {
	folder := reading.New(p.Files, key, root)
	screen := &screen{key: key, display: p.Display, log: p.Log}
	record := &ledger{
		key: key, root: root, records: p.Records, keeper: p.Keeper, abandoned: new(atomic.Int32), screen: screen,
	}
	j := &Job{
		News: make(chan struct{}, 1), Folder: folder, record: record, screen: screen,
		service: p.Service, watcher: p.Files.Watcher, keeper: p.Keeper, log: p.Log,
	}
	pace := pace{random: p.Random}
	ask := &requests{
		service: p.Service, key: key, poll: p.Poll, random: p.Random, log: p.Log, said: map[string]knowledge{},
	}
	j.ask = ask
	j.scenes = scenes{
		record: record, folder: folder, service: p.Service, around: p.Neighbours, poll: p.Poll,
	}
	j.troubles = troubles{
		record: record, records: p.Records, screen: screen, folder: folder,
		service: p.Service, pace: pace, metrics: p.Metrics, log: p.Log,
	}

	j.search = renamed.Search{
		Folder: folder, Files: p.Files, Store: p.Records.Store, Index: p.Records.Index, Others: p.Neighbours,
	}
	j.heir = heir{
		record: record, search: j.search, keeper: p.Keeper, log: p.Log,
		unwatched: unwatchedRoots{
			record: record, records: p.Records, folder: folder, roots: p.Unwatched, log: p.Log,
		},
	}
	finder := productFinder{
		record: record, service: p.Service, ask: ask, heir: j.heir, folder: folder,
	}
	j.projects = projectFinder{
		record: record, records: p.Records, service: p.Service, heir: j.heir,
	}
	j.creator = creator{
		record: record, service: p.Service, finder: finder, heir: j.heir, log: p.Log,
	}

	j.sent = &sentFrames{record: record, folder: folder}
	j.forms = forms{
		record: record, folder: folder, service: p.Service, slots: p.Slots, pace: pace, metrics: p.Metrics,
	}
	frames := frameSender{
		key: key, records: p.Records, progress: p.Display, metrics: p.Metrics, stagger: p.Stagger,
		sender: sending.Sender{Folder: folder, Service: p.Service, Throttle: p.Throttle, Slots: p.Slots},
	}
	j.uploader = uploader{
		record: record, service: p.Service, slots: p.Slots, sent: j.sent, frames: frames, pauses: p.Neighbours,
	}

	j.texts = &describer{record: record, ask: ask, folder: folder, pace: pace, log: p.Log}
	j.starter = starter{record: record, ask: ask, frames: frames, pace: pace}
	j.finisher = finisher{
		record: record, ask: ask, sent: j.sent, starter: j.starter, slots: p.Slots,
	}
	j.poller = poller{record: record, ask: ask, giveUp: p.Poll.GiveUp}
	j.collector = collector{
		record: record, screen: screen, ask: ask, starter: j.starter, texts: j.texts, metrics: p.Metrics,
	}
	j.upkeep = upkeep{record: record, ask: ask, texts: j.texts, folder: folder, log: p.Log}
	j.remover = remover{
		record: record, ask: ask, folder: folder, others: p.Neighbours, log: p.Log,
	}
	j.reconciler = reconciler{
		record: record, service: p.Service, heir: j.heir, projects: j.projects, products: finder,
		others: p.Neighbours, log: p.Log,
		comparer: comparer{
			record: record, ask: ask, folder: folder, scene: j.scenes.scene, foreign: new(sighting),
		},
	}
	return j
}

// Resume has the job go on where an earlier process or another job of the folder ended. abandoned counts
// how often a person gave up the run or the product.
func (j *Job) Resume(recalled, unchecked bool, abandoned *atomic.Int32) {
	j.Folder.Recalled, j.record.unchecked, j.record.abandoned = recalled, unchecked, abandoned
}

// Unchecked reports whether an earlier process began the run, and it was not compared with the service yet.
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
	if j.flights != nil {
		s.UnderWay = j.flights.aloft
	}
	return s, nil
}

// Predecessor is the gone folder that this one was before, nil for none. It passes over those that
// are taken.
func (j *Job) Predecessor(
	ctx context.Context, s plan.Scene, taken func(renamed.Predecessor) bool,
) (*renamed.Predecessor, error) {
	return j.search.Predecessor(ctx, s, taken)
}

// stepsInARow bounds how long one folder keeps others from their turn.
const stepsInARow = 64

// Work takes the steps that are owed until the folder must wait or rests, and returns that last
// step.
func (j *Job) Work(ctx context.Context) plan.Step {
	var last plan.Step
	err := outcome.Guard(func() error {
		last = j.takeSteps(ctx)
		return nil
	})
	j.bringDown(err)
	if outcome.Is(err, outcome.Panicked) {
		last = j.troubles.park(outcome.Of(err))
	}
	if j.screen.pending != nil { // the status last shown is not recorded yet
		if err := j.record.changePatiently(func(*syncstate.Record) {}); err != nil {
			return j.troubles.notRecorded(err)
		}
	}
	return last
}

func (j *Job) takeSteps(ctx context.Context) plan.Step {
	for taken := 0; taken < stepsInARow || j.flights != nil; {
		j.Folder.Snapshot = j.keeper.TakeLatest(j.record.key, j.Folder.Snapshot)
		if j.flights == nil { // else it belongs to the step that frames fly for
			taken++
			j.record.begin()
		}
		s, err := j.Scene()
		if err != nil {
			return j.troubles.notRecorded(err)
		}
		next := plan.Next(s)
		var stop *plan.Step
		switch {
		case j.flights != nil:
			stop = j.takeBeside(ctx, s, next)
		case !next.Need.None():
			stop = j.read(ctx, s, next)
		case next.Action == plan.Idle, next.Action == plan.Wait:
			return j.settle(s, next)
		default:
			stop = j.take(ctx, s, next)
		}
		if stop != nil {
			return *stop
		}
		if ctx.Err() != nil && j.flights == nil {
			return next
		}
	}
	return plan.Again(time.Now())
}

// take does one step. It returns a last step when the folder cannot go on.
func (j *Job) take(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	if soonest := j.ask.soonestStatus(s.Record.Product.UUID); s.AsksStatus(next.Action) && time.Now().Before(soonest) {
		return new(next.PutOff(soonest))
	}
	if host, op := j.breakerOf(s, next.Action); host != nil {
		if blocked := host.Blocked(time.Now(), op); blocked != nil {
			return j.troubles.holdBack(s, next, blocked)
		}
	}
	if beginsRun(s, next.Action) {
		if blocked := j.service.Memory.RefusedLists.Blocked(s.Record.Project.UUID, time.Now()); blocked != nil {
			return j.troubles.holdBack(s, next, blocked)
		}
	}
	j.screen.show(next, s)
	err := j.handlers()[next.Action](ctx, s, next)
	if j.flights != nil {
		return j.whileFlying(ctx)
	}
	return j.troubles.conclude(ctx, s, next, err)
}

// read reads the files that a step needs. A failure is not recorded as trouble: the next plan shows it,
// unless the folder waits for something else. It returns a last step when the folder cannot go on.
func (j *Job) read(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	j.screen.show(next, s)
	err := j.Folder.Read(ctx, s.Facts, next.Need)
	if next.Need.Texts {
		j.texts.logProblems()
	}
	switch {
	case err == nil:
		j.unread = ""
		return nil
	case outcome.Is(err, outcome.Panicked):
		return new(j.troubles.park(outcome.Of(err)))
	case outcome.Needs(err, status.Deadly) && s.Record.Run.IsBound():
		return nil // the run is seen through first
	case outcome.Needs(err, status.Deadly):
		defer j.Folder.ForgetDeaths()
		return j.troubles.fail(s, err)
	case interrupted(ctx, err):
		return &next
	case outcome.Is(err, outcome.Changed):
		return j.troubles.lookAgain(ctx)
	}
	if outcome.Of(err) == nil && outcome.NoAccess(err) == nil && err.Error() != j.unread {
		j.log.Warn("a file cannot be read", "folder", j.record.key.Path, "error", err)
	}
	j.unread = err.Error()
	return nil
}

// settle records that nothing more is owed for this listing, so that the next start need not read
// it.
func (j *Job) settle(s plan.Scene, last plan.Step) plan.Step {
	j.texts.logTexts()
	if last.State != status.Published || last.Action != plan.Idle || s.Facts.Snapshot.Err != nil {
		j.screen.show(last, s)
		return last
	}
	last.Cause = s.WithNotes(last.Cause, j.Folder.Problems)
	if s.Facts.Texts.Partly && j.Folder.TextsPass() {
		j.Folder.ForgetTexts()
		last.Action, last.Until = plan.Wait, s.Now.Add(reading.UnreadPause)
		j.screen.show(last, s)
		return last
	}
	j.screen.show(last, s)
	fingerprint, settings := plan.FingerprintText(j.Folder.Snapshot.Fingerprint), j.Folder.Root.SettingsOf(s.Facts.Row)
	if s.Facts.Snapshot.Idle {
		// A folder at rest was judged by the row it had then. A newer row has only been noticed.
		settings = s.Record.Idle.Settings
	}
	if s.Record.Idle.Listing != fingerprint || s.Record.Idle.Settings != settings || s.Record.Trouble != nil ||
		s.Record.Panics > 0 || s.Record.Wishes.Priority || s.Record.Wishes.AsIs != 0 {
		err := j.record.changeWishes(func(r *syncstate.Record) {
			r.Idle.Listing, r.Idle.Settings, r.Trouble, r.Panics, r.Wishes.AsIs = fingerprint, settings, nil, 0, 0
			// An idle folder was not read since it got priority.
			r.Wishes.Priority = r.Wishes.Priority && s.Facts.Snapshot.Idle
		})
		if err != nil {
			return j.troubles.notRecorded(err)
		}
	}
	j.watcher.SetIdle(j.record.key.Root, j.record.key.Path, j.Folder.Snapshot.Fingerprint)
	j.Folder.LetGo()
	return last
}
