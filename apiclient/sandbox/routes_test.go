package sandbox_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
)

func TestAllMistakesOfABodyAreTold(t *testing.T) {
	w := open(t)
	form := w.product(1)
	product, image := "/api/v2/products/"+form.UUID, "/api/v2/images/1"
	for _, test := range []struct {
		method, path, body string
		status             int
		want               []string
	}{
		{"POST", "/api/v2/projects", `{}`, 422, []string{"title is missing"}},
		{"POST", "/api/v2/projects", `{"title":null}`, 422, []string{"title must be a string"}},
		{"POST", "/api/v2/projects", `{"title":" \t"}`, 422, []string{"title must not be blank"}},
		{"POST", "/api/v2/projects", `[]`, 400, []string{"JSON object"}},
		{"POST", "/api/v2/projects", `null`, 400, []string{"JSON object"}},
		{"POST", "/api/v2/projects", ``, 400, []string{"JSON object"}},
		{"POST", "/api/v2/projects", `{"title":"a"`, 400, []string{"JSON object"}},
		{"POST", "/api/v2/projects", `{"title":"` + strings.Repeat("a", 300<<10) + `"}`, 413, []string{"too large"}},
		{"POST", "/api/v2/products", `{"sku":1,"images":"2"}`, 422, []string{
			"title is missing", "project is missing", "manufacturer is missing", "sku must be a string",
			"images must be a whole number from 1 on",
		}},
		{"PATCH", product, `{"title":"","year":2027}`, 422, []string{"title must not be blank", "year must be a string"}},
		{"PATCH", product, `{"manufacturer":null}`, 422, []string{"manufacturer must be a string"}},
		{"PATCH", product, `{"project":"","unknown":[1]}`, 422, []string{"project is no field", "unknown is no field"}},
		{"PATCH", product, `{"sku":"a","sku":"b"}`, 400, []string{"different fields"}},
		{"PATCH", product, "{\"sku\":\"\xff\"}", 400, []string{"UTF-8"}},
		{"POST", "/api/v2/products", `{"title":"T","project":"P","images":1}`, 422, []string{"sku is missing"}},
		{"PATCH", image, `{"alt_texts":{"de":"a","de":"b"}}`, 422, []string{"different keys"}},
		{"PATCH", image, `{"alt_texts":{},"name":"a"}`, 422, []string{"name is no field"}},
		{"PATCH", product, `{"images":0}`, 422, []string{"images must be"}},
		{"PATCH", product, `{"images":1.5}`, 422, []string{"images must be"}},
		{"PATCH", product, `{"images":null}`, 422, []string{"images must be"}},
		{"PATCH", image, `{}`, 422, []string{"alt_texts is missing"}},
		{"PATCH", image, `{"alt_texts":[]}`, 422, []string{"alt_texts must be an object"}},
		{"PATCH", image, `{"alt_texts":null}`, 422, []string{"alt_texts must be an object"}},
		{"PATCH", image, `{"alt_texts":{"":"x","de":null,"en":1}}`, 422, []string{
			"alt_texts has a blank key", `alt_texts: \"de\" must be a string`, `alt_texts: \"en\" must be a string`,
		}},
		{"PATCH", image + "x", `{"alt_texts":{}}`, 404, []string{"no such image"}},
		{"PATCH", "/api/v2/images/-1", `{"alt_texts":{}}`, 404, []string{"no such image"}},
	} {
		got := w.send(test.method, test.path, test.body)
		if got.StatusCode != test.status {
			t.Errorf("%s %s %.60s: %s, want %d", test.method, test.path, test.body, got.Status, test.status)
		}
		for _, want := range test.want {
			if !strings.Contains(string(got.body), want) {
				t.Errorf("%s %s %.60s: %s, want %q", test.method, test.path, test.body, got.body, want)
			}
		}
	}
	if p := w.only(); p.Title != "Shoe" || !p.Open || len(p.Revisions) > 0 {
		t.Errorf("product %+v changed", p)
	}
}

func TestFieldsThatAreNotSentStay(t *testing.T) {
	w := open(t)
	path := "/api/v2/products/" + w.product(1).UUID
	want := w.only().Product
	if got := w.send("PATCH", path, `{"year":"","sku":"S-2"}`); got.StatusCode != 200 {
		t.Fatalf("%s %s", got.Status, got.body)
	}
	want.SKU, want.Year = "S-2", ""
	if diff := cmp.Diff(want, w.only().Product); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsSentAndWantedHasItsMediaType(t *testing.T) {
	w := open(t)
	form := w.product(1)
	w.publish(form, frames(1)...)
	for _, test := range []struct {
		method, path, accept, contentType string
		status                            int
	}{
		{"POST", "/api/v2/projects", "application/json", "application/json; charset=utf-8", 201},
		{"POST", "/api/v2/projects", "*/*", "text/plain", 415},
		{"POST", "/api/v2/projects", "*/*", "", 415},
		{"GET", "/api/v2/projects", "", "", 406},
		{"GET", "/api/v2/projects", "text/html, application/*;q=0.5", "", 200},
		{"GET", "/api/v2/projects", "text/html", "", 406},
		{"GET", "/api/v2/products/" + form.UUID + ".zip", "application/zip", "", 200},
		{"GET", "/api/v2/products/" + form.UUID + ".zip", "application/json", "", 406},
		{"GET", "/api/v2/products/" + form.UUID, "*/*", "", 404},
	} {
		req := w.request(test.method, test.path, nil)
		if test.method == "POST" {
			req = w.request(test.method, test.path, `{"title":"T"}`)
			req.Header.Set("Content-Type", test.contentType)
		}
		req.SetBasicAuth(user, password)
		req.Header.Set("Accept", test.accept)
		if got := w.do(req); got.StatusCode != test.status {
			t.Errorf("%+v: %s", test, got.Status)
		}
	}
}

// TestWhatTheInterfaceDoesNotNameIsRefused, and changes nothing.
func TestWhatTheInterfaceDoesNotNameIsRefused(t *testing.T) {
	w := open(t)
	form := w.product(1)
	w.publish(form, frames(1)...)
	product, image := "/api/v2/products/"+form.UUID, w.images(form.UUID)[0].ID
	before := len(w.journal())
	for name, req := range map[string]*http.Request{
		"a body at 4.4":              w.request("POST", product+"/uploaded", "{}"),
		"a body at 4.10":             w.request("DELETE", product, "{}"),
		"a body at 4.12":             w.request("GET", product+"/images", "{}"),
		"an image id with a zero":    w.request("PATCH", fmt.Sprintf("/api/v2/images/0%d", image), `{"alt_texts":{}}`),
		"a body of no type":          changed(w.request("DELETE", product, "{}"), "Content-Type", ""),
		"a type without a body":      changed(w.request("DELETE", product, nil), "Content-Type", "application/json"),
		"a query at 4.1":             w.request("POST", "/api/v2/projects?a=b", `{"title":"T"}`),
		"a query at 4.4":             w.request("POST", product+"/uploaded?images=1", nil),
		"a query at 4.10":            w.request("DELETE", product+"?force", nil),
		"a filter that is not known": w.request("GET", "/api/v2/products?project=P", nil),
		"a filter twice":             w.request("GET", "/api/v2/products?sku=a&sku=b", nil),
		"a filter of projects":       w.request("GET", "/api/v2/projects?title=T", nil),
		"a query that is broken":     w.request("GET", "/api/v2/products?sku=%", nil),
		"a size that is not known":   w.request("GET", product+"/embed?depth=1", nil),
		"a cookie":                   changed(w.request("GET", product+"/images", nil), "Cookie", "a=b"),
		"credentials at 4.14":        w.request("GET", product+"/status", nil),
	} {
		req.SetBasicAuth(user, password)
		if got := w.do(req); got.StatusCode != http.StatusBadRequest && got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s %s", name, got.Status, got.body)
		}
	}
	if after := w.journal()[before:]; len(after) > 0 {
		t.Errorf("refused requests did %+v", after)
	}
}

// changed sets a header of a request, or takes it out.
func changed(req *http.Request, header, value string) *http.Request {
	if req.Header.Del(header); value != "" {
		req.Header.Set(header, value)
	}
	return req
}

func TestWhatDoesNotExistHasErrors(t *testing.T) {
	w := open(t)
	for _, call := range [][2]string{
		{"GET", "/api/v2/nothing"}, {"PUT", "/api/v2/projects"}, {"GET", "/api/v2/projects/unknown"}, {"GET", "/favicon.ico"},
		{"GET", "/api/v2/products/unknown/images"}, {"GET", "/api/v2/products/unknown/embed"}, {"DELETE", "/"},
	} {
		got := w.send(call[0], call[1], nil)
		if errs, _ := got.decode(t)["errors"].([]any); got.StatusCode != 404 || len(errs) != 1 {
			t.Errorf("%s %s: %s %s, want 404 with errors", call[0], call[1], got.Status, got.body)
		}
	}
}

func TestOnlyTheWholeNameAndPasswordCount(t *testing.T) {
	w := open(t)
	for _, wrong := range [][2]string{
		{"", ""}, {user, ""}, {"", password}, {user, "guest"}, {"guest", password}, {user, password + "x"}, {user + "x", password},
	} {
		req := w.request("GET", "/api/v2/products", nil)
		req.SetBasicAuth(wrong[0], wrong[1])
		if got := w.do(req); got.StatusCode != 401 {
			t.Errorf("%q: %s, want 401", wrong, got.Status)
		}
	}
}

func TestAUserWithEmptyNameNeedsCredentialsToo(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.Users = append(o.Users, sandbox.User{}) })
	if got := w.do(w.request("GET", "/api/v2/products", nil)); got.StatusCode != 401 {
		t.Errorf("without credentials: %s, want 401", got.Status)
	}
}

func TestTheLogHoldsNoSecret(t *testing.T) {
	var log bytes.Buffer
	w := open(t, func(o *sandbox.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	form := w.product(1)
	w.publish(form, frames(1)...)
	w.client.FinishUpload(t.Context(), "unknown")
	w.must(w.sandbox.Close())
	w.send("GET", "/api/v2/projects", nil)
	if !strings.Contains(log.String(), "operation=4.3") || !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("log lacks calls: %s", log.String())
	}
	for _, secret := range []string{password, form.Policy, form.Signature, form.AccessKeyID} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}
