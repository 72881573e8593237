package publish

import (
	"context"

	"spinsync/daemon/plan"
)

// A handler does a step and records it.
type handler func(context.Context, plan.Scene, plan.Step) error

// handlers holds the handler of every action that does not wait.
func (j *Job) handlers() map[plan.Action]handler {
	return map[plan.Action]handler{
		plan.FindProject:   withScene(j.projects.findProject),
		plan.Create:        j.creator.createProduct,
		plan.Abandon:       withScene(j.creator.abandonCreate),
		plan.Reupload:      j.starter.startReupload,
		plan.ConfirmRun:    withScene(j.starter.confirmRun),
		plan.Upload:        j.uploads.upload,
		plan.EndForm:       withScene(j.uploads.forms.endForm),
		plan.Finish:        j.finisher.finishUpload,
		plan.ConfirmFinish: withScene(j.finisher.confirmFinish),
		plan.Poll:          withScene(j.poller.pollStatus),
		plan.Collect:       withScene(j.collector.collectImages),
		plan.Describe:      withScene(j.texts.describeImages),
		plan.Note:          withScene(j.upkeep.noteTouched),
		plan.Update:        withScene(j.upkeep.updateProduct),
		plan.Verify:        withScene(j.upkeep.verifyProduct),
		plan.Ask:           withScene(j.remover.askForRemoval),
		plan.ClearAbsence:  withScene(j.remover.clearAbsence),
		plan.Remove:        withScene(j.remover.removeProduct),
		plan.ConfirmDelete: withScene(j.remover.confirmDelete),
		plan.Forget:        withScene(j.remover.forget),
		plan.Reconcile:     withScene(j.reconciler.reconcile),
	}
}

// withScene adapts a method that does not use the step.
func withScene(do func(context.Context, plan.Scene) error) handler {
	return func(ctx context.Context, s plan.Scene, _ plan.Step) error { return do(ctx, s) }
}
