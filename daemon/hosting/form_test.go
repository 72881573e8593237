package hosting

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// TestFormIsJudgedByWhatItsLifeWentTo: a form counts as too short only when nothing but the upload
// took its time, so that a set whose frames take days to arrive may use up as many forms as it
// likes.
func TestFormIsJudgedByWhatItsLifeWentTo(t *testing.T) {
	noon := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name            string
		age, stillSince time.Duration
		want            FormVerdict
	}{
		{"frames were still arriving", time.Hour, time.Minute, FormServed},
		{"the set was there all the time", time.Hour, 2 * time.Hour, FormShort},
		{"it was refused at once", time.Second, 2 * time.Hour, FormStale},
		{"it was refused at once while frames were arriving", time.Second, 0, FormStale},
		{"it is of the future, by a clock that was set back", -time.Hour, 0, FormStale},
	} {
		t.Run(test.name, func(t *testing.T) {
			var h Service
			got := h.JudgeForm(noon.Add(-test.age), noon.Add(-test.stillSince), noon)
			if got != test.want {
				t.Errorf("judged as %d, want %d", got, test.want)
			}
		})
	}
}

// TestFormWhoseLineOthersHad: on a slow line the forms of the folders that wait their turn expire,
// and nothing is wrong with that while others get through.
func TestFormWhoseLineOthersHad(t *testing.T) {
	for came, want := range map[time.Duration]FormVerdict{-time.Hour: FormServed, time.Minute: FormShort} {
		var h Service
		h.NoteFinish()
		form := time.Now().Add(came)
		if got := h.JudgeForm(form, form.Add(-time.Hour), form.Add(time.Hour)); got != want {
			t.Errorf("of a form that came %s after a finish: %d, want %d", came, got, want)
		}
	}
}

// TestRefusedFormIsTold: people hear what the upload host said, or at least how it answered.
func TestRefusedFormIsTold(t *testing.T) {
	for want, refusal := range map[string]*apiclient.Error{
		"it answered 403":              {Status: 403},
		"AccessDenied":                 {Status: 403, Code: "AccessDenied"},
		"Policy expired":               {Status: 403, Messages: []string{"Policy expired"}},
		"AccessDenied: Policy expired": {Status: 403, Code: "AccessDenied", Messages: []string{"Policy expired"}},
	} {
		if got := RefusedForm(status.FormRefused, refusal); got.Said != want || got.Kind != status.FormRefused {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}
