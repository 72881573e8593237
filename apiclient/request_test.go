package apiclient

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const portalPage = `<!DOCTYPE html><html><body>Welcome to the hotel. <iframe src="https://ads.example.com/1"></iframe></body></html>`

func TestErrorsInAnyAnswerAreAFailure(t *testing.T) {
	for _, o := range operations() {
		for _, status := range []int{200, 422, 500} {
			t.Run(fmt.Sprintf("%s %d", o.name, status), func(t *testing.T) {
				s := newService(t, answering(status, "application/json", `{"notice":"OK","errors":["Title is taken",{"message":"SKU too long","code":"E7"}]}`))
				e := failure(t, o.call(t.Context(), s.client(t)))
				if diff := cmp.Diff([]string{"Title is taken", "SKU too long (E7)"}, e.Messages); diff != "" {
					t.Error(diff)
				}
				if e.Status != status || e.Temporary() != (status == 500) {
					t.Errorf("status %d, temporary %v", e.Status, e.Temporary())
				}
				if want := o.changes() && status != 422; e.MayHaveTakenEffect() != want {
					t.Errorf("MayHaveTakenEffect() = %v, want %v", e.MayHaveTakenEffect(), want)
				}
			})
		}
	}
}

// What counts may be inside another object, and so may the errors that go with it.
func TestErrorsInsideAnotherObjectAreAFailure(t *testing.T) {
	for _, o := range operations() {
		if !slices.Contains([]string{"4.1", "4.2", "4.9", "4.9 with images", "4.10"}, o.name) {
			continue
		}
		failing := strings.Replace(o.answer, `{`, `{"errors":["image is locked"],`, 1)
		for _, body := range []string{
			`{"result":` + failing + `}`, `{"data":[` + failing + `]}`, `{"data":{"errors":["image is locked"],"result":` + o.answer + `}}`,
		} {
			s := newService(t, answeringJSON(body))
			e := failure(t, o.call(t.Context(), s.client(t)))
			if !slices.Equal(e.Messages, []string{"image is locked"}) || !e.MayHaveTakenEffect() || e.Temporary() {
				t.Errorf("%s: %s: %v, unclear %v, temporary %v", o.name, body, e, e.MayHaveTakenEffect(), e.Temporary())
			}
		}
		s := newService(t, answeringJSON(`{"result":`+strings.Replace(o.answer, `{`, `{"errors":[],`, 1)+`}`))
		if err := o.call(t.Context(), s.client(t)); err != nil {
			t.Errorf("%s without errors: %v", o.name, err)
		}
	}
}

// A page of a hotel's network, a cut body, garbage and silence are no answers of the service,
// whatever their status.
func TestWhatIsNotTheServicesAnswer(t *testing.T) {
	bodies := map[string]http.HandlerFunc{
		"captive portal":   answering(200, "text/html; charset=utf-8", portalPage),
		"garbage":          answering(200, "application/json", "{{{"),
		"trailing garbage": answering(200, "application/json", `[] []`),
		"cut": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"uuid":"p-1",`)
		},
		"cut inside a chunk": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `[`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"hung up": hangUp,
	}
	for name, handler := range bodies {
		for _, o := range operations() {
			if o.name == "4.4" && strings.Contains(name, "garbage") {
				continue // its body is not documented and may be anything
			}
			t.Run(name+" "+o.name, func(t *testing.T) {
				s := newService(t, handler)
				e := failure(t, o.call(t.Context(), s.client(t)))
				if !e.Temporary() || e.MayHaveTakenEffect() != o.changes() {
					t.Errorf("%v: temporary %v, may have taken effect %v", e, e.Temporary(), e.MayHaveTakenEffect())
				}
				if n := len(s.requests()); n != 1 {
					t.Errorf("sent %d times", n)
				}
			})
		}
	}
}

// The body of 4.4 is not documented. Some servers label whatever they send, nothing included.
func TestFinishUploadTakesAnyBody(t *testing.T) {
	for contentType, bodies := range map[string][]string{
		"text/plain": {
			"", "OK", "null", `{"anything":[1]}`, `[1,2`, `[1,2]`,
			`{"errors":[]}`, `{"errors":null}`, `{"errors":false}`, `{"errors":" "}`, `{"errors":{ }}`,
		},
		"text/html": {"", " ", `{"notice":"OK"}`},
	} {
		for _, body := range bodies {
			s := newService(t, answering(200, contentType, body))
			if err := s.client(t).FinishUpload(t.Context(), "p-1"); err != nil {
				t.Errorf("%s %q: %v", contentType, body, err)
			}
		}
	}
}

func TestANoticeSaysOK(t *testing.T) {
	for body, status := range map[string]int{
		`{"notice":"OK"}`: 200, `{"notice":"ok","errors":[]}`: 201, `{"data":{"notice":"OK"}}`: 200, ``: 204,
	} {
		s := newService(t, answering(status, "application/json", body))
		if err := s.client(t).DeleteProduct(t.Context(), "p-1"); err != nil {
			t.Errorf("%d %s: %v", status, body, err)
		}
	}
	for _, body := range []string{`{}`, `{"notice":"Failed"}`, `{"notice":null}`, `[]`, `"OK"`, ``} {
		s := newService(t, answeringJSON(body))
		if e := failure(t, s.client(t).DeleteProduct(t.Context(), "p-1")); !e.MayHaveTakenEffect() {
			t.Errorf("%q: %v", body, e)
		}
	}
}

// Another object's UUID is never taken for the project's: the list of projects shows which it is.
func TestAProjectIsFoundInsideOtherObjects(t *testing.T) {
	for body, found := range map[string]bool{
		`{"uuid":"j-1","title":"T"}`:                                                       true,
		`{"data":{"project":{"uuid":"j-1","title":"T"}}}`:                                  true,
		`{"project":{"uuid":"j-1","title":"T","owner":{"uuid":"u-1"}},"account":{"id":7}}`: true,
		`{"account":{"uuid":"a-1"},"project":{"uuid":"j-1","title":"T"}}`:                  false,
		`{"project":{"uuid":"j-1","title":"T"},"user":{"uuid":"u-1"}}`:                     false,
		`{"account":{"uuid":"a-1"},"data":{"project":{"uuid":"j-1"}}}`:                     false,
		`[{"uuid":"j-1"},{"uuid":"j-2"}]`:                                                  false,
	} {
		s := newService(t, answering(201, "application/json", body))
		p, err := s.client(t).CreateProject(t.Context(), "T")
		if !found {
			if e := failure(t, err); !e.MayHaveTakenEffect() || !e.Temporary() {
				t.Errorf("%s: %v, %v", body, p, e)
			}
		} else if err != nil || p.UUID != "j-1" || p.Title != "T" {
			t.Errorf("%s: %v, %v", body, p, err)
		}
	}
}

// A create may have taken effect unless the refusal is whole and the service's own.
func TestWhetherACreateMayHaveTakenEffect(t *testing.T) {
	tests := []struct {
		status       int
		body         string
		unclear      bool
		temporary    bool
		unauthorized bool
	}{
		{200, `{"errors":["x"]}`, false, false, false},
		{200, `{"errors":"x"}`, false, false, false},
		{200, `{"errors":["x"]`, true, true, false},
		{200, `{"uuid":"p-1","errors":["x"]}`, true, false, false},
		{201, `{"errors":[]}`, true, true, false},
		{400, `{"errors":["x"]}`, false, false, false},
		{400, `{"errors":["x"`, true, false, false},
		{401, `HTTP Basic: Access denied.`, false, false, true},
		{403, `{"error":"no"}`, false, false, true},
		{403, `<html>blocked</html>`, true, false, true},
		{404, `{}`, false, false, false},
		{408, `{}`, true, true, false},
		{409, `{"errors":["exists"]}`, true, false, false},
		{422, `{"errors":["x"]}`, false, false, false},
		{429, `{}`, false, true, false},
		{500, `{"errors":["x"]}`, true, true, false},
		{502, `<html>bad gateway</html>`, true, true, false},
		{503, ``, true, true, false},
		{504, ``, true, true, false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, test.body), func(t *testing.T) {
			s := newService(t, answering(test.status, "application/json", test.body))
			_, err := s.client(t).CreateProject(t.Context(), "Summer")
			e := failure(t, err)
			if e.MayHaveTakenEffect() != test.unclear || e.Temporary() != test.temporary || e.Unauthorized() != test.unauthorized {
				t.Errorf("%v: unclear %v, temporary %v, unauthorized %v", e, e.MayHaveTakenEffect(), e.Temporary(), e.Unauthorized())
			}
		})
	}
}

func TestARequestThatWasNotSentHadNoEffect(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	untrusted := httptest.NewUnstartedServer(nil)
	untrusted.Config.ErrorLog = quietLog()
	untrusted.StartTLS()
	defer untrusted.Close()
	for name, test := range map[string]struct {
		url       string
		temporary bool
	}{
		"nobody listens":           {closed.URL, true},
		"unknown authority":        {untrusted.URL, false},
		"name cannot be looked up": {"https://nobody.invalid", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, Options{BaseURL: test.url, Username: testUser, Password: testPassword})
			_, err := c.CreateProduct(t.Context(), NewProduct{})
			if e := failure(t, err); e.MayHaveTakenEffect() || e.Temporary() != test.temporary || e.Status != 0 {
				t.Errorf("%v: unclear %v, temporary %v", e, e.MayHaveTakenEffect(), e.Temporary())
			}
		})
	}
}

func TestAWrongCertificateIsAPersonsWork(t *testing.T) {
	s := newTLSService(t, answeringJSON(`[]`))
	s.Config.ErrorLog = quietLog()
	c := newClient(t, Options{BaseURL: s.URL, Username: testUser})
	_, err := c.Projects(t.Context())
	e := failure(t, err)
	var certificate *tls.CertificateVerificationError
	if !errors.As(err, &certificate) || !strings.Contains(e.Error(), "ca_file") || !e.Barred() {
		t.Errorf("got %v", err)
	}
	if _, err := s.client(t).Projects(t.Context()); err != nil {
		t.Errorf("with the right authority: %v", err)
	}
}

// A connection that was kept may die while a request is written to it. A create must never be in
// that doubt.
func TestCreatesUseAConnectionOfTheirOwn(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		body := `[]`
		if r.Method == http.MethodPost {
			body = formJSON
		}
		answeringJSON(body)(w, r)
	})
	c := s.client(t)
	for range 2 {
		if _, err := c.Projects(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CreateProduct(t.Context(), NewProduct{}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CreateProject(t.Context(), "Shoe"); err != nil {
			t.Fatal(err)
		}
	}
	creates := map[string]bool{}
	var reads []string
	for _, r := range s.requests() {
		if r.method == http.MethodPost {
			creates[r.from] = true
		} else {
			reads = append(reads, r.from)
		}
	}
	if len(creates) != 4 || creates[reads[0]] || reads[0] != reads[1] {
		t.Errorf("creates came from %v, reads from %v", creates, reads)
	}
}

func TestNoChangeIsSentTwice(t *testing.T) {
	for _, o := range operations() {
		if !o.changes() {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			s := newService(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					answeringJSON(`[]`)(w, r)
					return
				}
				hangUp(w, r)
			})
			c := s.client(t)
			if _, err := c.Projects(t.Context()); err != nil { // leaves a connection to be reused
				t.Fatal(err)
			}
			if e := failure(t, o.call(t.Context(), c)); !e.MayHaveTakenEffect() || !e.Temporary() {
				t.Errorf("got %v", e)
			}
			if n := len(s.requests()); n != 2 {
				t.Errorf("the service saw %d requests, want the read and one change", n)
			}
		})
	}
}

func TestAnswersAreBounded(t *testing.T) {
	huge := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"uuid":"`)
		for range maxAnswer >> 10 {
			io.WriteString(w, strings.Repeat("x", 1<<10))
		}
		io.WriteString(w, `"}`)
	}
	s := newService(t, huge)
	_, err := s.client(t).CreateProject(t.Context(), "Summer")
	if e := failure(t, err); !strings.Contains(e.Error(), "longer than") || len(e.Sample) > 2000 {
		t.Errorf("got %v, sample of %d bytes", e, len(e.Sample))
	}
}

func TestRetryAfterIsReadAndBounded(t *testing.T) {
	date := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                     0,
		"120":                  2 * time.Minute,
		" 7 ":                  7 * time.Second,
		"-1":                   0,
		"1.5":                  0,
		"soon":                 0,
		"99999999999999999999": 0,
		"2000000000":           maxRetryAfter,
		date.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		date.Add(-time.Hour).Format(http.TimeFormat):       0,
		date.AddDate(9, 0, 0).Format(http.TimeFormat):      maxRetryAfter,
	} {
		for length, status := range []int{429, 503} { // the second answer is cut off
			s := newService(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(length))
				w.Header().Set("Date", date.Format(http.TimeFormat))
				w.Header().Set("Retry-After", value)
				w.WriteHeader(status)
			})
			_, err := s.client(t).Projects(t.Context())
			if e := failure(t, err); e.RetryAfter != want || !e.Throttled() || !e.Temporary() {
				t.Errorf("Retry-After %q with %d: got %v, throttled %v", value, status, e.RetryAfter, e.Throttled())
			}
		}
	}
}

// Whatever the service sends back, no error shows a secret or a control character.
func TestErrorsShowNoSecrets(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte(testUser + ":" + testPassword))
	quoted, _ := json.Marshal(testPassword)
	echoes := []string{
		`{"errors":[` + string(quoted) + `,"` + basic + `\u001b[31m"]}`,
		formJSON[:len(formJSON)-20],
		formJSON[:len(formJSON)-100],
		strings.Replace(formJSON, `"uuid":"p-1"`, `"uuid":""`, 1),
		strings.Replace(formJSON, `"uuid":"p-1"`, `"uuid":[]`, 1),
		"\x1b]0;owned\x07 \r\n \u202e",
	}
	secrets := []string{testPassword, string(quoted), basic, testPolicy[:20], testSign[:10], "\x1b", "\r", "\u202e"}
	for _, o := range operations() {
		for _, status := range []int{200, 400, 500} {
			for _, body := range echoes {
				if strings.Contains(body, testPolicy[:20]) && !strings.HasSuffix(o.answer, formJSON) {
					continue // only the two calls that ask for a form are answered by one
				}
				s := newService(t, answering(status, "application/json", body))
				err := o.call(t.Context(), s.client(t))
				if err == nil {
					continue
				}
				e := failure(t, err)
				shown := fmt.Sprint(e, e.Messages, e.Sample, e.Err)
				for _, secret := range secrets {
					if strings.Contains(shown, secret) {
						t.Errorf("%s %d: shows %q: %s", o.name, status, secret, shown)
					}
				}
			}
		}
	}
}

// drip sends a byte a second for as long as somebody listens.
func drip(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for r.Context().Err() == nil {
		io.WriteString(w, " ")
		w.(http.Flusher).Flush()
		<-tick.C
	}
}

func TestACallHasADeadlineOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/projects") { // drips for ever
				drip(w, r)
			}
			<-r.Context().Done()
		})

		begun := time.Now()
		_, err := c.Projects(t.Context())
		e := failure(t, err)
		if took := time.Since(begun); took < 2*time.Minute || took > 3*time.Minute || !e.Temporary() {
			t.Errorf("a dripping answer ended after %v with %v", took, err)
		}
		begun = time.Now()
		_, err = c.Products(t.Context(), Filter{})
		e = failure(t, err)
		if took := time.Since(begun); took != time.Minute || !e.Temporary() {
			t.Errorf("silence ended after %v with %v", took, err)
		}
		var timeout net.Error
		if !errors.As(err, &timeout) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v is no timeout", err)
		}
	})
}

// A password that is replaced is sent no more, and neither it nor the new one shows in an error.
func TestAReplacedPasswordIsSentNoMore(t *testing.T) {
	const newPassword = "n3w-sesame"
	s := newService(t, answering(http.StatusUnauthorized, "application/json",
		fmt.Sprintf(`{"errors": ["neither %s nor %s"]}`, testPassword, newPassword)))
	c := s.client(t)
	c.SetPassword(newPassword)
	_, err := c.Projects(t.Context())
	if shown := fmt.Sprint(err); err == nil || strings.Contains(shown, testPassword) || strings.Contains(shown, newPassword) {
		t.Errorf("the error is %q", shown)
	}
	r := http.Request{Header: s.only(t).header}
	if _, sent, _ := r.BasicAuth(); sent != newPassword {
		t.Errorf("sent was %q", sent)
	}
}
