package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// logging are the conclusions for a folder that go into this log.
func logging(h slog.Handler) conclusions {
	return conclusions{folder: reading.New(reading.Files{}, syncstate.Folder{Path: "Summer/SKU-1"}, nil), log: slog.New(h)}
}

// TestAnswerInPlaceOfTheServices: what came shows in the log of those who look closely, and in no
// other.
func TestAnswerInPlaceOfTheServices(t *testing.T) {
	page := &apiclient.Error{Op: "create product", Status: 502, Sample: "<html>Welcome to the hotel</html>"}
	for level, shown := range map[slog.Level]bool{slog.LevelDebug: true, slog.LevelInfo: false} {
		var log strings.Builder
		logging(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level})).logAnswer(page)
		if strings.Contains(log.String(), "Welcome to the hotel") != shown {
			t.Errorf("at %s the log holds %q", level, log.String())
		}
	}
}

// TestInterrupted: a step that ends because all is to stop is no failure of the folder. Another
// error at that moment is one.
func TestInterrupted(t *testing.T) {
	cause, failure := errors.New("the root went offline"), &apiclient.Error{Op: "list images", Status: 502}
	stopped, stop := context.WithCancelCause(t.Context())
	if interrupted(stopped, context.Canceled) {
		t.Error("a cancelled request is taken for the end of all")
	}
	stop(cause)
	for err, want := range map[error]bool{context.Canceled: true, fmt.Errorf("upload: %w", cause): true, failure: false} {
		if got := interrupted(stopped, err); got != want {
			t.Errorf("%v is an interruption: %t", err, got)
		}
	}
}

// TestPlannedWaitsAreNoWarnings: the protocol's own waits stand in the log only for those who look
// closely, as do a missing right, and a failure like the last one or like the one for which the
// folder waits for a person. Another failed request stands there for all.
func TestPlannedWaitsAreNoWarnings(t *testing.T) {
	wait := outcome.Later(time.Now(), status.Because(status.LookingForView), nil)
	failure := &apiclient.Error{Op: "list images", Status: 502}
	same := &syncstate.Trouble{Cause: outcome.CauseOf(failure), Detail: outcome.DetailOf(failure)}
	refused := &apiclient.Error{Op: "create product", Status: 403}
	for _, test := range []struct {
		before *syncstate.Trouble
		err    error
		told   bool
	}{
		{nil, refused, false},
		{nil, wait, false},
		{nil, outcome.Later(time.Now(), status.Because(status.LookingForView), failure), true},
		{nil, failure, true},
		{nil, &watcher.AccessError{Path: "Summer", Err: fs.ErrPermission}, false},
		{same, failure, false},
		{&syncstate.Trouble{Cause: same.Cause, Detail: "another request"}, failure, true},
		{&syncstate.Trouble{Cause: status.Because(status.ProductGone), Detail: same.Detail}, failure, true},
	} {
		var log strings.Builder
		before := plan.Scene{Record: syncstate.Record{Trouble: test.before}}
		tr := logging(slog.NewTextHandler(&log, nil))
		tr.gate.screen = &screen{logged: syncstate.Shown{Detail: outcome.DetailOf(refused)}}
		tr.logFailure(t.Context(), before, plan.Reconcile, test.err)
		if told := log.Len() > 0; told != test.told {
			t.Errorf("%v after %+v is logged: %t", test.err, test.before, told)
		}
	}
}
