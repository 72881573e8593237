package publish

import (
	"errors"
	"net/http"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Troubles record why a step of one folder failed, with what ends the wait: its trouble.
type troubles struct {
	record  *ledger
	folder  *reading.Folder
	service *hosting.Service
	pace    pace
	metrics *metrics.Metrics
}

// troubleOf is the record of a failed step, which goes on counting from the trouble before.
func (tr troubles) troubleOf(before *syncstate.Trouble, err error) *syncstate.Trouble {
	now := time.Now()
	t := &syncstate.Trouble{
		Kind: syncstate.Retried, Cause: outcome.CauseOf(err), Detail: outcome.DetailOf(err), At: now,
		Content: tr.folder.Content(),
	}
	if before != nil {
		t.Tries.N, t.Refusals = before.Tries.N, before.Refusals
	}
	t.Tries.N++
	var remote *apiclient.Error
	if errors.As(err, &remote) && !remote.Temporary() {
		t.Refusals++
	}
	denied, decided := outcome.NoAccess(err), outcome.Of(err)
	switch {
	case denied != nil:
		t.Kind, t.Cause, t.Tries.Next = syncstate.RetriedAndShown, denied, now.Add(plan.AccessPause)
	case errors.Is(err, syncstate.ErrTooLarge):
		t.Kind, t.Cause = syncstate.NeedsPerson, status.Because(status.TooLargeForFleet)
	case decided != nil && decided.Until.IsZero():
		t.Kind = syncstate.NeedsPerson
	case decided != nil && decided.Kind == outcome.NeedsPerson:
		t.Kind, t.Tries.Next = syncstate.RetriedAndShown, decided.Until
	case decided != nil:
		t.Tries.Next = decided.Until
	case remote != nil && !remote.Temporary():
		t.Tries.Next = now.Add(hosting.SearchPause(t.Refusals))
		refused := outcome.ForGood(outcome.Explain(err, "").Cause())
		switch {
		case t.Refusals < hosting.Refusals:
		case remote.UploadHost != "", remote.MayHaveTakenEffect():
			// A later try might take another form, or finish what others have begun since.
			t.Kind, t.Cause, t.Tries.Next = syncstate.NeedsPerson, refused, time.Time{}
		default:
			showRetried(t, before, refused)
		}
	default:
		t.Tries.Next = now.Add(tr.pace.retry(t.Tries.N))
		if isAstray(remote) && t.Tries.N >= mostAstray {
			showRetried(t, before, outcome.Explain(err, "").Cause())
		}
	}
	if remote != nil && !remote.Local() && t.Kind != syncstate.NeedsPerson {
		t.Cause = outcome.WithPause(t.Cause, remote)
		if rests := tr.service.Breakers.Asked(remote); rests.After(now) {
			if again := rests.Add(tr.pace.retry(1)); again.After(t.Tries.Next) {
				t.Tries.Next = again
			}
		}
	}
	return t
}

// showRetried calls a person because of a failure that may still pass by itself, though it has lasted.
// From then on it is tried again more and more seldom.
func showRetried(t, before *syncstate.Trouble, cause *status.Cause) {
	t.Kind, t.Cause = syncstate.RetriedAndShown, cause
	if before.Kind == syncstate.RetriedAndShown {
		t.Tries.Next = t.Tries.Next.Add(min(2*before.Tries.Next.Sub(before.At), longestAstray))
	}
}

// isAstray reports whether what came is no answer of the host that was asked: a redirect, or
// something that the interface does not know. The address may be wrong, or something in between
// answers.
func isAstray(err *apiclient.Error) bool {
	return err != nil && !err.Local() && err.Status != 0 && (err.Status/100 == 3 || err.Err != nil)
}

// end ends the trouble before, after a step that succeeded.
func (tr troubles) end(s plan.Scene) *plan.Step {
	if s.Record.Trouble == nil {
		return nil
	}
	return tr.change(func(r *syncstate.Record) {
		if r.Trouble != nil && r.Trouble.Kind == syncstate.NeedsPerson && r.Run != nil {
			r.Run.Setbacks.ForgetForms() // the folder changed since a person was asked
		}
		r.Trouble = nil
	})
}

// fail records a failure, so that the next plan waits for what ends it. A person may have ended the
// trouble before while the step was under way: then the folder is tried once more.
func (tr troubles) fail(s plan.Scene, failure error) *plan.Step {
	trouble := tr.troubleOf(s.Record.Trouble, failure)
	tr.metrics.Failure(classOf(failure), trouble.Kind != syncstate.NeedsPerson)
	return tr.change(func(r *syncstate.Record) {
		if s.Record.Trouble == nil || r.Trouble != nil {
			r.Trouble = trouble
		}
	})
}

// change changes the record. It returns a last step when that fails.
func (tr troubles) change(change func(*syncstate.Record)) *plan.Step {
	if err := tr.record.change(change); err != nil {
		return new(tr.record.notRecorded(err))
	}
	return nil
}

// classOf is the cause of a failure in a word, for the metrics.
func classOf(err error) string {
	var remote *apiclient.Error
	decided := outcome.Of(err)
	switch {
	case outcome.NoAccess(err) != nil:
		return string(status.NoAccess)
	case errors.Is(err, syncstate.ErrTooLarge):
		return string(status.TooLargeForFleet)
	case decided != nil && decided.Cause != nil:
		return string(decided.Cause.Kind)
	case !errors.As(err, &remote), remote.Local():
		return "file"
	case remote.Barred():
		return "barred"
	case remote.Status == 0:
		return "no answer"
	case remote.Throttled():
		return "throttled"
	case remote.Full():
		return "host full"
	case remote.Status >= http.StatusInternalServerError:
		return "server error"
	case remote.Status/100 == 4:
		return "refused"
	}
	return "wrong answer"
}
