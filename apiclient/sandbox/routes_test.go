package sandbox_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
)

// The rules of the interface, and what they refuse, are tested in apiclient.

func TestARefusalNamesAllMistakes(t *testing.T) {
	w := open(t)
	image := "/api/v2/images/1"
	for _, test := range []struct {
		method, path, body, want string
		status                   int
	}{
		{"POST", "/api/v2/products", `{"sku":1,"images":"2"}`, `{"errors":["title is missing","manufacturer is missing",` +
			`"project is missing","sku must be a string","images must be a whole number from 1 on"]}`, 422},
		{"PATCH", image, `{"alt_texts":{"":"x","de":null},"name":1}`, `{"errors":["name is no field of this operation",` +
			`"alt_texts has a blank key","alt_texts: \"de\" must be a string"]}`, 422},
		{"POST", "/api/v2/projects", `{"title":" \t"}`, `{"errors":["title must not be blank"]}`, 422},
		{"POST", "/api/v2/projects", `{"title":"` + strings.Repeat("a", 300<<10) + `"}`, `{"errors":["the body is too large"]}`, 413},
		{"DELETE", "/", "", `{"errors":["there is nothing at this address"]}`, 404},
	} {
		got := w.send(test.method, test.path, test.body)
		if got.StatusCode != test.status || string(got.body) != test.want {
			t.Errorf("%s %s %.60s: %s %s, want %d %s", test.method, test.path, test.body, got.Status, got.body, test.status, test.want)
		}
	}
}

func TestABrowserIsAskedForCredentials(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.Users = append(o.Users, sandbox.User{}) })
	got := w.get("/api/v2/products") // not even as the user without a name
	if got.StatusCode != 401 || got.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("%s, WWW-Authenticate %q", got.Status, got.Header.Get("WWW-Authenticate"))
	}
}

func TestWhatCurlAcceptsAndSendsIsTaken(t *testing.T) {
	w := open(t)
	for accept, contentType := range map[string]string{
		"*/*": "application/json", "text/html, application/*;q=0.5": "application/json; charset=utf-8",
	} {
		req := w.request("POST", "/api/v2/projects", `{"title":"T"}`)
		req.Header.Set("Accept", accept)
		req.Header.Set("Content-Type", contentType)
		req.SetBasicAuth(user, password)
		if got := w.do(req); got.StatusCode != 201 {
			t.Errorf("%s, %s: %s %s", accept, contentType, got.Status, got.body)
		}
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
