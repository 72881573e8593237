package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// spoiling spoils the first call of one operation.
func spoiling(op string, fault sandbox.Fault) func(*sandbox.Options) {
	return func(o *sandbox.Options) {
		o.Intercept = func(c *sandbox.Call) sandbox.Fault {
			if c.Op == op && c.N == 1 {
				return fault
			}
			return sandbox.Fault{}
		}
	}
}

func TestAFaultSpoilsACreateInItsWay(t *testing.T) {
	const made, not = 1, 0
	for name, test := range map[string]struct {
		fault   sandbox.Fault
		effect  int  // projects made
		heard   bool // the client got the answer
		unclear bool // the client cannot know whether there was an effect
		status  int
	}{
		"none":                   {sandbox.Fault{}, made, true, false, 0},
		"delay":                  {sandbox.Fault{Delay: time.Minute}, made, true, false, 0},
		"delay beyond patience":  {sandbox.Fault{Delay: time.Hour}, made, false, true, 0},
		"hold beyond patience":   {sandbox.Fault{Hold: time.Hour}, made, false, true, 0},
		"dropped before":         {sandbox.Fault{DropBefore: true}, not, false, true, 0},
		"dropped in the request": {sandbox.Fault{CutRequest: 3}, not, false, true, 0},
		"dropped after":          {sandbox.Fault{DropAfter: true}, made, false, true, 0},
		"cut to nothing":         {sandbox.Fault{CutBody: -1}, made, false, true, 201},
		"cut":                    {sandbox.Fault{CutBody: 10}, made, false, true, 201},
		"not cut":                {sandbox.Fault{CutBody: 10_000}, made, true, false, 0},
		"other answer":           {sandbox.Fault{Status: 503}, not, false, true, 503},
		"other answer with work": {sandbox.Fault{Status: 502, Process: true}, made, false, true, 502},
		"other body":             {sandbox.Fault{Body: "<html>"}, not, false, true, 200},
		"other body with work":   {sandbox.Fault{Body: `{"uuid":`, Process: true}, made, false, true, 200},
		"refused":                {sandbox.Fault{Status: 422, Body: `{"errors":["no"]}`}, not, false, false, 422},
		"refused late":           {sandbox.Fault{Delay: time.Second, Status: 422, Body: `{"errors":["no"]}`}, not, false, false, 422},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := open(t, spoiling(sandbox.CreateProject, test.fault))
			_, err := w.client.CreateProject(t.Context(), "Summer")
			if heard := err == nil; heard != test.heard {
				t.Errorf("%s: error %v", name, err)
			}
			var failed *apiclient.Error
			if errors.As(err, &failed) && (failed.MayHaveTakenEffect() != test.unclear || failed.Status != test.status) {
				t.Errorf("%s: status %d, unclear %v in %v", name, failed.Status, failed.MayHaveTakenEffect(), err)
			}
			time.Sleep(2 * time.Hour)
			projects, err := w.client.Projects(t.Context())
			if err != nil || len(projects) != test.effect {
				t.Errorf("%s: %d projects, %v, want %d", name, len(projects), err, test.effect)
			}
		})
	}
}

func TestAFaultSpoilsAnUploadInItsWay(t *testing.T) {
	for name, test := range map[string]struct {
		fault  sandbox.Fault
		stored int
	}{
		"dropped before":       {sandbox.Fault{DropBefore: true}, 0},
		"dropped in the form":  {sandbox.Fault{CutRequest: 200}, 0},
		"dropped after":        {sandbox.Fault{DropAfter: true}, 1},
		"stalled":              {sandbox.Fault{Delay: time.Hour}, 0},
		"slow down":            {sandbox.Fault{Status: 503, Body: "<Error><Code>SlowDown</Code></Error>"}, 0},
		"stored but not heard": {sandbox.Fault{Process: true, Status: 500}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := open(t, spoiling(sandbox.Upload, test.fault))
			form := w.product(1)
			if err := w.client.Upload(t.Context(), form, frames(1)[0]); err == nil {
				t.Errorf("%s: no error", name)
			}
			time.Sleep(2 * time.Hour)
			if got := len(w.only().Pending); got != test.stored {
				t.Errorf("%s: %d files stored, want %d", name, got, test.stored)
			}
		})
	}
}

func TestHeadersOfAFaultAreAdded(t *testing.T) {
	w := open(t, spoiling(sandbox.ListProjects, sandbox.Fault{Header: http.Header{"Retry-After": {"7"}}}))
	got := w.send("GET", "/api/v2/projects", nil)
	if got.StatusCode != 200 || got.Header.Get("Retry-After") != "7" || string(got.body) != "[]" {
		t.Errorf("%s %v %s, want the true answer and Retry-After", got.Status, got.Header, got.body)
	}
}

func TestACutDownloadIsNoWholeOne(t *testing.T) {
	w := open(t, spoiling(sandbox.DownloadSources, sandbox.Fault{CutBody: 100}))
	form := w.product(1)
	w.publish(form, frames(1)...)
	if n, err := w.client.DownloadSources(t.Context(), form.UUID, io.Discard); err == nil || n > 100 {
		t.Errorf("%d bytes, error %v, want an error after 100", n, err)
	}
}

func TestEveryOperationHasItsName(t *testing.T) {
	names := make(chan string, 1)
	w := open(t, func(o *sandbox.Options) {
		o.Intercept = func(c *sandbox.Call) sandbox.Fault {
			names <- c.Op
			return sandbox.Fault{Status: 418}
		}
	})
	for _, test := range []struct{ name, method, path string }{
		{sandbox.CreateProject, "POST", "/api/v2/projects"}, {sandbox.CreateProduct, "POST", "/api/v2/products"}, {sandbox.Upload, "POST", "/"},
		{sandbox.FinishUpload, "POST", "/api/v2/products/u/uploaded"}, {sandbox.Embed, "GET", "/api/v2/products/u/embed"},
		{sandbox.ListProducts, "GET", "/api/v2/products"}, {sandbox.ListProjects, "GET", "/api/v2/projects"}, {sandbox.ListProductsOfProject, "GET", "/api/v2/projects/u"},
		{sandbox.UpdateProduct, "PATCH", "/api/v2/products/u"}, {sandbox.DeleteProduct, "DELETE", "/api/v2/products/u"},
		{sandbox.DownloadSources, "GET", "/api/v2/products/u.zip"}, {sandbox.ListImages, "GET", "/api/v2/products/u/images"},
		{sandbox.SetAltTexts, "PATCH", "/api/v2/images/1"}, {sandbox.ReadStatus, "GET", "/api/v2/products/u/status"},
		{"media", "GET", "/media/a/images/u/a.jpg"}, {"view", "GET", "/embed/e"}, {"home", "GET", "/"},
		{"unknown", "PUT", "/api/v2/projects"}, {"unknown", "GET", "/api/v1/projects"},
	} {
		got := w.send(test.method, test.path, nil)
		if name := <-names; name != test.name || got.StatusCode != 418 {
			t.Errorf("%s %s is %s, %s, want %s", test.method, test.path, name, got.Status, test.name)
		}
	}
}
