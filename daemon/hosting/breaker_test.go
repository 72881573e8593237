package hosting

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
)

func aGate() *Breaker {
	return &Breaker{pause: func(int) time.Duration { return 10 * time.Second }, log: slog.New(slog.DiscardHandler)}
}

func admits(g *Breaker, after time.Duration, op string) bool {
	return g.enter(plantest.Noon.Add(after), op) == nil
}

func TestRetryAfterHoldsTheWholeHostWhenItIsThrottled(t *testing.T) {
	g := aGate()
	g.leave(plantest.Noon, "create product", &apiclient.Error{Status: 429, RetryAfter: time.Minute})
	g.leave(plantest.Noon.Add(time.Second), apiclient.OpStatus, nil) // was under way
	g.retry()                                                        // a person wants to try again
	if admits(g, 59*time.Second, apiclient.OpStatus) {
		t.Error("a request passed before the host's rest was over")
	}
	if !admits(g, time.Minute, apiclient.OpStatus) {
		t.Error("no request passed after the host's rest")
	}
	if admits(g, time.Minute, "list images") {
		t.Error("a second request passed beside the probe")
	}
	g.leave(plantest.Noon.Add(61*time.Second), apiclient.OpStatus, nil)
	if !admits(g, 62*time.Second, "list images") {
		t.Error("the breaker stayed tripped after a success")
	}
}

// TestTroubleOfAHostNamesNoFile: all folders that upload there show it.
func TestTroubleOfAHostNamesNoFile(t *testing.T) {
	g := aGate()
	g.leave(plantest.Noon, apiclient.OpUpload, &apiclient.Error{Op: "upload frame_29.jpg", Status: 503, UploadHost: "uploads.example.com"})
	wait := g.Blocked(plantest.Noon, "")
	if want := "upload: the upload host answered 503 Service Unavailable"; wait == nil || !strings.HasPrefix(wait.Detail, want) || strings.Contains(plantest.Words(wait.Cause), "29") {
		t.Errorf("the reason is %q, in detail %q, want %q", plantest.Words(wait.Cause), wait.Detail, want)
	}
}

func TestRetryAfterOfAnotherFailureHoldsItsOperation(t *testing.T) {
	g := aGate()
	g.leave(plantest.Noon, "create product", &apiclient.Error{Status: 500, RetryAfter: time.Minute})
	if admits(g, 59*time.Second, "create product") {
		t.Error("the operation was called again too early")
	}
	if !admits(g, time.Second, apiclient.OpStatus) || !admits(g, time.Minute, "create product") {
		t.Error("more was held than was asked for")
	}
}

// A host that refuses the password has answered: the failures before count no more.
func TestRefusedCredentialsEndTheFailures(t *testing.T) {
	g := aGate()
	g.pause = func(attempt int) time.Duration { return time.Duration(attempt) * 10 * time.Second }
	g.leave(plantest.Noon, "list projects", &apiclient.Error{Status: 503})
	g.leave(plantest.Noon.Add(time.Minute), "list projects", &apiclient.Error{Status: 401})
	later := time.Minute + rejectedPause
	g.leave(plantest.Noon.Add(later), "list projects", &apiclient.Error{Status: 503})
	if admits(g, later+9*time.Second, "list projects") || !admits(g, later+10*time.Second, "list projects") {
		t.Error("the next failure is not the first one")
	}
}

// TestWhatNeedsNoPasswordPassesBeside: the public status goes on while the password is refused, and
// its success does not let a request with that password through.
func TestWhatNeedsNoPasswordPassesBeside(t *testing.T) {
	g := aGate()
	g.leave(plantest.Noon, "list projects", &apiclient.Error{Status: 401})
	for after := time.Duration(0); after < rejectedPause; after += rejectedPause / 10 {
		if !admits(g, after, apiclient.OpStatus) {
			t.Fatal("the public status waits for the password")
		}
		g.leave(plantest.Noon.Add(after), apiclient.OpStatus, nil)
		if admits(g, after, "list projects") {
			t.Fatalf("a refused password is tried again after %v", after)
		}
	}
	g.leave(plantest.Noon, apiclient.OpStatus, &apiclient.Error{Status: 503})
	if admits(g, 9*time.Second, apiclient.OpStatus) || !admits(g, 10*time.Second, apiclient.OpStatus) || admits(g, 10*time.Second, apiclient.OpStatus) {
		t.Error("a host that fails is not spared by what needs no password")
	}
	g.leave(plantest.Noon.Add(10*time.Second), apiclient.OpStatus, nil)
	if wait := g.Blocked(plantest.Noon.Add(11*time.Second), "list projects"); wait == nil || wait.Kind != outcome.HostNeedsPerson {
		t.Error("the host answers again, and the password is forgotten")
	}
	if !admits(g, rejectedPause, "list projects") || admits(g, rejectedPause, "list images") {
		t.Error("it is not exactly one request that tries the password again")
	}
	g.leave(plantest.Noon.Add(rejectedPause), "list projects", nil)
	if !admits(g, rejectedPause, "list images") || !admits(g, rejectedPause, apiclient.OpStatus) {
		t.Error("the breaker stayed tripped after the password was accepted")
	}
}

// TestAnyAnswerAcceptsThePassword: once the pause is over, the answer to the one request with the
// password shows whether it is right, and not whether the host liked the request.
func TestAnyAnswerAcceptsThePassword(t *testing.T) {
	for name, test := range map[string]struct {
		err      error
		accepted bool
	}{
		"done":              {nil, true},
		"another refusal":   {&apiclient.Error{Status: 422}, true},
		"with a pause":      {&apiclient.Error{Status: 422, RetryAfter: time.Second}, true},
		"refused again":     {&apiclient.Error{Status: 401}, false},
		"a host in trouble": {&apiclient.Error{Status: 503}, false},
		"nothing was asked": {&apiclient.Error{Err: io.ErrUnexpectedEOF}, false},
	} {
		g := aGate()
		g.leave(plantest.Noon, "list projects", &apiclient.Error{Status: 401})
		if !admits(g, rejectedPause, "list projects") {
			t.Fatal("the password is not tried again")
		}
		g.leave(plantest.Noon.Add(rejectedPause), "list projects", test.err)
		if (g.refusal.cause == nil) != test.accepted {
			t.Errorf("%s: the refusal is %+v", name, g.refusal)
		}
	}
}

// TestNetworkMakesNoPasswordRight: a machine whose addresses change all the time does not lock an
// account.
func TestNetworkMakesNoPasswordRight(t *testing.T) {
	g := NewBreakers(func(int) time.Duration { return time.Hour }, slog.New(slog.DiscardHandler), "")
	g.Leave("", "list projects", &apiclient.Error{Status: 401})
	g.Leave("uploads.example.com", apiclient.OpUpload, unanswered(t))
	g.Reach()
	if g.Enter("", "list projects") == nil {
		t.Error("a refused password is tried again")
	}
	if g.Enter("uploads.example.com", apiclient.OpUpload) != nil {
		t.Error("a host that could not be reached is not tried again")
	}
	g.Retry()
	if g.Enter("", "list projects") != nil {
		t.Error("a person is not obeyed")
	}
}

// TestHostThatNobodyNeedsIsForgotten: an upload host that went away for good is nobody's trouble
// once forms name another one.
func TestHostThatNobodyNeedsIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const url, host = "https://views.example.com", "uploads-1.example.com"
		g := NewBreakers(func(int) time.Duration { return time.Minute }, slog.New(slog.DiscardHandler), "")
		g.Leave(host, apiclient.OpUpload, unanswered(t))
		time.Sleep(time.Minute)
		if g.Enter(host, apiclient.OpUpload) != nil || g.Status(url).Trouble == "" {
			t.Error("a host in trouble is not tried, or not shown")
		}
		g.Leave(host, apiclient.OpUpload, unanswered(t))
		time.Sleep(time.Minute + abandonedAfter)
		if s := g.Status(url); s.Trouble != "" {
			t.Errorf("it is still %+v", s)
		}
	})
}

// TestTroubleOfAHostThatLasts: a captive portal's certificate and a full disk close the gate, for one
// probe at a time, and become a person's matter only when they stay.
func TestTroubleOfAHostThatLasts(t *testing.T) {
	for name, trouble := range map[string]*apiclient.Error{
		"a certificate": {Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}},
		"a full disk":   {Op: "upload 1.jpg", UploadHost: "uploads.example.com", Status: http.StatusInsufficientStorage},
	} {
		t.Run(name, func(t *testing.T) { troubleLasts(t, trouble) })
	}
}

// A service may want another password for links, or none. A refused link holds up no other request, and
// a link that arrives does not prove that the password is accepted.
func TestPasswordOfALink(t *testing.T) {
	g := aGate()
	if !admits(g, 0, apiclient.OpEmbed) {
		t.Fatal("a breaker at rest holds a request back")
	}
	g.leave(plantest.Noon, apiclient.OpEmbed, &apiclient.Error{Op: apiclient.OpEmbed, Status: http.StatusUnauthorized})
	if !admits(g, 0, "list images") {
		t.Error("a link that is refused holds up the others")
	}
	g.leave(plantest.Noon, "list images", &apiclient.Error{Op: "list images", Status: http.StatusUnauthorized})
	g.leave(plantest.Noon.Add(2*rejectedPause), apiclient.OpEmbed, nil)
	if g.Blocked(plantest.Noon, "list images") == nil {
		t.Error("a link that is given lets others go with a refused password")
	}
}

func troubleLasts(t *testing.T, trouble *apiclient.Error) {
	g := aGate()
	for after := time.Duration(0); after <= BarredPatience; after += 15 * time.Second {
		if !admits(g, after, "list images") || after > 0 && admits(g, after, apiclient.OpStatus) {
			t.Fatalf("after %v it is not exactly one request that goes ahead", after)
		}
		g.leave(plantest.Noon.Add(after), "list images", trouble)
		if wait := g.Blocked(plantest.Noon.Add(after), ""); wait == nil || (wait.Kind == outcome.HostNeedsPerson) != (after >= BarredPatience) {
			t.Errorf("after %v the host is blocked by %+v", after, wait)
		}
		if state := g.status("").State; (state == status.Attention) != (after >= BarredPatience) {
			t.Errorf("after %v the state is %s", after, state)
		}
	}
	healed := 2 * BarredPatience
	if !admits(g, healed, "list images") {
		t.Fatal("no request finds out whether the way is free again")
	}
	g.leave(plantest.Noon.Add(healed), "list images", nil)
	if !admits(g, healed, apiclient.OpStatus) {
		t.Error("the breaker stayed tripped after a success")
	}
}

func TestWhoseTroubleAFailureIs(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		host bool
	}{
		{"a certificate", &apiclient.Error{Err: &tls.CertificateVerificationError{Err: errors.New("expired")}}, true},
		{"a full disk", &apiclient.Error{Status: 507}, true},
		{"a password", &apiclient.Error{Status: 401}, true},
		{"a right", &apiclient.Error{Status: 403}, false},
		{"a product", &apiclient.Error{Status: 404}, false},
		{"the folder", outcome.ErrChanged, false},
	} {
		g := NewBreakers(func(int) time.Duration { return time.Minute }, slog.New(slog.DiscardHandler), "")
		g.Leave("", "list images", test.err)
		now := time.Now()
		if wait := g.Blames(now, test.err); (wait != nil) != test.host || wait != nil && wait.Until.Sub(now) < 50*time.Second {
			t.Errorf("%s: the host's wait is %+v", test.name, wait)
		}
	}
}

// TestHostsHaveGatesOfTheirOwn: an upload host that is down keeps nothing from another one, nor
// from the service.
func TestHostsHaveGatesOfTheirOwn(t *testing.T) {
	g := NewBreakers(func(int) time.Duration { return time.Minute }, slog.New(slog.DiscardHandler), "")
	g.Leave("uploads-1.example.com", apiclient.OpUpload, &apiclient.Error{Status: 503, UploadHost: "uploads-1.example.com"})
	if g.Enter("uploads-1.example.com", apiclient.OpUpload) == nil {
		t.Error("an upload to the host that is down was let through")
	}
	if g.Enter("uploads-2.example.com", apiclient.OpUpload) != nil || g.Enter("", "list images") != nil {
		t.Error("another host is held back with it")
	}
	if s := g.Status("https://views.example.com"); !strings.Contains(s.Trouble, "uploads-1.example.com asks for a pause") || !strings.Contains(s.Detail, "503") {
		t.Errorf("the status is %+v", s)
	}
	g.Leave("uploads-2.example.com", apiclient.OpUpload, nil)
	if hosts := g.hosts(); slices.Contains(hosts, "uploads-2.example.com") {
		t.Errorf("gates of hosts without trouble are kept: %q", hosts)
	}
}

// TestFailuresAtOneInstantAreOne: the pause grows from probe to probe, not with the number of
// requests that were under way.
func TestFailuresAtOneInstantAreOne(t *testing.T) {
	g := aGate()
	g.pause = func(attempt int) time.Duration { return time.Duration(attempt) * 10 * time.Second }
	for range 16 {
		g.leave(plantest.Noon, apiclient.OpUpload, &apiclient.Error{Status: 503})
	}
	if admits(g, 9*time.Second, apiclient.OpUpload) || !admits(g, 10*time.Second, apiclient.OpUpload) {
		t.Error("the pause is not that after one failure")
	}
	g.leave(plantest.Noon.Add(10*time.Second), apiclient.OpUpload, &apiclient.Error{Status: 503})
	if admits(g, 29*time.Second, apiclient.OpUpload) || !admits(g, 30*time.Second, apiclient.OpUpload) {
		t.Error("the pause is not that after two")
	}
}

// A refused password is tried again by one request after each pause, for as long as it is refused.
func TestRefusedPasswordIsTriedAgain(t *testing.T) {
	g := aGate()
	for n := range 3 {
		after := time.Duration(n) * rejectedPause
		if !admits(g, after, "list images") {
			t.Errorf("after %s it is not tried", after)
		}
		g.leave(plantest.Noon.Add(after), "list images", &apiclient.Error{Status: 401})
	}
}

// What keeps all folders waiting is shown in words with the remedy, and with the failure.
func TestTroubleWithTheServiceIsShown(t *testing.T) {
	for want, failure := range map[string]*apiclient.Error{
		"does not answer; spinsync tries again by itself": unanswered(t),
		"rejects the user name or password; correct":      {Op: "list projects", Status: 401},
		"check ca_file in [service]":                      {Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}},
		"asks for a pause":                                {Status: 429},
	} {
		g := NewBreakers(func(int) time.Duration { return time.Minute }, slog.New(slog.DiscardHandler), "correct the password in FILE")
		g.Leave("", "list projects", failure)
		wait := g.Of("").Blocked(time.Now(), "")
		rejected := failure.Status == 401
		if strings.HasSuffix(plantest.Words(wait.Cause), "; correct the password in FILE") != rejected {
			t.Errorf("of %q folders show %q", failure, plantest.Words(wait.Cause))
		}
		if byPerson := rejected || lasts(failure); (wait.Cause.Remedy != "") != byPerson {
			t.Errorf("of %q the remedy is %q", failure, wait.Cause.Remedy)
		}
		s := g.Status("https://views.example.com")
		if !strings.Contains(s.Trouble, want) || s.Detail != failure.Detail() || !s.Cause.Same(wait.Cause) || (s.State == status.Attention) != rejected {
			t.Errorf("of %q it is %+v", failure, s)
		}
	}
}

// unanswered is the failure of a request to an address where nobody listens.
func unanswered(t *testing.T) *apiclient.Error {
	t.Helper()
	nobody := httptest.NewServer(nil)
	nobody.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: nobody.URL, Username: "studio", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	var failure *apiclient.Error
	if _, err = client.Products(t.Context(), apiclient.Filter{}); !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return failure
}

// TestOverloaded: a host that asks for less or does not answer is overloaded; a file that changed
// proves nothing about it.
func TestOverloaded(t *testing.T) {
	for err, want := range map[error]bool{
		fmt.Errorf("the file changed"):                                false,
		fmt.Errorf("upload a.jpg: %w", &apiclient.Error{Status: 429}): true,
		fmt.Errorf("upload a.jpg: %w", &apiclient.Error{Status: 403}): false,
	} {
		if got := Overloaded(err); got != want {
			t.Errorf("%v: %t, want %t", err, got, want)
		}
	}
}

// The longest rest counts that the host asked for in answers to several requests under way.
func TestLaterAnswerShortensNoRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBreakers(func(int) time.Duration { return time.Second }, slog.New(slog.DiscardHandler), "")
		for _, rest := range []time.Duration{time.Minute, time.Hour, 10 * time.Second} {
			b.Leave("", "list images", &apiclient.Error{Status: 500, RetryAfter: rest})
		}
		time.Sleep(time.Hour - time.Second)
		if b.Enter("", "list images") == nil {
			t.Error("the host is asked before its rest is over")
		}
		time.Sleep(2 * time.Second)
		if err := b.Enter("", "list images"); err != nil {
			t.Error(err)
		}
	})
}

// TestLaterEndOfTwoRests: where a host asked for rest, and for rest of one operation, the operation waits
// for both.
func TestLaterEndOfTwoRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := func(host, operation time.Duration) time.Duration {
			b := NewBreakers(func(int) time.Duration { return time.Second }, slog.New(slog.DiscardHandler), "")
			create := &apiclient.Error{Op: "create product", Status: 409, RetryAfter: operation}
			b.Leave("", create.Op, create)
			b.Leave("", "list images", &apiclient.Error{Op: "list images", Status: 429, RetryAfter: host})
			return time.Until(b.Asked(create))
		}
		for host, operation := range map[time.Duration]time.Duration{time.Hour: time.Minute, time.Minute: time.Hour} {
			if got := asked(host, operation); got != time.Hour {
				t.Errorf("the host asks for %v, the operation for %v: it waits %v", host, operation, got)
			}
		}
	})
}

// TestBreakersGoOn: the next breakers of a process keep the waits that a host asked for, for all
// requests or for one operation. What was under way is no more. A refused password is tried by one
// request at once.
func TestBreakersGoOn(t *testing.T) {
	breakers := func() *Breakers {
		return NewBreakers(func(int) time.Duration { return time.Second }, slog.New(slog.DiscardHandler), "")
	}
	synctest.Test(t, func(t *testing.T) {
		was, is := breakers(), breakers()
		was.Leave("", "create product", &apiclient.Error{Status: 409, RetryAfter: time.Hour})
		was.Leave("uploads.example.com", apiclient.OpUpload, &apiclient.Error{Status: 503, UploadHost: "uploads.example.com"})
		time.Sleep(time.Second)
		if err := was.Enter("uploads.example.com", apiclient.OpUpload); err != nil {
			t.Fatal("no request probes the host:", err)
		}
		is.take(was)
		if is.Enter("", "create product") == nil {
			t.Error("Retry-After of an operation is forgotten")
		}
		if err := is.Enter("", "list images"); err != nil {
			t.Error("Retry-After of an operation holds another one back:", err)
		}
		if err := is.Enter("uploads.example.com", apiclient.OpUpload); err != nil {
			t.Error("a request that has ended holds the host back:", err)
		}
		is.Leave("uploads.example.com", apiclient.OpUpload, nil)
		is.Leave("", "list projects", &apiclient.Error{Status: 401})
		next := breakers()
		next.take(is)
		if err := next.Enter("", "list images"); err != nil {
			t.Error("the refused password is not tried:", err)
		}
		if next.Enter("", "list images") == nil {
			t.Error("the refused password is forgotten")
		}
		last := breakers()
		last.take(next)
		if err := last.Enter("", "list images"); err != nil {
			t.Error("a request that has ended keeps the refused password from being tried:", err)
		}
	})
}
