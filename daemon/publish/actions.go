package publish

import (
	"context"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// A deed does a step and records it.
type deed func(*Job, context.Context, plan.Scene, plan.Step) error

// deeds holds the deed of every action that does not wait.
var deeds = map[plan.Action]deed{
	plan.Read:          (*Job).doRead,
	plan.ReadTexts:     (*Job).doReadTexts,
	plan.FindProject:   withScene((*Job).findProject),
	plan.Create:        (*Job).doCreate,
	plan.Reupload:      (*Job).doReupload,
	plan.Resume:        withScene((*Job).resumeRun),
	plan.Upload:        (*Job).doUpload,
	plan.EndForm:       (*Job).doEndForm,
	plan.Finish:        (*Job).doFinish,
	plan.ConfirmFinish: withScene((*Job).confirmFinish),
	plan.Poll:          withScene((*Job).pollStatus),
	plan.Collect:       withScene((*Job).collectImages),
	plan.Note:          (*Job).doNote,
	plan.Update:        withScene((*Job).updateProduct),
	plan.Describe:      withScene((*Job).describeImages),
	plan.Abandon:       withScene((*Job).abandonCreate),
	plan.Verify:        withScene((*Job).verifyProduct),
	plan.Ask:           (*Job).doAsk,
	plan.Welcome:       (*Job).doWelcome,
	plan.Remove:        withScene((*Job).removeProduct),
	plan.Reconcile:     withScene((*Job).reconcile),
	plan.Reclaim:       withScene((*Job).reclaimProduct),
	plan.Forget:        (*Job).doForget,
}

// withScene adapts a method that does not use the step.
func withScene(do func(*Job, context.Context, plan.Scene) error) deed {
	return func(j *Job, ctx context.Context, s plan.Scene, _ plan.Step) error { return do(j, ctx, s) }
}

func (j *Job) doRead(ctx context.Context, _ plan.Scene, next plan.Step) error {
	return j.ReadFrames(ctx, next.Frames, next.Digest)
}

func (j *Job) doReadTexts(ctx context.Context, s plan.Scene, next plan.Step) error {
	err := j.ReadTexts(ctx, s, next.Frames)
	j.warnOfTexts()
	return err
}

func (j *Job) doCreate(ctx context.Context, s plan.Scene, next plan.Step) error {
	return j.createProduct(ctx, s, next.Count)
}

func (j *Job) doReupload(ctx context.Context, s plan.Scene, next plan.Step) error {
	return j.startReupload(ctx, s, next.Count)
}

func (j *Job) doUpload(ctx context.Context, s plan.Scene, next plan.Step) error {
	return j.uploadFrames(ctx, s, next.Frames)
}

func (j *Job) doEndForm(_ context.Context, s plan.Scene, _ plan.Step) error {
	return j.dropForm(s, nil)
}

func (j *Job) doFinish(ctx context.Context, s plan.Scene, next plan.Step) error {
	return j.finishUpload(ctx, s, next.Frames)
}

func (j *Job) doNote(_ context.Context, s plan.Scene, _ plan.Step) error { return j.noteTouched(s) }

func (j *Job) doAsk(context.Context, plan.Scene, plan.Step) error {
	return j.Update(func(r *syncstate.Record) error { r.Removal = syncstate.RemovalAsked; return nil })
}

func (j *Job) doWelcome(context.Context, plan.Scene, plan.Step) error {
	return j.Update(func(r *syncstate.Record) error { r.Removal, r.Verified = "", time.Time{}; return nil })
}

func (j *Job) doForget(context.Context, plan.Scene, plan.Step) error { return j.forgetFolder() }

// breakerOf is the breaker that a step passes, and the operation if the breaker depends on it. It
// is nil for steps that send nothing.
func (j *Job) breakerOf(s plan.Scene, a plan.Action) (of *hosting.Breaker, op string) {
	switch plan.Actions[a].Passes {
	case plan.ServiceBreaker:
		return j.Service.Breakers.Of(""), ""
	case plan.StatusBreaker:
		return j.Service.Breakers.Of(""), apiclient.OpStatus
	case plan.UploadBreaker:
		return j.Service.Breakers.Of(s.Record.Run.Form.Hostname), apiclient.OpUpload
	}
	return nil, ""
}
