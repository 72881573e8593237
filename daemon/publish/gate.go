package publish

import (
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
)

// A gate holds steps of one folder back: for the pause between two status requests, for a host or
// an operation that fails for all folders, and for a project whose images may not be listed. It is
// no failure of the folder.
type gate struct {
	service *hosting.Service
	ask     *requests
	screen  *screen
}

// stops holds a step back that may not be taken now, and returns the step that the folder waits
// with; nil for one that may.
func (g gate) stops(s plan.Scene, next plan.Step) *plan.Step {
	if soonest := g.ask.soonestStatus(s.Record.Product.UUID); s.AsksStatus(next.Action) && time.Now().Before(soonest) {
		return new(next.PutOff(soonest))
	}
	if from := g.service.FormsFrom; s.Unchecked && next.Action == plan.Reupload && time.Now().Before(from) {
		return new(next.PutOff(from)) // the last request of a station that died may still be under way
	}
	if host, op := g.breakerOf(s, next.Action); host != nil {
		if blocked := host.Blocked(time.Now(), op); blocked != nil {
			return g.holdBack(s, next, blocked)
		}
	}
	if beginsRun(s, next.Action) {
		if blocked := g.service.Memory.RefusedLists.Blocked(s.Record.Project.UUID, time.Now()); blocked != nil {
			return g.holdBack(s, next, blocked)
		}
	}
	return nil
}

// blames holds back a step whose failure is that of a host or an operation; nil for another
// failure.
func (g gate) blames(s plan.Scene, next plan.Step, err error) *plan.Step {
	if blocked := outcome.Blocked(err); blocked != nil {
		return g.holdBack(s, next, blocked)
	}
	if blocked := g.service.Breakers.Blames(time.Now(), err); blocked != nil {
		return g.holdBack(s, next, blocked)
	}
	return nil
}

// holdBack shows that the folder waits for the host or the operation.
func (g gate) holdBack(s plan.Scene, owed plan.Step, by *outcome.Outcome) *plan.Step {
	last := plan.Step{
		Action: plan.Wait, State: status.Retrying, Cause: by.Cause, Detail: by.Detail, Until: by.Until,
	}
	switch {
	case owed.State == status.Missing: // a view that is only verified keeps its state
		last.State, last.Cause, last.Detail = owed.State, owed.Cause, ""
	case by.Kind == outcome.HostNeedsPerson:
		last.State = status.Attention
		g.screen.showUnlogged(last, s) // the log has an entry about the host
		return &last
	}
	g.screen.show(last, s)
	return &last
}

// breakerOf is the breaker that a step passes, and the operation if the breaker depends on it. It
// is nil for steps that send nothing.
func (g gate) breakerOf(s plan.Scene, a plan.Action) (of *hosting.Breaker, op string) {
	switch plan.Actions[a].Passes {
	case plan.ServiceBreaker:
		return g.service.Breakers.Of(""), ""
	case plan.StatusBreaker:
		return g.service.Breakers.Of(""), apiclient.OpStatus
	case plan.UploadBreaker:
		return g.service.Breakers.Of(s.Record.Run.Form.Hostname), apiclient.OpUpload
	}
	return nil, ""
}

// beginsRun reports whether a step begins a run that is of no use where the images may not be
// listed. A reupload that was itself refused the list asks for it again.
func beginsRun(s plan.Scene, a plan.Action) bool {
	refused := s.Record.Trouble != nil && s.Record.Trouble.Cause.Is(status.ListRefused)
	return a == plan.Create || a == plan.Reupload && s.BeginsReupload() && !refused
}
