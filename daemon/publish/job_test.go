package publish

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestAnswerInPlaceOfTheServices: what came shows in the log of those who look closely, and in no
// other.
func TestAnswerInPlaceOfTheServices(t *testing.T) {
	page := &apiclient.Error{Op: "create product", Status: 502, Sample: "<html>Welcome to the hotel</html>"}
	for level, shown := range map[slog.Level]bool{slog.LevelDebug: true, slog.LevelInfo: false} {
		var log strings.Builder
		p := &Publisher{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))}
		j := NewJob(p, syncstate.Folder{Path: "Summer/SKU-1"}, nil)
		j.logAnswer(page)
		if strings.Contains(log.String(), "Welcome to the hotel") != shown {
			t.Errorf("at %s the log holds %q", level, log.String())
		}
	}
}

// TestPlannedWaitsAreNoWarnings: the protocol's own waits stand in the log only for those who look
// closely; a failed request stands there for all.
func TestPlannedWaitsAreNoWarnings(t *testing.T) {
	wait := outcome.Later(time.Now(), status.Because(status.LookingForView), nil)
	failure := &apiclient.Error{Op: "list images", Status: 502}
	for _, test := range []struct {
		err  error
		told bool
	}{
		{wait, false},
		{outcome.Later(time.Now(), status.Because(status.LookingForView), failure), true},
		{failure, true},
	} {
		var log strings.Builder
		j := NewJob(&Publisher{Log: slog.New(slog.NewTextHandler(&log, nil))}, syncstate.Folder{Path: "Summer/SKU-1"}, nil)
		j.logFailure(t.Context(), plan.Scene{}, plan.Reconcile, test.err)
		if told := log.Len() > 0; told != test.told {
			t.Errorf("%v is told: %t", test.err, told)
		}
	}
}
