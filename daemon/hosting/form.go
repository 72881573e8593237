package hosting

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// FormFresh is the age up to which a form has no reason to be too old.
const FormFresh = 10 * time.Second

// FormOf is an upload form as it is recorded.
func FormOf(c apiclient.Credentials) *syncstate.Form {
	form := &syncstate.Form{
		Path: c.Path, Policy: c.Policy, Signature: c.Signature, Hostname: c.Hostname,
		AccessKeyID: c.AccessKeyID, ACL: c.ACL,
	}
	if hint, ok := c.Hint(); ok {
		form.Expires, form.MinSize = hint.Expires, hint.MinSize
		if hint.MaxSize < math.MaxInt64 {
			form.MaxSize = hint.MaxSize
		}
	}
	return form
}

// Credentials are those of a recorded form.
func Credentials(f *syncstate.Form) apiclient.Credentials {
	return apiclient.Credentials{
		Path: f.Path, Policy: f.Policy, Signature: f.Signature, Hostname: f.Hostname,
		AccessKeyID: f.AccessKeyID, ACL: f.ACL,
	}
}

// RefusedForm is the cause for a refused form, with the host's message.
func RefusedForm(kind status.Kind, refusal error) *status.Cause {
	var remote *apiclient.Error
	errors.As(refusal, &remote)
	words := strings.Join(append([]string{remote.Code}, remote.Messages...), ": ")
	if words = strings.TrimPrefix(words, ": "); words == "" {
		words = fmt.Sprintf("it answered %d", remote.Status)
	}
	return &status.Cause{Kind: kind, Name: outcome.HostName(remote), Text: words}
}
