package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
)

const (
	base     = "http://127.0.0.1:8361"
	user     = "studio"
	password = "pass word:1"
)

// world is a sandbox that is served over connections in memory, so that it works inside a
// testing/synctest bubble.
type world struct {
	t       *testing.T
	sandbox *sandbox.Server
	client  *apiclient.Client
	raw     *http.Client
}

func open(t *testing.T, change ...func(*sandbox.Options)) *world {
	t.Helper()
	opts := sandbox.Options{
		Dir:     t.TempDir(),
		Users:   []sandbox.User{{Name: user, Password: password, CanEdit: true}, {Name: "guest", Password: "guest"}},
		Journal: true,
		NoSync:  true,
	}
	for _, f := range change {
		f(&opts)
	}
	box, err := sandbox.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sandbox.Check(t, box)
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	network := servicetest.Serve(t, box)
	w := &world{t: t, sandbox: box, client: newClient(t, network), raw: newRaw(network)}
	t.Cleanup(func() {
		w.client.CloseIdle()
		w.raw.CloseIdleConnections()
	})
	return w
}

func newClient(t *testing.T, network *servicetest.Network) *apiclient.Client {
	client, err := apiclient.New(apiclient.Options{
		BaseURL: base, Username: user, Password: password, DialContext: network.Dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newRaw(network *servicetest.Network) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DialContext: network.Dial, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (w *world) ctx() context.Context { return w.t.Context() }

// product makes a product of so many images in a project of its own.
func (w *world) product(images int) apiclient.Credentials {
	w.t.Helper()
	project, err := w.client.CreateProject(w.ctx(), "Summer")
	w.must(err)
	form, err := w.client.CreateProduct(w.ctx(), apiclient.NewProduct{
		Title: "Shoe", SKU: "S-1", Manufacturer: "Acme", Year: "2027", Project: project.UUID, Images: images,
	})
	w.must(err)
	return form
}

func (w *world) upload(form apiclient.Credentials, files ...apiclient.File) {
	w.t.Helper()
	for _, f := range files {
		w.must(w.client.Upload(w.ctx(), form, f))
	}
}

// publish uploads and finishes.
func (w *world) publish(form apiclient.Credentials, files ...apiclient.File) {
	w.t.Helper()
	w.upload(form, files...)
	w.must(w.client.FinishUpload(w.ctx(), form.UUID))
}

func (w *world) reupload(product string, images int) apiclient.Credentials {
	w.t.Helper()
	form, err := w.client.Reupload(w.ctx(), product, apiclient.ProductUpdate{}, images)
	w.must(err)
	return form
}

func (w *world) images(product string) []apiclient.Image {
	w.t.Helper()
	images, err := w.client.Images(w.ctx(), product)
	w.must(err)
	return images
}

func (w *world) status(product string) apiclient.Status {
	w.t.Helper()
	status, err := w.client.Status(w.ctx(), product)
	w.must(err)
	return status
}

// only returns the one product that the sandbox holds.
func (w *world) only() sandbox.Product {
	w.t.Helper()
	products, err := w.sandbox.Products()
	w.must(err)
	if len(products) != 1 {
		w.t.Fatalf("%d products, want 1", len(products))
	}
	return products[0]
}

func (w *world) journal() []sandbox.Entry {
	w.t.Helper()
	journal, err := w.sandbox.Journal()
	w.must(err)
	return journal
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// answer is an answer read whole.
type answer struct {
	*http.Response
	body []byte
}

// send sends a request with the studio's credentials, and body as JSON unless it is nil.
func (w *world) send(method, path string, body any) answer {
	w.t.Helper()
	req := w.request(method, path, body)
	req.SetBasicAuth(user, password)
	return w.do(req)
}

func (w *world) request(method, path string, body any) *http.Request {
	w.t.Helper()
	var content io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(body)
	default:
		data, err := json.Marshal(body)
		w.must(err)
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(w.ctx(), method, base+strings.TrimPrefix(path, base), content)
	w.must(err)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

func (w *world) do(req *http.Request) answer {
	w.t.Helper()
	resp, err := w.raw.Do(req)
	w.must(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	w.must(err)
	return answer{resp, body}
}

// frames are so many different photos with names that sort.
func frames(n int) []apiclient.File {
	files := make([]apiclient.File, n)
	for i := range files {
		files[i] = photo(fmt.Sprintf("frame_%02d.jpg", i+1), 64, 48, uint8(10*i))
	}
	return files
}

func photo(name string, width, height int, grey uint8) apiclient.File {
	return servicetest.Photo(name, width, height, grey)
}

func file(name, mediaType, content string) apiclient.File {
	return servicetest.File(name, mediaType, []byte(content))
}

// refused returns the error of a call that must be refused.
func refused(t *testing.T, err error) *apiclient.Error {
	t.Helper()
	var refusal *apiclient.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v, want a refusal", err)
	}
	return refusal
}

const processed = 4 * time.Second // longer than the default
