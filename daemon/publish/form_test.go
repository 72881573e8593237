package publish

import (
	"testing"
	"time"

	"spinsync/daemon/plan/plantest"
)

// TestFormIsJudgedByWhatItsLifeWentTo: a form counts as too short only when nothing but the upload
// took its time, so that a set whose frames take days to arrive may use up as many forms as it
// likes.
func TestFormIsJudgedByWhatItsLifeWentTo(t *testing.T) {
	for _, test := range []struct {
		name            string
		age, stillSince time.Duration
		want            formVerdict
	}{
		{"frames were still arriving", time.Hour, time.Minute, formServed},
		{"the set was there all the time", time.Hour, 2 * time.Hour, formShort},
		{"it was refused at once", time.Second, 2 * time.Hour, formStale},
		{"it was refused at once while frames were arriving", time.Second, 0, formStale},
		{"it is of the future, by a clock that was set back", -time.Hour, 0, formStale},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := judgeForm(plantest.Noon.Add(-test.age), plantest.Noon.Add(-test.stillSince), plantest.Noon); got != test.want {
				t.Errorf("judged as %d, want %d", got, test.want)
			}
		})
	}
}
