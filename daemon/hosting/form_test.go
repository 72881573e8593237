package hosting

import (
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// TestRefusedFormIsNamed: people see the upload host's words, or at least its status.
func TestRefusedFormIsNamed(t *testing.T) {
	for want, refusal := range map[string]*apiclient.Error{
		"it answered 403":              {Status: 403},
		"AccessDenied":                 {Status: 403, Code: "AccessDenied"},
		"Policy expired":               {Status: 403, Messages: []string{"Policy expired"}},
		"AccessDenied: Policy expired": {Status: 403, Code: "AccessDenied", Messages: []string{"Policy expired"}},
	} {
		if got := RefusedForm(status.FormRefused, refusal); got.Text != want || got.Kind != status.FormRefused {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}
