package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestRefusalsAreCountedApart: what passes by itself, however often it comes, takes no try away
// from a refusal.
func TestRefusalsAreCountedApart(t *testing.T) {
	busy, refused := errors.New("connection reset"), &apiclient.Error{Status: 403}
	for _, test := range []struct {
		name     string
		failures []error
		called   bool // a person
	}{
		{"a refusal after many that pass", []error{busy, busy, busy, busy, refused}, false},
		{"refusals in a row", []error{refused, refused, refused}, true},
		{"refusals between those that pass", []error{refused, busy, refused, busy, refused}, true},
		{"one that passes after refusals", []error{refused, refused, busy}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := amongHosts()
			var trouble *syncstate.Trouble
			for _, failure := range test.failures {
				trouble = tr.troubleOf(trouble, failure)
			}
			if n := trouble.Tries.N; n != len(test.failures) {
				t.Errorf("%d tries after %d", n, len(test.failures))
			}
			if called := trouble.Kind != syncstate.Retried; called != test.called {
				t.Errorf("a person is called: %t, after %v: %+v", called, test.failures, trouble)
			}
		})
	}
}

// TestWhatAnswersInTheHostsPlace: a redirect, or a page, calls a person once it has lasted, with
// the remedy, and is tried nevertheless. A fault of the service's own does not.
func TestWhatAnswersInTheHostsPlace(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a page") }))
	defer s.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: s.URL, Username: "studio"})
	if err != nil {
		t.Fatal(err)
	}
	_, nonsense := client.Projects(t.Context())
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })
	_, redirect := client.Projects(t.Context())
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	_, fault := client.Projects(t.Context())
	for failure, calls := range map[error]bool{nonsense: true, redirect: true, fault: false} {
		var trouble *syncstate.Trouble
		for n := range mostAstray {
			if trouble != nil && trouble.Kind != syncstate.Retried {
				t.Errorf("%v: a person is called after %d tries", failure, n)
			}
			trouble = amongHosts().troubleOf(trouble, failure)
		}
		if shown := trouble.Kind == syncstate.RetriedAndShown; shown != calls || calls != (trouble.Cause.Remedy != "") || trouble.Tries.Next.IsZero() {
			t.Errorf("%v: %+v, %+v", failure, trouble, trouble.Cause)
		}
	}
}

// TestAnswerThatAlwaysBreaksOff: once a person is called it is asked for some two dozen times a day, and
// not every few minutes, but still about once an hour.
func TestAnswerThatAlwaysBreaksOff(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "[")
	}))
	defer s.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: s.URL, Username: "studio"})
	if err != nil {
		t.Fatal(err)
	}
	_, brokenOff := client.Projects(t.Context())
	synctest.Test(t, func(t *testing.T) {
		tr, tries := amongHosts(), 0
		tr.pace.random = func(n int64) int64 { return n / 2 }
		var trouble *syncstate.Trouble
		for day := time.Now().Add(24 * time.Hour); time.Now().Before(day); tries++ {
			trouble = tr.troubleOf(trouble, brokenOff)
			pause := time.Until(trouble.Tries.Next)
			if pause <= 0 || pause > longestAstray+5*time.Minute {
				t.Fatalf("try %d comes after %s: %+v", tries+1, pause, trouble)
			}
			time.Sleep(pause)
		}
		if most := mostAstray + 30; tries > most || trouble.Kind != syncstate.RetriedAndShown {
			t.Errorf("%d tries in a day, at most %d are due; in the end %+v", tries, most, trouble)
		}
	})
}

// shortestPause is the shortest pause after so many tries in a row.
func shortestPause(attempt int) time.Duration {
	return schedule.Pause(attempt, func(int64) int64 { return 0 })
}

// amongHosts are the troubles of a folder, with breakers that know no host.
func amongHosts() troubles {
	return troubles{
		folder:  reading.New(reading.Files{}, syncstate.Folder{}, new(reading.Root)),
		service: &hosting.Service{Breakers: hosting.NewBreakers(shortestPause, slog.New(slog.DiscardHandler), "")},
		pace:    pace{random: func(int64) int64 { return 0 }},
	}
}

// TestRestIsTheHosts: a folder waits until the end of the rest that the service asked for, as its
// breaker counts it. Another operation does not wait.
func TestRestIsTheHosts(t *testing.T) {
	fault := func(op string, rest time.Duration) *apiclient.Error {
		return &apiclient.Error{Op: op, Status: 500, RetryAfter: rest}
	}
	synctest.Test(t, func(t *testing.T) {
		tr := amongHosts()
		tr.service.Breakers.Leave("", "create product", fault("create product", time.Hour))
		over := time.Now().Add(time.Hour)
		time.Sleep(time.Minute)
		if next := tr.troubleOf(nil, fault("create product", time.Hour)).Tries.Next; next.Before(over) || next.After(over.Add(time.Minute-1)) {
			t.Errorf("it is tried again %s after the rest", next.Sub(over))
		}
		if next := tr.troubleOf(nil, fault("list projects", 0)).Tries.Next; !next.Before(over) {
			t.Errorf("another operation is tried %s after the rest", next.Sub(over))
		}
		unread := new(apiclient.Client).Upload(t.Context(), apiclient.Credentials{}, apiclient.File{}) // of no file
		tr.service.Breakers.Leave("", "list projects", &apiclient.Error{Op: "list projects", Status: 503, RetryAfter: time.Hour})
		if next := tr.troubleOf(nil, unread).Tries.Next; time.Until(next) > time.Minute {
			t.Errorf("a file that cannot be read is tried again at %s", next)
		}
	})
}

// TestRestOfMoreThanADay: a host that asks for weeks of rest is tried again after a day, and that
// is said.
func TestRestOfMoreThanADay(t *testing.T) {
	for asked, most := range map[time.Duration]time.Duration{3 * time.Hour: 3*time.Hour + time.Minute, 30 * 24 * time.Hour: outcome.LongestRetry} {
		tr, busy := amongHosts(), &apiclient.Error{Op: "upload 1.jpg", Status: 503, RetryAfter: asked, UploadHost: "uploads.example.com"}
		tr.service.Breakers.Leave(busy.UploadHost, apiclient.OpUpload, busy)
		trouble := tr.troubleOf(nil, busy)
		rest := trouble.Tries.Next.Sub(trouble.At)
		if rest < min(asked, outcome.LongestPause) || rest > most {
			t.Errorf("asked for %s: %+v", asked, trouble)
		}
		if says := trouble.Cause.Is(status.PauseCut); says != (asked > outcome.LongestPause) {
			t.Errorf("asked for %s, the cause is %+v", asked, trouble.Cause)
		}
	}
}

// TestRestIsKeptWhileLooking: a host that asks for rest when it answers a create is not asked
// earlier whether anything was made.
func TestRestIsKeptWhileLooking(t *testing.T) {
	tr, asked := amongHosts(), &apiclient.Error{Op: "create product", Status: 503, RetryAfter: time.Hour}
	tr.service.Breakers.Leave("", asked.Op, asked)
	trouble := tr.troubleOf(nil, outcome.Later(time.Now().Add(hosting.SearchPause(1)), status.Because(status.LookingForView), asked))
	if rest := trouble.Tries.Next.Sub(trouble.At); rest < time.Hour || !trouble.Cause.Is(status.LookingForView) {
		t.Errorf("recorded is %+v", trouble)
	}
}

// TestDecisionTooLargeForTheCluster: another try would be as large, so a person divides the folder.
func TestDecisionTooLargeForTheCluster(t *testing.T) {
	trouble := amongHosts().troubleOf(nil, fmt.Errorf("the manifest: %w", syncstate.ErrTooLarge))
	if trouble.Kind != syncstate.NeedsPerson || !trouble.Cause.Is(status.TooLargeForFleet) {
		t.Errorf("recorded is %+v", trouble)
	}
}

// TestChangesThatAFleetRefuses: neither a station that has lost the work nor a record that is too large is a
// failure of the state file.
func TestChangesThatAFleetRefuses(t *testing.T) {
	l := &ledger{records: NewRecords(plantest.Store(t))}
	if next := l.notRecorded(fmt.Errorf("it is over: %w", syncstate.ErrNotActive)); next.Action != plan.Wait || next.State != status.Queued {
		t.Errorf("without the work: %v", next)
	}
	if next := l.notRecorded(syncstate.ErrTooLarge); !next.Cause.Is(status.TooLargeForFleet) {
		t.Errorf("too large: %v", next)
	}
	l.records.Failed(syncstate.ErrNotActive)
	if len(l.records.Fatal) != 0 {
		t.Errorf("the state file is opened again: %v", <-l.records.Fatal)
	}
	l.notRecorded(syncstate.ErrDamaged)
	if len(l.records.Fatal) != 1 {
		t.Error("a damaged state file is not opened again")
	}
}

// TestDoubtOfANewFolder: what another station has begun to make is in no doubt, as a folder that nobody has
// recorded is below a root that was not read whole yet.
func TestDoubtOfANewFolder(t *testing.T) {
	l := &ledger{key: syncstate.Folder{Path: "."}, root: new(reading.Root)} // which is a product folder itself
	for _, run := range []*syncstate.Run{nil, plantest.Making("SKU-1")} {
		r := syncstate.Record{Run: run}
		if l.markDoubted(&r); r.Doubted != (run == nil) {
			t.Errorf("with the run %v: %t", run, r.Doubted)
		}
	}
}

// Those who count failures get a word that does not grow with what hosts say.
func TestFailuresHaveClasses(t *testing.T) {
	gone := &watcher.AccessError{Path: "/shoots/1.jpg", Err: fs.ErrPermission}
	for want, failure := range map[string]error{
		"file":         io.ErrUnexpectedEOF,
		"no access":    gone,
		"no answer":    &apiclient.Error{Op: "create product"},
		"throttled":    &apiclient.Error{Status: 429},
		"server error": &apiclient.Error{Status: 500, Messages: []string{"Traceback"}},
		"refused":      &apiclient.Error{Status: 422},
		"wrong answer": &apiclient.Error{Status: 200},
		"barred":       &apiclient.Error{Err: apiclient.ErrProxy},
		"form short":   outcome.Because(status.FormShort),

		"too large for fleet": syncstate.ErrTooLarge,
	} {
		if got := classOf(failure); got != want {
			t.Errorf("%v is of class %q, want %q", failure, got, want)
		}
	}
}
