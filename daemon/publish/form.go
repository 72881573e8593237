package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A forms gives up the upload forms of one folder that do not serve any more.
type forms struct {
	record  *ledger
	folder  *reading.Folder
	service *hosting.Service
	slots   *schedule.Slots
	pace    pace
	metrics *metrics.Metrics
}

// fits checks that the form allows frames of these sizes, before the host refuses them.
func fits(form *syncstate.Form, unsent []watcher.File) error {
	for _, f := range unsent {
		switch {
		case f.Size < form.MinSize:
			return wrongSize(f, "at least ", form.MinSize)
		case form.MaxSize > 0 && f.Size > form.MaxSize:
			return wrongSize(f, "at most ", form.MaxSize)
		}
	}
	return nil
}

// wrongSize calls a person to a frame. Two sizes that look the same are written to the byte.
func wrongSize(f watcher.File, most string, allowed int64) error {
	size, limit := status.Size(f.Size), status.Size(allowed)
	if size == limit {
		size, limit = fmt.Sprintf("%d bytes", f.Size), fmt.Sprintf("%d bytes", allowed)
	}
	return outcome.Person(&status.Cause{Kind: status.WrongSize, Name: f.Name, Other: size, Text: most + limit})
}

// formTrouble drops a form that the host does not accept any more, so that the daemon asks for a
// new one. It also drops a form that a frame does not fit: the next form may allow more.
func (fm forms) formTrouble(s plan.Scene, err error) error {
	if outcome.Needs(err, status.WrongSize) {
		return errors.Join(err, fm.record.change(func(r *syncstate.Record) { r.Run.DropForm() }))
	}
	switch remote, ok := errors.AsType[*apiclient.Error](err); {
	case !ok:
		return err
	case remote.Full():
		return errors.Join(err, fm.noteNoRoom(s))
	case remote.FormExpired():
		fm.metrics.RefusedForm("expired")
		return fm.dropForm(s, err)
	case remote.FormRejected():
		fm.metrics.RefusedForm("rejected")
		return fm.replaceForm(s, err)
	}
	return err
}

// noteNoRoom notes that the host had no room for a frame. The frame is sent again under this form
// for as long as it lasts.
func (fm forms) noteNoRoom(s plan.Scene) error {
	if s.Record.Run.Setbacks.NoRoom {
		return nil
	}
	return fm.record.change(func(r *syncstate.Record) { r.Run.Setbacks.NoRoom = true })
}

// replaceForm drops a form that the upload host refuses for its signature, key or policy, as after
// a rotation of the key, or that it refuses one frame under. The daemon asks for one more form. If
// the host refuses that too, a person gets the host's message and the frame's name. For an old form
// there is no pause, so that the folder keeps its place among the uploads and the next form is
// still fresh. Where the expiry of a form is unknown, an old one counts as expired.
func (fm forms) replaceForm(s plan.Scene, refusal error) error {
	fresh := time.Since(s.Record.Run.Started) < hosting.FormFresh
	if !fresh && s.Record.Run.Form.Expires.IsZero() {
		return fm.dropForm(s, refusal)
	}
	var refused int
	var tookOthers bool
	err := fm.record.change(func(r *syncstate.Record) {
		tookOthers = slices.ContainsFunc(r.Run.Frames, func(f syncstate.RunFrame) bool { return f.Uploaded })
		r.Run.DropForm()
		r.Run.Setbacks.RefusedForms++
		refused = r.Run.Setbacks.RefusedForms
	})
	switch {
	case err != nil || refused == 1 && !fresh:
		return err
	case refused == 1:
		replaced := hosting.RefusedForm(status.FormReplaced, refusal)
		return outcome.Later(time.Now().Add(fm.pace.retry(1)), replaced, refusal)
	}
	why := hosting.RefusedForm(status.FormRefused, refusal)
	why.Remedy = fm.refusedFormRemedy(s.Record.Run.Form.Hostname, refusal)
	if tookOthers {
		why.Kind, why.Remedy = status.FrameRefused, "export it again or take it out, or "+outcome.AskSupport+", then "+status.RetryCommand
		why.Text = refusedFrame(refusal) + ": " + why.Text
	}
	return outcome.Person(why).WithDetail(outcome.DetailOf(refusal))
}

// refusedFrame is the name of the frame that a refusal is about.
func refusedFrame(refusal error) string {
	remote, _ := errors.AsType[*apiclient.Error](refusal)
	return strings.TrimPrefix(remote.Op, apiclient.OpUpload+" ")
}

// refusedFormRemedy is the remedy when the host refuses a new form. The name of the access key's
// field may be wrong, unless the host found the key or took one under that name before.
func (fm forms) refusedFormRemedy(host string, refusal error) string {
	configured := fm.service.AccessKeys.Fixed
	switch {
	case apiclient.NoAccessKeyField(refusal) && !fm.service.AccessKeys.IsKnown(host):
		return "no known name of the access key's form field works: " + outcome.AskSupport +
			" for that name, write it into sync.toml as " +
			"access_key_field, then " + status.RetryCommand
	case configured != "" && !apiclient.SignatureWrong(refusal):
		return "if " + configured +
			" is not the name of the access key's form field there, write access_key_field = \"auto\" into sync.toml, " +
			"then " + status.RetryCommand
	}
	return outcome.AskSupport + ", then " + status.RetryCommand
}

// endForm drops a form that is about to expire.
func (fm forms) endForm(_ context.Context, s plan.Scene) error { return fm.dropForm(s, nil) }

// dropForm drops a form that is too old, so that the next plan asks for another one. It fails when
// another form will not help either. The cause is the host's answer that the form has expired, or
// nil.
func (fm forms) dropForm(s plan.Scene, cause error) error {
	life := time.Since(s.Record.Run.Started)
	stale, full := life < hosting.FormFresh, s.Record.Run.Setbacks.NoRoom
	failed := stale || full || fm.hadTheLine(s.Record.Run.Started, life)
	var expired int
	err := fm.record.change(func(r *syncstate.Record) {
		r.Run.DropForm()
		if failed {
			r.Run.Setbacks.ExpiredForms++
		}
		expired = r.Run.Setbacks.ExpiredForms
	})
	if err != nil || !failed {
		return err
	}
	reason, remedy := "the upload form expired before all frames were sent",
		"set fewer uploads at a time or a higher limit in [upload], or use a faster line, then "+status.RetryCommand
	switch {
	case full:
		reason = "the upload form expired while the upload host had no room for all frames"
		remedy = outcome.AskSupport + ", or make room there, then " + status.RetryCommand
	case stale:
		reason, remedy = "a new upload form has expired already", outcome.AskSupport+", then "+status.RetryCommand
	}
	if cause != nil {
		reason += ": " + cause.Error()
	}
	why := &status.Cause{Kind: status.FormShort, Text: reason}
	if pause, patient := fm.pace.tries(expired); patient {
		return outcome.Later(time.Now().Add(pause), why, cause)
	}
	why.Remedy = remedy
	return outcome.Person(why).WithDetail(outcome.DetailOf(cause))
}

// hadTheLine reports whether the folder was still since its form came, and sent frames for at least
// half of the form's life. Without that the next form may do: the camera, other folders or a host
// that did not answer took the time.
func (fm forms) hadTheLine(came time.Time, life time.Duration) bool {
	return fm.folder.Snapshot.Changed.Before(came) && fm.slots.Held(fm.record.key) >= life/2
}
