package daemon

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// unfit is a frame of a size that the upload form does not allow.
type unfit struct{ error }

// fits makes sure that the form allows frames of these sizes, before the host refuses them.
func fits(form *syncstate.Form, todo []watcher.File) error {
	for _, f := range todo {
		var allowed string
		switch {
		case f.Size < form.MinSize:
			allowed = fmt.Sprintf("at least %d", form.MinSize)
		case form.MaxSize > 0 && f.Size > form.MaxSize:
			allowed = fmt.Sprintf("at most %d", form.MaxSize)
		default:
			continue
		}
		return personal{err: unfit{fmt.Errorf("%s has %d bytes, and the service takes %s", show(f.Name), f.Size, allowed)},
			remedy: "mend the file, or have that changed there, then %s"}
	}
	return nil
}

// formTrouble turns a form that is not accepted any more into the wish for a new one. One that a frame does not fit is not kept
// either: the next may allow more.
func (j *job) formTrouble(s scene, err error) error {
	if errors.As(err, new(unfit)) {
		return errors.Join(err, j.update(func(r *syncstate.Record) error { r.Run.Form = nil; return nil }))
	}
	var remote *apiclient.Error
	switch {
	case !errors.As(err, &remote):
		return err
	case remote.FormExpired():
		return j.dropForm(s, err)
	case remote.FormRejected():
		return j.replaceForm(s, err)
	}
	return err
}

// replaceForm drops a form that the upload host refuses for its signature, key or policy, as after a
// rotation of the key. One more is asked for; if that is refused too a person is told what the host said.
func (j *job) replaceForm(s scene, refusal error) error {
	refused := s.record.Run.Refused + 1
	err := j.update(func(r *syncstate.Record) error { r.Run.Form, r.Run.Refused = nil, refused; return nil })
	if err != nil {
		return err
	}
	if refused == 1 {
		reason := refusedForm(refusal, "and a new one is asked for")
		return later{until: time.Now().Add(j.d.retryPause(1)), reason: reason, cause: refusal}
	}
	return personal{err: errors.New(refusedForm(refusal, "and a new one too")), remedy: j.refusedFormRemedy(s.record.Run.Form.Hostname, refusal), detail: detailOf(refusal)}
}

// refusedForm tells of a refused form with what the host said about it.
func refusedForm(refusal error, also string) string {
	var remote *apiclient.Error
	errors.As(refusal, &remote)
	said := strings.Join(append([]string{remote.Code}, remote.Messages...), ": ")
	if said = strings.TrimPrefix(said, ": "); said == "" {
		said = fmt.Sprintf("it answered %d", remote.Status)
	}
	return hostOf(remote) + " refuses the upload form, " + also + ": " + said
}

// refusedFormRemedy is for a form that is refused although it is new. The name of the access key's
// field may be wrong, unless the host found the key or took one under that name before.
func (j *job) refusedFormRemedy(host string, refusal error) string {
	configured := j.d.accessKeyFields.fixed
	switch {
	case apiclient.NoAccessKeyField(refusal) && !j.d.accessKeyFields.isKnown(host):
		return "no known name of the access key's form field works: " + askSupport + " for that name, write it into sync.toml as " +
			"access_key_field, restart spinsync, then %s"
	case configured != "" && !apiclient.SignatureWrong(refusal):
		return "if " + configured + " is not the name of the access key's form field there, write access_key_field = \"auto\" into sync.toml " +
			"and restart spinsync, then %s"
	}
	return askSupport + ", then %s"
}

// dropForm drops a form that is too old, so that the next plan asks for another one. It is a failure when another one will not
// do either. The cause is the host's word that the form has expired, or nil.
func (j *job) dropForm(s scene, cause error) error {
	verdict := judgeForm(s.record.Run.Started, j.snapshot.Changed, time.Now())
	short := s.record.Run.ShortForms
	if verdict != formServed {
		short++
	}
	err := j.update(func(r *syncstate.Record) error { r.Run.Form, r.Run.ShortForms = nil, short; return nil })
	if err != nil || verdict == formServed {
		return err
	}
	reason, remedy := "the upload form became too old before all frames were sent",
		"set fewer uploads at a time or a higher limit in [upload], or use a faster line, then %s"
	if verdict == formStale {
		reason, remedy = "a new upload form is too old already", askSupport+", then %s"
	}
	if cause != nil {
		reason += ": " + cause.Error()
	}
	if short >= refusals {
		return personal{err: errors.New(reason), remedy: remedy, detail: detailOf(cause)}
	}
	return later{until: time.Now().Add(j.d.retryPause(short)), reason: reason, cause: cause}
}

// A formVerdict is what the end of a form says about the next one.
type formVerdict int

const (
	formServed formVerdict = iota // other things took its time
	formShort                     // all frames were there when it came, and its whole life was not enough to send them
	formStale                     // it was too old as soon as it came
)

// judgeForm judges a form that is too old now, by when it came and when the folder last changed.
func judgeForm(came, changed, now time.Time) formVerdict {
	switch {
	case now.Sub(came) < formFresh:
		return formStale
	case changed.Before(came):
		return formShort
	}
	return formServed
}
