package hosting

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRefusalsThatMayHideASuccess: after each the daemon searches for the thing with patience, and
// shows the service's words. After some of them a person is asked.
func TestRefusalsThatMayHideASuccess(t *testing.T) {
	blocked := CreateError(t, 403, "<html>blocked</html>")
	synctest.Test(t, func(t *testing.T) {
		var sent, searches int
		send := func(context.Context) error { sent++; return blocked }
		search := func(context.Context) ([]string, error) { searches++; return nil, nil }
		reasons, last := runCreation(t, search, send, new(*syncstate.Intent))
		if sent != Refusals || searches < Refusals*Rungs {
			t.Errorf("%d requests and %d searches", sent, searches)
		}
		for _, reason := range append(reasons, last.Error()) {
			if !strings.Contains(reason, "does not let this user make the product") {
				t.Errorf("a reason is %q", reason)
			}
		}
		if !outcome.Is(last, outcome.NeedsPerson) || !strings.Contains(outcome.DetailOf(last), "POST /api/v2/products, answered 403") {
			t.Errorf("it ends with %v (%s)", last, outcome.DetailOf(last))
		}
	})
}

// TestLostAnswersNeedNoPerson: after a create without an answer the daemon searches and sends it
// again, for as long as it takes.
func TestLostAnswersNeedNoPerson(t *testing.T) {
	lost := CreateError(t, 502, "<html>bad gateway</html>")
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		send := func(context.Context) error {
			if sent++; sent > 2*Refusals {
				return errSent
			}
			return lost
		}
		search := func(context.Context) ([]string, error) { return nil, nil }
		if _, last := runCreation(t, search, send, new(*syncstate.Intent)); !errors.Is(last, errSent) {
			t.Errorf("it ends with %v", last)
		}
	})
}

// TestSearchBeforeItsTimeDoesNotCount: neither many folders of one project nor people who press retry
// shorten the search for a create without an answer.
func TestSearchBeforeItsTimeDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		intent, began := &syncstate.Intent{Sent: true, At: time.Now()}, time.Now()
		c := CreateOnce{
			What: "product", Began: began,
			Search: func(context.Context) ([]string, error) { return nil, nil },
			Intend: func(i *syncstate.Intent) error { intent = i; return nil },
			Send:   func(context.Context) error { return errSent },
		}
		for c.Intent = intent; !errors.Is(c.Run(t.Context(), *intent), errSent); c.Intent = intent {
			time.Sleep(time.Second)
		}
		if took := time.Since(began); took < Patience() || took > 2*Patience() {
			t.Errorf("with a search each second the create was sent again after %v", took)
		}
	})
}

// TestAPersonMayHaveARefusedCreateSentAgain: what was refused for good and provably not made starts
// again.
func TestAPersonMayHaveARefusedCreateSentAgain(t *testing.T) {
	blocked := CreateError(t, 403, "<html>blocked</html>")
	synctest.Test(t, func(t *testing.T) {
		intent := new(*syncstate.Intent)
		search := func(context.Context) ([]string, error) { return nil, nil }
		runCreation(t, search, func(context.Context) error { return blocked }, intent)
		reasons, last := runCreation(t, search, func(context.Context) error { return errSent }, intent)
		if len(reasons) > 0 || !errors.Is(last, errSent) {
			t.Errorf("it ends with %v after %q", last, reasons)
		}
	})
}

// TestAnswerToAnotherRequestIsNoProof: what was asked for may be on the service under a name that no
// search recognises, so that it is not asked for twice without a person. After that person's word a
// lost answer is as any other.
func TestAnswerToAnotherRequestIsNoProof(t *testing.T) {
	other := fmt.Errorf("%w: product p-1 is that of folder Boot", apiclient.ErrOtherAnswer)
	synctest.Test(t, func(t *testing.T) {
		var sent, searches int
		send := func(context.Context) error { sent++; return other }
		search := func(context.Context) ([]string, error) { searches++; return nil, nil }
		intent := new(*syncstate.Intent)
		_, last := runCreation(t, search, send, intent)
		if sent != 1 || searches <= Rungs || !outcome.Is(last, outcome.NeedsPerson) || !strings.Contains(last.Error(), "answer belongs to another request") {
			t.Errorf("%d requests and %d searches end with %v", sent, searches, last)
		}
		if reasons, last := runCreation(t, search, send, intent); sent != 1 || len(reasons) > 0 || !outcome.Is(last, outcome.NeedsPerson) {
			t.Errorf("tried again, %d requests end with %v after %q", sent, last, reasons)
		}
		again := CreateOnce{
			What: "product", Intent: *intent, Began: time.Now(), Waived: true, Search: search,
			Send:   func(context.Context) error { return errSent }, // killed before the answer
			Intend: func(i *syncstate.Intent) error { *intent = i; return nil },
		}
		send = again.Send
		if err := again.Run(t.Context(), **intent); !errors.Is(err, errSent) {
			t.Errorf("a person's word ends with %v", err)
		}
		if reasons, last := runCreation(t, search, send, intent); len(reasons) == 0 || !errors.Is(last, errSent) {
			t.Errorf("after a kill it ends with %v after %q", last, reasons)
		}
	})
}

// For a create that a renewed state file does not know, the daemon searches as long as for one that
// it knows, before the first request.
func TestCreateAfterARenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		renewed := time.Now()
		for _, test := range []struct {
			after  time.Duration
			waived bool
			sends  bool
		}{
			{after: 0}, {after: 0, waived: true, sends: true}, {after: 141 * time.Second}, {after: 143 * time.Second, sends: true},
		} {
			time.Sleep(time.Until(renewed.Add(test.after)))
			c := CreateOnce{
				Began: renewed, Renewed: renewed, Waived: test.waived,
				Search: func(context.Context) ([]string, error) { return nil, nil },
				Intend: func(*syncstate.Intent) error { return nil },
				Send:   func(context.Context) error { return errSent },
			}
			if err := c.Run(t.Context(), syncstate.Intent{Title: "SKU-1"}); errors.Is(err, errSent) != test.sends {
				t.Errorf("%+v: %v", test, err)
			}
		}
	})
}

// The age of what a clock dated that was set back since is that of the process at most.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		time.Sleep(time.Minute)
		for sent, want := range map[time.Duration]time.Duration{-time.Hour: time.Hour + time.Minute, time.Minute: 0, 46 * time.Hour: time.Minute} {
			if got := Age(began.Add(sent), began); got != want {
				t.Errorf("sent %s after the start: %s, want %s", sent, got, want)
			}
		}
	})
}

// TestLookComesBeforeTheFirstRequest: what is there already is taken over, and of several a person
// chooses. A search that fails proves nothing. The intent is recorded before the request leaves.
func TestLookComesBeforeTheFirstRequest(t *testing.T) {
	for name, test := range map[string]struct {
		found []string
		fails error
		want  string
	}{
		"it is not there": {want: "intent request"},
		"it is there":     {found: []string{"p-1"}, want: "p-1"},
		"twice":           {found: []string{"p-1", "p-2"}},
		"a failed search": {fails: errors.New("no answer")},
	} {
		var did []string
		c := CreateOnce{
			What:   "product",
			Search: func(context.Context) ([]string, error) { return test.found, test.fails },
			Adopt:  func(uuid string) error { did = append(did, uuid); return nil },
			Intend: func(*syncstate.Intent) error { did = append(did, "intent"); return nil },
			Send:   func(context.Context) error { did = append(did, "request"); return nil },
		}
		err := c.Run(t.Context(), syncstate.Intent{Title: "SKU-1"})
		if strings.Join(did, " ") != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v", name, did, err)
		}
		if several := outcome.Needs(err, status.SeveralNamed); several != (len(test.found) > 1) || several && outcome.Of(err).Cause.Name != "product" {
			t.Errorf("%s: a person is asked %+v", name, outcome.Of(err))
		}
	}
}

// TestRestAskedForIsNoRefusal: a gateway that gave up waiting for the service may ask for rest, and the
// service may have done the work. So the search is as long as after any other answer.
func TestRestAskedForIsNoRefusal(t *testing.T) {
	for _, code := range []int{503, 504} {
		busy := CreateError(t, code, "the upstream takes too long", "Retry-After", "1")
		synctest.Test(t, func(t *testing.T) {
			var sent []time.Time
			search := func(context.Context) ([]string, error) { return nil, nil }
			send := func(context.Context) error {
				sent = append(sent, time.Now())
				if len(sent) == 1 {
					return busy
				}
				return errSent
			}
			_, last := runCreation(t, search, send, new(*syncstate.Intent))
			if !errors.Is(last, errSent) || len(sent) != 2 || sent[1].Sub(sent[0]) < Patience() {
				t.Errorf("%d: requests left at %v, and it ends with %v", code, sent, last)
			}
		})
	}
}

// TestAPersonEndsADoubt: a person's word that nothing was made has the create sent again after one
// search that agrees. A search that finds it wins.
func TestAPersonEndsADoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, found := range [][]string{nil, {"p-1"}} {
			sent, adopted := 0, ""
			c := CreateOnce{
				Intent: &syncstate.Intent{Sent: true}, Began: time.Now(), Waived: true,
				Search: func(context.Context) ([]string, error) { return found, nil },
				Send:   func(context.Context) error { sent++; return nil },
				Adopt:  func(uuid string) error { adopted = uuid; return nil },
				Intend: func(*syncstate.Intent) error { return nil },
			}
			if err := c.Run(t.Context(), *c.Intent); err != nil || (sent == 1) == (adopted == "p-1") {
				t.Errorf("%d requests, %q is adopted, and it ends with %v", sent, adopted, err)
			}
		}
	})
}

var errSent = errors.New("the request arrived")

// runCreation takes the protocol on until it asks for no more waits, and returns the reasons of
// those and the error that ended it.
func runCreation(t *testing.T, search func(context.Context) ([]string, error), send func(context.Context) error, intent **syncstate.Intent) (reasons []string, last error) {
	t.Helper()
	for range 100 {
		c := CreateOnce{
			What: "product", Intent: *intent, Began: time.Now(), Search: search, Send: send,
			Intend: func(i *syncstate.Intent) error { *intent = i; return nil },
		}
		last = c.Run(t.Context(), syncstate.Intent{Title: "SKU-1"})
		wait := outcome.Of(last)
		if wait == nil || wait.Kind != outcome.Waits {
			return reasons, last
		}
		reasons = append(reasons, plantest.Words(wait.Cause))
		time.Sleep(time.Until(wait.Until))
	}
	t.Fatal("it never ends; the last wait is because of: ", last)
	return nil, nil
}

// CreateError is what a create comes to when this is the answer.
func CreateError(t *testing.T, status int, body string, header ...string) error {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if len(header) > 0 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, Username: "studio"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdle()
	_, err = client.CreateProduct(t.Context(), apiclient.NewProduct{Title: "SKU-1"})
	return err
}

// TestClockSetBackWhileLooking: the search for a create without an answer goes on by the clock as it
// is now, with all its patience.
func TestClockSetBackWhileLooking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		intent := &syncstate.Intent{Sent: true, Looks: syncstate.Tries{N: 1, Next: began.Add(3 * time.Hour)}}
		search := func(context.Context) ([]string, error) { return nil, nil }
		send := func(context.Context) error { return errSent }
		if _, last := runCreation(t, search, send, &intent); !errors.Is(last, errSent) {
			t.Errorf("it ends with %v", last)
		}
		if took := time.Since(began); took < Patience() || took > 2*Patience() {
			t.Errorf("the search took %v", took)
		}
	})
}

// TestRequestBeginsAnotherDoubt: what is recorded before a request has nothing of the request
// before, but how often it was refused.
func TestRequestBeginsAnotherDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := syncstate.Intent{
			Title: "Shoe", At: time.Now().Add(-time.Hour), Sent: true, Looks: syncstate.Tries{N: Rungs, Next: time.Now()},
			Answer: status.Because(status.NoAnswer), Detail: "a request", Refusals: 1,
		}
		var recorded []syncstate.Intent
		c := CreateOnce{
			What: "product", Intent: &before, Began: time.Now(),
			Search: func(context.Context) ([]string, error) { return nil, nil },
			Intend: func(i *syncstate.Intent) error { recorded = append(recorded, *i); return nil },
			Send:   func(context.Context) error { return errSent },
		}
		err := c.Run(t.Context(), before)
		want := []syncstate.Intent{{Title: "Shoe", At: time.Now(), Sent: true, Refusals: 1}}
		if diff := cmp.Diff(want, recorded); diff != "" || !errors.Is(err, errSent) {
			t.Errorf("%v: %s", err, diff)
		}
	})
}
