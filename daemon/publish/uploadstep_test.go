package publish

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/daemon/sending"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// aloft is the work on a folder of which one frame flies.
func aloft(p *Publisher) *Job {
	p.Log = slog.New(slog.DiscardHandler)
	j := NewJob(p, syncstate.Folder{Root: "/shoots", Path: "SKU-1"}, new(reading.Root))
	run := &syncstate.Run{Phase: syncstate.Sending, Form: &syncstate.Form{MaxSize: 1}}
	j.uploading.flights = newFlights(plan.Scene{Record: syncstate.Record{Run: run}}, plan.Step{Action: plan.Upload})
	j.uploading.flights.begin([]watcher.File{{Name: "1.jpg"}}, false)
	return j
}

// watchedSteps is a display that counts the steps that it is shown.
type watchedSteps struct {
	shown
	n *int
}

func (d watchedSteps) Show(status.ProductStatus) { *d.n++ }

// TestStepsBesideFlights: while a frame flies, more frames take off, unless it is a trial, or one
// has failed, or all is to stop. No other step is taken until all have landed.
func TestStepsBesideFlights(t *testing.T) {
	type test struct {
		action plan.Action
		spoil  func(*flights, context.CancelFunc)
		taken  int
	}
	tests := map[string]test{
		"more frames":                   {plan.Upload, func(*flights, context.CancelFunc) {}, 1},
		"more frames during a trial":    {plan.Upload, func(f *flights, _ context.CancelFunc) { f.trial = true }, 0},
		"more frames after a failure":   {plan.Upload, func(f *flights, _ context.CancelFunc) { f.failures.Add(outcome.ErrChanged) }, 0},
		"more frames as all is to stop": {plan.Upload, func(_ *flights, stop context.CancelFunc) { stop() }, 0},
	}
	for action := range plan.Actions {
		if action != plan.Upload {
			tests[string(action)] = test{action, func(*flights, context.CancelFunc) {}, 0}
		}
	}
	records := NewRecords(plantest.Store(t))
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			taken := 0
			p := &Publisher{Records: records, Display: watchedSteps{n: &taken}, Files: reading.Files{Watcher: new(watcher.Watcher)}}
			j := aloft(p)
			flights := j.uploading.flights
			test.spoil(flights, stop)
			go j.takeBeside(ctx, flights.scene, plan.Step{Action: test.action, Frames: []watcher.File{{Name: "2.jpg", Size: 2}}})
			synctest.Wait()
			if taken != test.taken {
				t.Errorf("%s: %d steps are taken", name, taken)
			}
			if began := flights.aloft["2.jpg"] || flights.failed(); test.taken > 0 && !began {
				t.Errorf("%s: the second frame does not take off", name)
			}
			flights.landed <- landing{frame: "1.jpg", sent: sending.Sent{Err: outcome.ErrChanged}}
		})
	}
}

// TestPanicLeavesNoFrameAloft: a worker whose planning panics keeps the folder until the frames
// have landed that fly, and lets no other take off.
func TestPanicLeavesNoFrameAloft(t *testing.T) {
	j := aloft(&Publisher{Records: NewRecords(plantest.Store(t)), Display: shown{}}) // it panics without a keeper
	flights, ended := j.uploading.flights, make(chan plan.Step)
	go func() { ended <- j.Work(t.Context()) }()
	select {
	case <-ended:
		t.Fatal("the folder was left")
	case flights.landed <- landing{frame: "1.jpg"}:
	}
	if !flights.failures.Any() {
		t.Error("more frames may take off")
	}
	<-ended
}

// alone has no neighbours, and no news.
type alone struct{ shown }

func (alone) Around(syncstate.Folder, syncstate.Record, *watcher.Absence) plan.Around {
	return plan.Around{}
}
func (alone) TakeLatest(_ syncstate.Folder, have watcher.Snapshot) watcher.Snapshot {
	return have
}

// news sends a job so many news while a frame flies.
func news(t *testing.T, j *Job, n int, ended <-chan plan.Step) {
	for range n {
		select {
		case j.News <- struct{}{}:
		case <-ended:
			t.Fatal("the folder was left")
		}
	}
}

// among has a job of which a frame flies, in a folder without neighbours.
func among(t *testing.T) *Job {
	p := &Publisher{
		Records: NewRecords(plantest.Store(t)), Files: reading.Files{Watcher: new(watcher.Watcher)},
		Service: &hosting.Service{Client: new(apiclient.Client), Memory: new(hosting.Memory)},
	}
	p.Neighbours, p.Keeper, p.Display = alone{}, alone{}, alone{}
	j := aloft(p)
	keep(t, j, syncstate.Record{Trouble: &syncstate.Trouble{Kind: syncstate.Retried}})
	j.uploading.flights.scene.Record.Trouble = &syncstate.Trouble{}
	return j
}

// TestFlightsOutlastNews: a worker keeps a folder whose frames fly, however often news come. What a
// person gave up in the meantime is not changed by how the flights end.
func TestFlightsOutlastNews(t *testing.T) {
	j := among(t)
	flights, ended := j.uploading.flights, make(chan plan.Step)
	go func() { ended <- j.takeSteps(t.Context()) }()
	news(t, j, 2*stepsInARow, ended)
	j.record.abandoned.Add(1)
	flights.landed <- landing{frame: "1.jpg"}
	<-ended
	if r, err := j.record.read(); err != nil || r.Trouble == nil {
		t.Errorf("the trouble is ended: %v", err)
	}
}

// TestNewsAreNoSteps: an upload is one step, however many news came meanwhile. After it the folder
// keeps its turn.
func TestNewsAreNoSteps(t *testing.T) {
	j := among(t)
	flights, ended := j.uploading.flights, make(chan plan.Step)
	go func() { ended <- j.takeSteps(t.Context()) }()
	news(t, j, 2*stepsInARow, ended)
	flights.landed <- landing{frame: "1.jpg"}
	if last := <-ended; last.Action != plan.Idle {
		t.Errorf("the folder loses its turn: %+v", last)
	}
}

// In a trial no more frames take off until its first frame has landed. The folder is planned again
// then, although others fly.
func TestFramesJoinAfterATrial(t *testing.T) {
	f := newFlights(plan.Scene{}, plan.Step{})
	f.begin([]watcher.File{{Name: "1.jpg"}, {Name: "2.jpg"}}, true)
	if f.mayGrow() {
		t.Error("frames take off beside a trial")
	}
	if !f.end(landing{frame: "1.jpg"}) || !f.mayGrow() {
		t.Error("the end of the trial is not noticed")
	}
	if f.end(landing{frame: "2.jpg"}) || len(f.aloft) > 0 {
		t.Errorf("the end of another frame is the end of a trial; %v fly", f.aloft)
	}
}
