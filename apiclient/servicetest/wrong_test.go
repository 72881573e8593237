package servicetest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// wrongRequests are requests that the interface does not allow, each wrong in one way.
var wrongRequests = map[string]func(*client) *http.Request{
	"another method": asksOf("PUT", "", `{"title":"Shoe"}`),
	"another path":   asks("GET", "/api/v1/projects", ""),
	"another host": func(c *client) *http.Request {
		return with(c.request("GET", "/api/v2/projects", ""), func(r *http.Request) { r.Host = "127.0.0.1:1" })
	},
	"a parameter":            asks("GET", "/api/v2/projects?title=Summer", ""),
	"a filter given twice":   asks("GET", "/api/v2/products?sku=a&sku=b", ""),
	"a filter of other name": asks("GET", "/api/v2/products?project=a", ""),
	"a query of the finish":  asksOf("POST", "/uploaded?images=2", ""),

	"no Accept": header(func(h http.Header) { h.Del("Accept") }),
	"any Accept": header(func(h http.Header) {
		h.Set("Accept", "*/*")
	}),
	"a ZIP as JSON": asksOf("GET", ".zip", ""),
	"JSON as a ZIP": header(func(h http.Header) { h.Set("Accept", "application/zip") }),
	"a cookie":      header(func(h http.Header) { h.Set("Cookie", "a=b") }),
	"an idempotency key": header(func(h http.Header) {
		h.Set("Idempotency-Key", "1")
	}),
	"a type without a body": header(func(h http.Header) { h.Set("Content-Type", "application/json") }),
	"a body of another type": func(c *client) *http.Request {
		return with(c.request("POST", "/api/v2/projects", `{"title":"Winter"}`), func(r *http.Request) {
			r.Header.Set("Content-Type", "text/plain")
		})
	},
	"no credentials":       header(func(h http.Header) { h.Del("Authorization") }),
	"another password":     header(func(h http.Header) { h.Set("Authorization", "Basic c3R1ZGlvOm90aGVy") }),
	"an embed of no kind":  asksOf("GET", "/embed?type=popup", ""),
	"an embed of no width": asksOf("GET", "/embed?type=iframe&width=wide", ""),
	"credentials not due":  asksOf("GET", "/status", ""),
	"a finish with a body": asksOf("POST", "/uploaded", "{}"),
	"a delete with a body": asksOf("DELETE", "", "{}"),

	"no JSON":                  projectOf("title=Winter"),
	"an array":                 projectOf(`["Winter"]`),
	"two objects":              projectOf(`{"title":"Winter"}{}`),
	"half an object":           projectOf(`{"title":"Winter"`),
	"text that is not UTF-8":   projectOf("{\"title\":\"\xff\"}"),
	"a field twice":            projectOf(`{"title":"Winter","title":"Summer"}`),
	"a title that is missing":  projectOf(`{}`),
	"a title that is null":     projectOf(`{"title":null}`),
	"a title that is empty":    projectOf(`{"title":""}`),
	"a title that is a number": projectOf(`{"title":7}`),
	"a field of no name":       projectOf(`{"title":"Winter","name":"Winter"}`),

	"a product without images":    productOf(`,"images":2`, ``),
	"images as text":              productOf(`"images":2`, `"images":"2"`),
	"no image":                    productOf(`"images":2`, `"images":0`),
	"half an image":               productOf(`"images":2`, `"images":2.5`),
	"images with an exponent":     productOf(`"images":2`, `"images":2e0`),
	"a year as a number":          productOf(`"1999"`, `1999`),
	"a year that is null":         productOf(`"1999"`, `null`),
	"a project by its title":      productOf(`"project":"`, `"project":"Summer `),
	"a SKU that is missing":       productOf(`"sku":"S-1",`, ``),
	"a product with alt texts":    productOf(`"images":2`, `"images":2,"alt_texts":{}`),
	"an update of the project":    func(c *client) *http.Request { return c.toProduct("PATCH", "", `{"project":"`+c.project+`"}`) },
	"an update with a null":       asksOf("PATCH", "", `{"year":null}`),
	"an update with no images":    asksOf("PATCH", "", `{"images":0}`),
	"an update without a body":    asksOf("PATCH", "", ""),
	"alt texts that are missing":  alt(`{}`),
	"alt texts beside a name":     alt(`{"alt_texts":{"de":"Schuh"},"name":"a.jpg"}`),
	"alt texts as an array":       alt(`{"alt_texts":["Schuh"]}`),
	"alt texts as text":           alt(`{"alt_texts":"Schuh"}`),
	"an alt text that is null":    alt(`{"alt_texts":{"de":null}}`),
	"an alt text of no locale":    alt(`{"alt_texts":{"":"Schuh"}}`),
	"an alt text given twice":     alt(`{"alt_texts":{"de":"Schuh","de":"Boot"}}`),
	"an image whose id is a word": asks("PATCH", "/api/v2/images/a.jpg", `{"alt_texts":{}}`),
	"an image id with a zero":     asks("PATCH", "/api/v2/images/07", `{"alt_texts":{}}`),

	"an upload with credentials": uploadOf(nil, func(r *http.Request) { r.SetBasicAuth("studio", "secret") }),
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
	"a file before the rest":  uploadOf(func(p []part) []part { return slices.Concat(p[6:], p[:6]) }, nil),
	"a field after the file":  uploadOf(func(p []part) []part { return append(p, part{"submit", "Upload"}) }, nil),
	"a field too many":        uploadOf(func(p []part) []part { return slices.Insert(p, 6, part{"Content-MD5", "x"}) }, nil),
	"a form without a file":   uploadOf(func(p []part) []part { return p[:6] }, nil),
	"a form without its acl":  uploadOf(func(p []part) []part { return slices.Delete(p, 1, 2) }, nil),
	"a form without its type": uploadOf(func(p []part) []part { return slices.Delete(p, 5, 6) }, nil),
	"a field in small letters": uploadOf(func(p []part) []part {
		p[3].name = "policy"
		return p
	}, nil),
	"a file as a field":          uploadOf(func(p []part) []part { p[6].name = "photo"; return p }, nil),
	"another acl":                uploadOf(value(1, "public-read"), nil),
	"another access key":         uploadOf(value(2, "K1"), nil),
	"another policy":             uploadOf(value(3, "policy"), nil),
	"another signature":          uploadOf(value(4, "signature"), nil),
	"another type":               uploadOf(value(5, "image/png"), nil),
	"a type with a parameter":    uploadOf(value(5, "image/jpeg; charset=binary"), nil),
	"a key beside the path":      uploadOf(value(0, "a.jpg"), nil),
	"a key below a longer path":  uploadOf(func(p []part) []part { p[0].value += "/a.jpg"; return p }, nil),
	"a key that leaves the path": keyed("a.jpg", "../a.jpg"),
	"a key for the host to fill": uploadOf(func(p []part) []part {
		p[0].value = strings.Replace(p[0].value, "a.jpg", "${filename}.jpg", 1)
		return p
	}, nil),
	"a key of another type's name": keyed(".jpg", ".mov"),
}

func asks(method, path, body string) func(*client) *http.Request {
	return func(c *client) *http.Request { return c.request(method, path, body) }
}

// asksOf is for a request about the product.
func asksOf(method, below, body string) func(*client) *http.Request {
	return func(c *client) *http.Request { return c.toProduct(method, below, body) }
}

func with(r *http.Request, change func(*http.Request)) *http.Request {
	change(r)
	return r
}

// header changes the headers of a request for the images, which has no body.
func header(change func(http.Header)) func(*client) *http.Request {
	return func(c *client) *http.Request {
		return with(c.toProduct("GET", "/images", ""), func(r *http.Request) { change(r.Header) })
	}
}

func projectOf(body string) func(*client) *http.Request {
	return func(c *client) *http.Request { return c.request("POST", "/api/v2/projects", body) }
}

// productOf replaces a piece of a good body.
func productOf(piece, by string) func(*client) *http.Request {
	return func(c *client) *http.Request {
		return c.request("POST", "/api/v2/products", strings.Replace(c.newProduct(), piece, by, 1))
	}
}

func alt(body string) func(*client) *http.Request {
	return func(c *client) *http.Request { return c.request("PATCH", "/api/v2/images/1", body) }
}

// uploadOf changes the parts of a good form, or the request that holds them.
func uploadOf(parts func([]part) []part, change func(*http.Request)) func(*client) *http.Request {
	return func(c *client) *http.Request {
		good := c.parts("a.jpg")
		if parts != nil {
			good = parts(good)
		}
		r := c.upload(good)
		if change != nil {
			change(r)
		}
		return r
	}
}

// keyed replaces a piece of a good key.
func keyed(piece, by string) func(*client) *http.Request {
	return uploadOf(func(p []part) []part {
		p[0].value = strings.Replace(p[0].value, piece, by, 1)
		return p
	}, nil)
}

func value(i int, text string) func([]part) []part {
	return func(p []part) []part {
		p[i].value = text
		return p
	}
}

// TestWrongRequests: each is refused, noted, and changes nothing.
func TestWrongRequests(t *testing.T) {
	for name, request := range wrongRequests {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, 3)
			c.sends(c.upload(c.parts("b.jpg")))
			c.sends(c.toProduct("GET", "/images", ""))
			c.sends(c.status())
			before := len(c.service.stock.journal)
			w := c.serve(request(c))
			if wrong := c.service.Wrong(); w.Code != http.StatusBadRequest && w.Code != http.StatusUnauthorized || len(wrong) != 1 {
				t.Errorf("it answered %d %s, and noted %q", w.Code, w.Body, wrong)
			}
			if events := c.service.stock.journal[before:]; len(events) > 0 {
				t.Errorf("it did %v", events)
			}
		})
	}
}
