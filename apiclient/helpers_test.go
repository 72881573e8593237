package apiclient

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const (
	testUser     = "studio"
	testPassword = "canary-pass/word&<1>"
	testPolicy   = "canary-policy-bm90aGluZyB0byBzZWU=+/"
	testKey      = "canary-key-id"
	testSign     = "canary/signature+="
)

// request is what a service saw.
type request struct {
	method, uri string
	header      http.Header
	length      int64
	chunked     bool
	body        string
	from        string
}

// service is an HTTP server that writes down every request.
type service struct {
	*httptest.Server
	mu   sync.Mutex
	seen []request
}

func newService(t *testing.T, handler http.HandlerFunc) *service {
	s := &service{}
	s.Server = httptest.NewServer(s.recording(handler))
	t.Cleanup(s.Close)
	return s
}

func newTLSService(t *testing.T, handler http.HandlerFunc) *service {
	s := &service{}
	s.Server = httptest.NewTLSServer(s.recording(handler))
	t.Cleanup(s.Close)
	return s
}

func (s *service) recording(handler http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, request{r.Method, r.URL.RequestURI(), r.Header, r.ContentLength, len(r.TransferEncoding) > 0, string(body), r.RemoteAddr})
		s.mu.Unlock()
		handler(w, r)
	})
}

func (s *service) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.seen...)
}

// only returns the one request the service saw.
func (s *service) only(t *testing.T) request {
	t.Helper()
	seen := s.requests()
	if len(seen) != 1 {
		t.Fatalf("the service saw %d requests, want 1: %v", len(seen), seen)
	}
	return seen[0]
}

func (s *service) client(t *testing.T, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{BaseURL: s.URL, Username: testUser, Password: testPassword}
	if s.TLS != nil {
		o.RootCAs = x509.NewCertPool()
		o.RootCAs.AddCert(s.Certificate())
	}
	for _, f := range change {
		f(&o)
	}
	return newClient(t, o)
}

func newClient(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// answering is a handler that always gives the same answer.
func answering(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func answeringJSON(body string) http.HandlerFunc {
	return answering(http.StatusOK, "application/json", body)
}

// hangUp closes the connection instead of answering.
func hangUp(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

// testForm returns upload credentials for a host.
func testForm(hostname string) Credentials {
	return Credentials{
		UUID: "p-1", Title: "Shoe", Path: "p-1/g_1/1", Policy: testPolicy, Signature: testSign,
		Hostname: hostname, AccessKeyID: testKey, ACL: "private",
	}
}

const formJSON = `{"uuid":"p-1","title":"Shoe","path":"p-1/g_1/1","policy":"` + testPolicy + `","signature":"` + testSign +
	`","hostname":"up.example.com","access_key_id":"` + testKey + `","acl":"private"}`

// textFile is a file to upload that holds text.
func textFile(name, text string) File {
	return File{Name: name, ContentType: "image/jpeg", Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

// operation is one call of the interface and a good answer to it.
type operation struct {
	name    string
	request string // method and path
	answer  string
	call    func(context.Context, *Client) error
}

// operations are all calls to the service itself: 4.1 to 4.14 without the upload.
func operations() []operation {
	title := "Boot"
	return []operation{
		{"4.1", "POST /api/v2/projects", `{"uuid":"j-1","title":"Summer","created_at":"2027-01-02T03:04:05.678Z"}`,
			func(ctx context.Context, c *Client) error { _, err := c.CreateProject(ctx, "Summer"); return err }},
		{"4.2", "POST /api/v2/products", formJSON,
			func(ctx context.Context, c *Client) error {
				_, err := c.CreateProduct(ctx, NewProduct{Title: "Shoe", SKU: "S-1", Project: "j-1", Images: 36})
				return err
			}},
		{"4.4", "POST /api/v2/products/p-1/uploaded", `{}`,
			func(ctx context.Context, c *Client) error { return c.FinishUpload(ctx, "p-1") }},
		{"4.5", "GET /api/v2/products/p-1/embed", `{"html":"<iframe src='https://e.example.com/1'></iframe>"}`,
			func(ctx context.Context, c *Client) error { _, err := c.Embed(ctx, "p-1", EmbedOptions{}); return err }},
		{"4.6", "GET /api/v2/products", `[]`,
			func(ctx context.Context, c *Client) error { _, err := c.Products(ctx, Filter{}); return err }},
		{"4.7", "GET /api/v2/projects", `[]`,
			func(ctx context.Context, c *Client) error { _, err := c.Projects(ctx); return err }},
		{"4.8", "GET /api/v2/projects/j-1", `[]`,
			func(ctx context.Context, c *Client) error {
				_, err := c.ProjectProducts(ctx, "j-1", Filter{})
				return err
			}},
		{"4.9", "PATCH /api/v2/products/p-1", `{"notice":"OK"}`,
			func(ctx context.Context, c *Client) error {
				return c.UpdateProduct(ctx, "p-1", ProductUpdate{Title: &title})
			}},
		{"4.9 with images", "PATCH /api/v2/products/p-1", formJSON,
			func(ctx context.Context, c *Client) error {
				_, err := c.Reupload(ctx, "p-1", ProductUpdate{}, 36)
				return err
			}},
		{"4.10", "DELETE /api/v2/products/p-1", `{"notice":"OK"}`,
			func(ctx context.Context, c *Client) error { return c.DeleteProduct(ctx, "p-1") }},
		{"4.11", "GET /api/v2/products/p-1.zip", "PK\x03\x04 and so on",
			func(ctx context.Context, c *Client) error {
				_, err := c.DownloadSources(ctx, "p-1", io.Discard)
				return err
			}},
		{"4.12", "GET /api/v2/products/p-1/images", `[]`,
			func(ctx context.Context, c *Client) error { _, err := c.Images(ctx, "p-1"); return err }},
		{"4.13", "PATCH /api/v2/images/17", `{"id":17,"variant_uuid":"p-1","alt_texts":{}}`,
			func(ctx context.Context, c *Client) error { _, err := c.SetAltTexts(ctx, 17, nil); return err }},
		{"4.14", "GET /api/v2/products/p-1/status", `{"variant":{"source_revision":0,"image_status":"finished"}}`,
			func(ctx context.Context, c *Client) error { _, err := c.Status(ctx, "p-1"); return err }},
	}
}

// changes reports whether the operation does more than read.
func (o operation) changes() bool { return !strings.HasPrefix(o.request, "GET ") }

// failure returns the *Error that err must be.
func failure(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want an *Error", err, err)
	}
	return e
}

// inMemory is a client of a handler, over connections in memory.
func inMemory(t *testing.T, handler http.HandlerFunc, change ...func(*Options)) *Client {
	t.Helper()
	dialled := make(pipes)
	server := &http.Server{Handler: handler, ErrorLog: quietLog()}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(dialled) })
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	o := Options{BaseURL: "http://localhost", Username: testUser, DialContext: dialled.dial}
	for _, f := range change {
		f(&o)
	}
	return newClient(t, o)
}

// pipes is a listener in memory.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p <- there
	return here, nil
}

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// quietLog is for servers whose complaints are part of the test.
func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
