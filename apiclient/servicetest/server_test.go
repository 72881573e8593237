package servicetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const testHost = "127.0.0.1:8000"

// A client sends requests as the interface shows them, so that each test spoils one.
type client struct {
	t       *testing.T
	service *Server
	project string
	product string
	form    map[string]string // credentials
}

// newClient makes a service with a project and a product of two images.
func newClient(t *testing.T, seed uint64) *client {
	t.Helper()
	c := &client{t: t, service: New(Options{
		Seed: seed, Host: testHost, Users: map[string]string{"studio": "secret"}, Processing: time.Minute,
		FormLifetime: time.Hour,
	})}
	c.project = c.sends(c.request("POST", "/api/v2/projects", `{"title":"Summer"}`))["uuid"].(string)
	answer := c.sends(c.request("POST", "/api/v2/products", c.newProduct()))
	c.product = answer["uuid"].(string)
	c.form = credentials(answer)
	return c
}

func (c *client) newProduct() string {
	return fmt.Sprintf(`{"title":"Shoe","sku":"S-1","manufacturer":"","year":"1999","project":%q,"images":2}`, c.project)
}

func (c *client) request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, "http://"+testHost+path, strings.NewReader(body))
	r.Header.Set("Accept", "application/json")
	r.SetBasicAuth("studio", "secret")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// toProduct is a request about the client's product.
func (c *client) toProduct(method, below, body string) *http.Request {
	return c.request(method, "/api/v2/products/"+c.product+below, body)
}

// status is a request without credentials.
func (c *client) status() *http.Request {
	r := c.toProduct("GET", "/status", "")
	r.Header.Del("Authorization")
	return r
}

// sends expects a request to succeed, and reads the object that answers it, even if empty.
func (c *client) sends(r *http.Request) map[string]any {
	c.t.Helper()
	w := c.serve(r)
	answer := map[string]any{}
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	if w.Code/100 != 2 || answer["errors"] != nil || len(c.service.Wrong()) > 0 {
		c.t.Fatalf("%s %s: %d %s %q", r.Method, r.URL, w.Code, w.Body, c.service.Wrong())
	}
	return answer
}

func (c *client) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.service.ServeHTTP(w, r)
	return w
}

// credentials are the upload credentials in an answer, bare or wrapped.
func credentials(answer map[string]any) map[string]string {
	form := map[string]string{}
	for name, value := range answer {
		switch v := value.(type) {
		case string:
			form[name] = v
		case map[string]any:
			if v["policy"] != nil {
				return credentials(v)
			}
		}
	}
	return form
}

// A part of a form.
type part struct{ name, value string }

func (c *client) parts(name string) []part {
	return []part{
		{"key", c.form["path"] + "/" + name},
		{"acl", c.form["acl"]},
		{c.service.habits.KeyField, c.form["access_key_id"]},
		{"Policy", c.form["policy"]},
		{"Signature", c.form["signature"]},
		{"Content-Type", "image/jpeg"},
		{"file", "photo " + name},
	}
}

// upload is a form of these parts, whose file is the part of that name.
func (c *client) upload(parts []part) *http.Request {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, p := range parts {
		create := form.CreateFormField
		if p.name == "file" {
			create = func(name string) (io.Writer, error) { return form.CreateFormFile(name, "photo.jpg") }
		}
		w, err := create(p.name)
		if err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprint(w, p.value)
	}
	form.Close()
	host := strings.TrimSuffix(strings.TrimPrefix(c.form["hostname"], "http://"), "/")
	r := httptest.NewRequest("POST", "http://"+host+"/", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return r
}

// publish sends two files and waits until they are processed.
func (c *client) publish() {
	c.t.Helper()
	for _, name := range []string{"b.jpg", "a.jpg"} {
		c.sends(c.upload(c.parts(name)))
	}
	c.sends(c.toProduct("POST", "/uploaded", ""))
	time.Sleep(2 * time.Minute)
}

// inBubbles runs a test with many seeds, each in the time of a bubble.
func inBubbles(t *testing.T, test func(*testing.T, *client)) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newClient(t, seed)) })
		})
	}
}

// A reupload has another revision, and images that are not ready before it is finished.
func TestReupload(t *testing.T) {
	inBubbles(t, func(t *testing.T, c *client) {
		c.publish()
		before := c.service.stock.viewOf(c.service.stock.products[0], time.Now())
		c.form = credentials(c.sends(c.toProduct("PATCH", "", `{"title":"Boot","images":2}`)))
		c.publish()
		after := c.service.stock.viewOf(c.service.stock.products[0], time.Now())
		if after.revision <= before.revision || after.word != finished || !after.ready {
			t.Errorf("%+v became %+v", before, after)
		}
		for _, i := range after.images {
			if i.revision == before.images[0].revision {
				t.Errorf("image %d is an old one", i.id)
			}
		}
		if named := path.Base(after.images[0].source) == "a.jpg"; named != c.service.ShowsNames() {
			t.Errorf("a.jpg is stored as %s, and its name is listed: %v", after.images[0].source, c.service.ShowsNames())
		}
	})
}

// What could have been right is refused, and is no fault of the client.
func TestRefusedWithoutFault(t *testing.T) {
	tests := map[string]func(c *client) *http.Request{
		"a product that is not there": func(c *client) *http.Request {
			c.product = c.project
			return c.toProduct("GET", "/images", "")
		},
		"a form that is too old": func(c *client) *http.Request {
			time.Sleep(2 * time.Hour)
			return c.upload(c.parts("a.jpg"))
		},
		"another vendor's access key": func(c *client) *http.Request {
			parts := c.parts("a.jpg")
			parts[2].name = "GoogleAccessId"
			return c.upload(parts)
		},
	}
	for name, request := range tests {
		t.Run(name, func(t *testing.T) {
			inBubbles(t, func(t *testing.T, c *client) {
				events := len(c.service.stock.journal)
				w := c.serve(request(c))
				refused := w.Code/100 != 2 || strings.Contains(w.Body.String(), `"errors"`)
				if !refused || len(c.service.stock.journal) != events || len(c.service.Wrong()) > 0 {
					t.Errorf("it answered %d %s, %q", w.Code, w.Body, c.service.Wrong())
				}
			})
		})
	}
}

// Lists may still have a removed thing, for as long as they lag.
func TestListsOfRemovedThings(t *testing.T) {
	inBubbles(t, func(t *testing.T, c *client) {
		c.service.stock.options.RemovedLag = time.Minute
		lists := func() string {
			projects := c.serve(c.request("GET", "/api/v2/projects", "")).Body.String()
			products := c.serve(c.request("GET", "/api/v2/products", "")).Body.String()
			return fmt.Sprint(strings.Contains(projects, c.project), strings.Contains(products, c.product))
		}
		if err := c.service.RemoveProject(c.project); err != nil {
			t.Fatal(err)
		}
		if variant := c.sends(c.status())["variant"]; variant != nil {
			t.Errorf("the removed product has the status %v", variant)
		}
		time.Sleep(time.Minute - time.Nanosecond)
		if got := lists(); got != "true true" {
			t.Errorf("listed before the lag is over: %s", got)
		}
		time.Sleep(time.Nanosecond)
		if got := lists(); got != "false false" {
			t.Errorf("listed after the lag: %s", got)
		}
	})
}
