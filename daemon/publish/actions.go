package publish

import (
	"context"

	"spinsync/daemon/plan"
)

// A handler does a step and records it.
type handler func(context.Context, plan.Scene, plan.Step) error

// Parts do the actions of a job, but for the uploads: each knows its own.
type parts struct {
	projects   projectFinder
	creator    creator
	starter    starter
	finisher   finisher
	poller     poller
	collector  collector
	texts      *describer
	upkeep     upkeep
	remover    remover
	reconciler reconciler
}

// handlers holds the handler of every action that does not wait.
func (j *Job) handlers() map[plan.Action]handler {
	return map[plan.Action]handler{
		plan.FindProject:   withScene(j.parts.projects.findProject),
		plan.Create:        j.parts.creator.createProduct,
		plan.Abandon:       withScene(j.parts.creator.abandonCreate),
		plan.Reupload:      j.parts.starter.startReupload,
		plan.ConfirmRun:    withScene(j.parts.starter.confirmRun),
		plan.Upload:        j.uploading.start,
		plan.EndForm:       withScene(j.uploading.forms.endForm),
		plan.Finish:        j.parts.finisher.finishUpload,
		plan.ConfirmFinish: withScene(j.parts.finisher.confirmFinish),
		plan.Poll:          withScene(j.parts.poller.pollStatus),
		plan.Collect:       withScene(j.parts.collector.collectImages),
		plan.Describe:      withScene(j.parts.texts.describeImages),
		plan.Note:          withScene(j.parts.upkeep.noteTouched),
		plan.Update:        withScene(j.parts.upkeep.updateProduct),
		plan.Verify:        withScene(j.parts.upkeep.verifyProduct),
		plan.Ask:           withScene(j.parts.remover.askForRemoval),
		plan.ClearAbsence:  withScene(j.parts.remover.clearAbsence),
		plan.Remove:        withScene(j.parts.remover.removeProduct),
		plan.ConfirmDelete: withScene(j.parts.remover.confirmDelete),
		plan.Forget:        withScene(j.parts.remover.forget),
		plan.Reconcile:     withScene(j.parts.reconciler.reconcile),
	}
}

// withScene adapts a method that does not use the step.
func withScene(do func(context.Context, plan.Scene) error) handler {
	return func(ctx context.Context, s plan.Scene, _ plan.Step) error { return do(ctx, s) }
}
