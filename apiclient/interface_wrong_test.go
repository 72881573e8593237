package apiclient_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient"
)

// A sender sends requests as the interface shows them, so that each wrong one spoils one thing.
type sender struct {
	s     *service
	form  apiclient.Credentials // open
	image int64                 // of the product
}

func newSender(s *service) *sender {
	form := s.create(1)
	image := s.publish(form, photo("a.jpg", 0))[0].ID
	return &sender{s: s, form: s.reupload(form.UUID, 2), image: image}
}

// A spoiler is a wrong request.
type spoiler func(*sender) *http.Request

// wrongRequests are requests that the interface does not allow, each wrong in one way.
var wrongRequests = map[string]spoiler{
	"another method":         asksOf("PUT", "", `{"title":"Shoe"}`),
	"another path":           asks("GET", "/api/v1/projects", nil),
	"a parameter":            asks("GET", "/api/v2/projects?title=Summer", nil),
	"a filter given twice":   asks("GET", "/api/v2/products?sku=a&sku=b", nil),
	"a filter of other name": asks("GET", "/api/v2/products?project=a", nil),
	"a query that is broken": asks("GET", "/api/v2/products?sku=%", nil),
	"a query of a create":    asks("POST", "/api/v2/projects?a=b", `{"title":"Winter"}`),
	"a query of the finish":  asksOf("POST", "/uploaded?images=2", nil),
	"a query of a delete":    asksOf("DELETE", "?force", nil),

	"no Accept":              header("Accept", ""),
	"a ZIP as JSON":          asksOf("GET", ".zip", nil),
	"JSON as a ZIP":          header("Accept", "application/zip"),
	"a cookie":               header("Cookie", "a=b"),
	"a type without a body":  header("Content-Type", "application/json"),
	"a body of another type": changed(projectOf(`{"title":"Winter"}`), "Content-Type", "text/plain"),
	"a body of no type":      changed(projectOf(`{"title":"Winter"}`), "Content-Type", ""),
	"an embed of no kind":    asksOf("GET", "/embed?type=popup", nil),
	"an embed of no width":   asksOf("GET", "/embed?type=iframe&width=wide", nil),
	"an embed with a depth":  asksOf("GET", "/embed?depth=1", nil),
	"credentials not due":    asksOf("GET", "/status", nil),
	"a finish with a body":   asksOf("POST", "/uploaded", "{}"),
	"a delete with a body":   asksOf("DELETE", "", "{}"),
	"a list with a body":     asksOf("GET", "/images", "{}"),

	"no JSON":                  projectOf("title=Winter"),
	"an array":                 projectOf(`["Winter"]`),
	"null":                     projectOf("null"),
	"an empty body":            projectOf(""),
	"two objects":              projectOf(`{"title":"Winter"}{}`),
	"half an object":           projectOf(`{"title":"Winter"`),
	"text that is not UTF-8":   projectOf("{\"title\":\"\xff\"}"),
	"a field twice":            projectOf(`{"title":"Winter","title":"Summer"}`),
	"a title that is missing":  projectOf(`{}`),
	"a title that is null":     projectOf(`{"title":null}`),
	"a title that is empty":    projectOf(`{"title":""}`),
	"a title that is a number": projectOf(`{"title":7}`),
	"a field of no name":       projectOf(`{"title":"Winter","name":"Winter"}`),

	"a product without images":       productOf(`,"images":2`, ``),
	"images as text":                 productOf(`"images":2`, `"images":"2"`),
	"no image":                       productOf(`"images":2`, `"images":0`),
	"half an image":                  productOf(`"images":2`, `"images":2.5`),
	"images with an exponent":        productOf(`"images":2`, `"images":2e0`),
	"images that are null":           productOf(`"images":2`, `"images":null`),
	"a year as a number":             productOf(`"1999"`, `1999`),
	"a year that is null":            productOf(`"1999"`, `null`),
	"a manufacturer that is null":    productOf(`"manufacturer":""`, `"manufacturer":null`),
	"a manufacturer that is missing": productOf(`"manufacturer":"",`, ``),
	"a project by its title":         productOf(`"project":"`, `"project":"Summer `),
	"a SKU that is missing":          productOf(`"sku":"S-1",`, ``),
	"a SKU as a number":              productOf(`"S-1"`, `1`),
	"a product with alt texts":       productOf(`"images":2`, `"images":2,"alt_texts":{}`),

	"an update of the project":   asksOf("PATCH", "", `{"project":"Summer"}`),
	"an update of alt texts":     asksOf("PATCH", "", `{"title":"Boot","alt_texts":{"en":"A boot"}}`),
	"an update with a null":      asksOf("PATCH", "", `{"year":null}`),
	"an update of an empty name": asksOf("PATCH", "", `{"title":""}`),
	"an update with no images":   asksOf("PATCH", "", `{"images":0}`),
	"an update without a body":   asksOf("PATCH", "", nil),

	"alt texts that are missing": alt(`{}`),
	"alt texts beside a name":    alt(`{"alt_texts":{"de":"Schuh"},"name":"a.jpg"}`),
	"alt texts as an array":      alt(`{"alt_texts":["Schuh"]}`),
	"alt texts as text":          alt(`{"alt_texts":"Schuh"}`),
	"alt texts that are null":    alt(`{"alt_texts":null}`),
	"an alt text that is null":   alt(`{"alt_texts":{"de":null}}`),
	"an alt text as a number":    alt(`{"alt_texts":{"de":1}}`),
	"an alt text of no locale":   alt(`{"alt_texts":{"":"Schuh"}}`),
	"an alt text given twice":    alt(`{"alt_texts":{"de":"Schuh","de":"Boot"}}`),
	"an image whose id is a word": func(x *sender) *http.Request {
		return x.s.request("PATCH", "/api/v2/images/a.jpg", `{"alt_texts":{}}`)
	},
	"an image id with a zero": func(x *sender) *http.Request {
		return x.s.request("PATCH", fmt.Sprintf("/api/v2/images/0%d", x.image), `{"alt_texts":{}}`)
	},

	"an upload with credentials": uploadOf(nil, func(r *http.Request) { r.SetBasicAuth("studio", "secret") }),
	"an upload with a cookie":    uploadOf(nil, func(r *http.Request) { r.Header.Set("Cookie", "a=b") }),
	"an upload with a query":     uploadOf(nil, func(r *http.Request) { r.URL.RawQuery = "acl" }),
	"an upload with PUT":         uploadOf(nil, func(r *http.Request) { r.Method = "PUT" }),
	"an upload below a path":     uploadOf(nil, func(r *http.Request) { r.URL.Path = "/views" }),
	"an upload of no length":     uploadOf(nil, func(r *http.Request) { r.ContentLength = -1 }),
	"an upload to another host":  uploadOf(nil, func(r *http.Request) { r.Host = "127.0.0.1:1" }),
	"an upload that is no form":  uploadOf(nil, func(r *http.Request) { r.Header.Set("Content-Type", "image/jpeg") }),
	"fields in another order": uploadOf(func(p []part) []part {
		p[0], p[1] = p[1], p[0]
		return p
	}, nil),
	"a file before the rest":     uploadOf(func(p []part) []part { return slices.Concat(p[6:], p[:6]) }, nil),
	"a field after the file":     uploadOf(func(p []part) []part { return append(p, part{"submit", "Upload"}) }, nil),
	"a field too many":           uploadOf(func(p []part) []part { return slices.Insert(p, 6, part{"Content-MD5", "x"}) }, nil),
	"a form without its key":     missing(0),
	"a form without its acl":     missing(1),
	"a form without its policy":  missing(3),
	"a form without a signature": missing(4),
	"a form without its type":    missing(5),
	"a form without a file":      missing(6),
	"a field in small letters":   uploadOf(func(p []part) []part { p[3].name = "policy"; return p }, nil),
	"a file as a field":          uploadOf(func(p []part) []part { p[6].name = "photo"; return p }, nil),
	"another acl":                value(1, "public-read"),
	"another access key":         value(2, "K1"),
	"another policy":             value(3, "policy"),
	"another signature":          value(4, "signature"),
	"a type with a parameter":    value(5, "image/jpeg; charset=binary"),
	"a type of no photo":         value(5, "text/html"),
	"a key beside the path":      value(0, "a.jpg"),
	"a key below a longer path":  keyed("a.jpg", "b/a.jpg"),
	"a key of a longer path":     keyed("/a.jpg", "1/a.jpg"),
	"a key that leaves the path": keyed("a.jpg", "../a.jpg"),
	"a key with a backslash":     keyed("a.jpg", `..\a.jpg`),
	"a key without a name":       keyed("a.jpg", ""),
	"a key for the host to fill": keyed("a.jpg", "${filename}.jpg"),
}

// wrongForTheStrict are requests that the sandbox lets pass: people try it with curl, under any name,
// and with any photo.
var wrongForTheStrict = map[string]spoiler{
	"any Accept":         header("Accept", "*/*"),
	"an idempotency key": header("Idempotency-Key", "1"),
	"another host": func(x *sender) *http.Request {
		r := x.s.request("GET", "/api/v2/projects", nil)
		r.Host = "127.0.0.1:1"
		return r
	},
	"another type":                 value(5, "image/png"),
	"a key of another type's name": keyed(".jpg", ".mov"),
}

func asks(method, path string, body any) spoiler {
	return func(x *sender) *http.Request { return x.s.request(method, path, body) }
}

// asksOf is for a request about the product.
func asksOf(method, below string, body any) spoiler {
	return func(x *sender) *http.Request { return x.s.request(method, "/api/v2/products/"+x.form.UUID+below, body) }
}

// changed sets a header, or takes it out.
func changed(request spoiler, name, value string) spoiler {
	return func(x *sender) *http.Request {
		r := request(x)
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
		return r
	}
}

// header changes a header of a request for the images, which has no body.
func header(name, value string) spoiler { return changed(asksOf("GET", "/images", nil), name, value) }

func projectOf(body string) spoiler { return asks("POST", "/api/v2/projects", body) }

const goodProduct = `{"title":"Shoe","sku":"S-1","manufacturer":"","year":"1999","project":%q,"images":2}`

// productOf replaces a piece of a good body.
func productOf(piece, by string) spoiler {
	return func(x *sender) *http.Request {
		good := fmt.Sprintf(goodProduct, x.s.project.UUID)
		return x.s.request("POST", "/api/v2/products", strings.Replace(good, piece, by, 1))
	}
}

func alt(body string) spoiler {
	return func(x *sender) *http.Request {
		return x.s.request("PATCH", fmt.Sprint("/api/v2/images/", x.image), body)
	}
}

// A part of a form.
type part struct{ name, value string }

// parts are a good form for a file of that name.
func (x *sender) parts(name string) []part {
	return []part{
		{"key", x.form.Path + "/" + name}, {"acl", x.form.ACL}, {x.s.keyField, x.form.AccessKeyID},
		{"Policy", x.form.Policy}, {"Signature", x.form.Signature}, {"Content-Type", "image/jpeg"},
		{"file", "photo " + name},
	}
}

// upload is a form of these parts, whose file is the part of that name.
func (x *sender) upload(parts []part) *http.Request {
	x.s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, p := range parts {
		create := form.CreateFormField
		if p.name == "file" {
			create = func(name string) (io.Writer, error) { return form.CreateFormFile(name, "photo.jpg") }
		}
		w, err := create(p.name)
		x.s.must(err)
		fmt.Fprint(w, p.value)
	}
	form.Close()
	host := strings.TrimSuffix(strings.TrimPrefix(x.form.Hostname, "http://"), "/")
	r := x.s.request("POST", "http://"+host+"/", body.String())
	r.Header = http.Header{"Content-Type": {form.FormDataContentType()}}
	return r
}

// uploadOf changes the parts of a good form, or the request that holds them.
func uploadOf(parts func([]part) []part, change func(*http.Request)) spoiler {
	return func(x *sender) *http.Request {
		good := x.parts("a.jpg")
		if parts != nil {
			good = parts(good)
		}
		r := x.upload(good)
		if change != nil {
			change(r)
		}
		return r
	}
}

func missing(i int) spoiler {
	return uploadOf(func(p []part) []part { return slices.Delete(p, i, i+1) }, nil)
}

func value(i int, text string) spoiler {
	return uploadOf(func(p []part) []part { p[i].value = text; return p }, nil)
}

// keyed replaces a piece of a good key.
func keyed(piece, by string) spoiler {
	return uploadOf(func(p []part) []part {
		p[0].value = strings.Replace(p[0].value, piece, by, 1)
		return p
	}, nil)
}

// Test_1_WhatTheInterfaceDoesNotAllowIsRefused, and changes nothing.
func Test_1_WhatTheInterfaceDoesNotAllowIsRefused(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		s.spoils = true
		x := newSender(s)
		for name, request := range map[string]spoiler{
			"images": asksOf("GET", "/images", nil), "create": productOf("", ""), "alt": alt(`{"alt_texts":{}}`), "upload": uploadOf(nil, nil),
		} {
			if got := s.do(request(x)); got.StatusCode/100 != 2 {
				t.Fatalf("%s as the interface has it: %s %s", name, got.Status, got.body)
			}
		}
		x.refuses(wrongRequests)
		if s.strict {
			x.refuses(wrongForTheStrict)
		}
	})
}

// refuses sends wrong requests. The strict service notes each.
func (x *sender) refuses(requests map[string]spoiler) {
	x.s.t.Helper()
	for name, request := range requests {
		before, noted := len(x.s.journal()), len(x.s.wrong())
		got := x.s.do(request(x))
		if got.StatusCode/100 != 4 || x.s.strict && len(x.s.wrong()) != noted+1 {
			x.s.t.Errorf("%s: %s %s, noted are %q", name, got.Status, got.body, x.s.wrong()[noted:])
		}
		if effects := x.s.journal()[before:]; len(effects) > 0 {
			x.s.t.Errorf("%s: it did %+v", name, effects)
		}
	}
}
