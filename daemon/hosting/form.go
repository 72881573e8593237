package hosting

import (
	"math"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

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
