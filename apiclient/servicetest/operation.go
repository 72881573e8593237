package servicetest

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient/sandbox"
)

// An operation is one of the interface, with all that its requests may hold.
type operation struct {
	section string // of the interface
	pattern string // method and path
	public  bool   // it takes no credentials
	accept  string // what its requests accept; empty: JSON
	query   []string
	body    schema // nil: none
	do      func(*stock, *request) (any, error)
}

// filters are the query of the lists of products, and page is what the service itself adds to the
// links of further pages.
var filters = []string{"title", "manufacturer", "sku", "year", page}

const page = "page"

// paged reports whether the service hands the answer out in pages, and wraps it.
func (op operation) paged() bool { return slices.Contains(op.query, page) }

var operations = []operation{
	{section: sandbox.CreateProject, pattern: "POST /api/v2/projects", body: newProject, do: (*stock).createProject},
	{section: sandbox.CreateProduct, pattern: "POST /api/v2/products", body: newProduct, do: (*stock).createProduct},
	{section: sandbox.FinishUpload, pattern: "POST /api/v2/products/{product}/uploaded", do: (*stock).finishUpload},
	{section: sandbox.Embed, pattern: "GET /api/v2/products/{product}/embed", query: []string{"type", "width", "height"},
		do: (*stock).embed},
	{section: sandbox.ListProducts, pattern: "GET /api/v2/products", query: filters, do: (*stock).listProducts},
	{section: sandbox.ListProjects, pattern: "GET /api/v2/projects", query: []string{page}, do: (*stock).listProjects},
	{section: sandbox.ListProductsOfProject, pattern: "GET /api/v2/projects/{project}", query: filters,
		do: (*stock).listProducts},
	{section: sandbox.UpdateProduct, pattern: "PATCH /api/v2/products/{product}", body: changedProduct,
		do: (*stock).updateProduct},
	{section: sandbox.DeleteProduct, pattern: "DELETE /api/v2/products/{product}", do: (*stock).deleteProduct},
	{section: sandbox.DownloadSources, pattern: "GET /api/v2/products/{archive}", accept: "application/zip",
		do: (*stock).sources},
	{section: sandbox.ListImages, pattern: "GET /api/v2/products/{product}/images", do: (*stock).listImages},
	{section: sandbox.SetAltTexts, pattern: "PATCH /api/v2/images/{image}", body: altTexts, do: (*stock).setAltTexts},
	{section: sandbox.ReadStatus, pattern: "GET /api/v2/products/{product}/status", public: true, do: (*stock).status},
}

// A request is one whose headers, query and body are those of its operation.
type request struct {
	*http.Request
	op     operation
	query  url.Values
	fields fields
	now    time.Time
	header http.Header // of the answer
}

// serve checks a request and does what it asks for.
func (s *Server) serve(op operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil { // the sender is gone
			panic(http.ErrAbortHandler)
		}
		asked := &request{Request: r, op: op, now: time.Now(), header: w.Header()}
		if err := s.admit(asked, body); err != nil {
			s.refuse(w, r, err)
			return
		}
		s.mu.Lock()
		answer, err := op.do(&s.stock, asked)
		s.mu.Unlock()
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		s.answer(w, asked, answer)
	})
}

// admit returns the faults of a request. An unknown sender is one, too.
func (s *Server) admit(r *request, body []byte) (err error) {
	if err := s.checkUser(r); err != nil {
		return err
	}
	if err := checkHeaders(r, len(body) > 0); err != nil {
		return err
	}
	if r.query, err = checkQuery(r.URL.RawQuery, r.op.query); err != nil {
		return err
	}
	r.fields, err = r.op.body.read(body)
	return err
}

// checkHeaders sees to section 1: what a client accepts, and what it sends.
func checkHeaders(r *request, hasBody bool) error {
	want := cmp.Or(r.op.accept, "application/json")
	if accepts := r.Header.Values("Accept"); !slices.Equal(accepts, []string{want}) {
		return wrong("it accepts %q, not %s", accepts, want)
	}
	types := r.Header.Values("Content-Type")
	switch {
	case hasBody != (r.op.body != nil):
		return wrong("that it has a body is %t", hasBody)
	case hasBody && !slices.Equal(types, []string{"application/json"}):
		return wrong("its body is of type %q, not application/json", types)
	case !hasBody && (len(types) > 0 || r.ContentLength != 0):
		return wrong("without a body it has the type %q and the length %d", types, r.ContentLength)
	}
	return checkForeignHeaders(r.Header)
}

// checkForeignHeaders refuses what only pages of a browser send, and what makes a transport repeat
// requests by itself.
func checkForeignHeaders(header http.Header) error {
	for _, name := range []string{"Cookie", "Origin", "Referer", "Idempotency-Key", "X-Idempotency-Key"} {
		if header.Get(name) != "" {
			return wrong("it has the header %s", name)
		}
	}
	return nil
}

// checkQuery takes the named parameters, each at most once.
func checkQuery(raw string, names []string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, wrong("its query cannot be read: %v", err)
	}
	for name, values := range query {
		if !slices.Contains(names, name) || len(values) != 1 {
			return nil, wrong("its query has %s=%q", name, values)
		}
	}
	return query, nil
}

// checkUser checks section 5. A public operation must not get the password either.
func (s *Server) checkUser(r *request) error {
	name, password, given := r.BasicAuth()
	switch {
	case r.op.public && r.Header.Get("Authorization") != "":
		return wrong("it carries credentials, and needs none")
	case r.op.public, r.op.section == sandbox.Embed && !given && !s.habits.EmbedUser:
		return nil
	case !given:
		return unknownUser("it carries no credentials")
	case password == "" || s.options.Users[name] != password:
		return unknownUser("its credentials are those of nobody")
	}
	return nil
}

// A refusal is why the service does not do what it is asked for.
type refusal struct {
	text   string
	status int
	wrong  bool // the interface does not allow the request at all
}

func (r *refusal) Error() string { return r.text }

// refuse answers with errors (section 7).
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var why *refusal
	if !errors.As(err, &why) {
		panic(err)
	}
	if why.wrong {
		s.note(r, why)
	}
	var element any = why.text
	if s.habits.ErrorObjects {
		element = object{"code": "refused", "message": why.text}
	}
	s.write(w, why.status, object{"errors": []any{element}})
}

// lets reports whether a filter lets a value pass.
func (h Habits) lets(filter, value string) bool {
	switch h.Filters {
	case "whole":
		return filter == "" || filter == value
	case "part":
		return strings.Contains(strings.ToLower(value), strings.ToLower(filter))
	}
	return true
}
