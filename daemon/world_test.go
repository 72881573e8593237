package daemon_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// A world is a studio with one root and a hosting service of its own.
type world struct {
	t       *testing.T
	root    string
	state   string
	service *sandbox.Server
	url     string
	toml    string // of the [[watch]] table
	calls   *calls
	unread  func(path string) error // before each reading of a photo; nil spoils nothing
}

func newWorld(t *testing.T, toml string, options ...func(*sandbox.Options)) *world {
	w := &world{t: t, root: filepath.Join(t.TempDir(), "shoots"), state: filepath.Join(t.TempDir(), "state.db"), toml: toml, calls: &calls{turn: make(chan struct{}, 1)}}
	w.mkdir("")
	o := sandbox.Options{
		Dir: t.TempDir(), Users: []sandbox.User{{Name: "studio", Password: "secret", CanEdit: true}},
		Processing: time.Millisecond, Intercept: w.calls.intercept,
	}
	for _, set := range options {
		set(&o)
	}
	service, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.service = service
	server := httptest.NewServer(service)
	w.url = server.URL
	t.Cleanup(func() {
		server.Close()
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) config() *config.Config {
	w.t.Helper()
	path := filepath.Join(filepath.Dir(w.state), "sync.toml")
	text := `
[service]
base_url = "` + w.url + `"
username = "studio"
password = "secret"
[state]
path = '` + w.state + `'
[poll]
first = "5ms"
max = "20ms"
[[watch]]
path = '` + w.root + `'
layout = "{project}/{sku}"
settle = "20ms"
` + w.toml
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	c, err := config.Load(path, os.Getenv)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// daemon opens the state file and makes a daemon on it; both end with the returned function.
func (w *world) daemon() (*daemon.Daemon, func()) {
	w.t.Helper()
	c := w.config()
	client, err := apiclient.New(apiclient.Options{BaseURL: c.Service.BaseURL, Username: c.Service.Username, Password: c.Service.Password})
	if err != nil {
		w.t.Fatal(err)
	}
	store, err := syncstate.Open(w.state, syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username})
	if err != nil {
		w.t.Fatal(err)
	}
	d, err := daemon.New(daemon.Options{Config: c, Store: store, Client: client, Log: slog.New(slog.NewTextHandler(w.log(), nil)), Spoil: w.unread})
	if err != nil {
		w.t.Fatal(err)
	}
	return d, func() {
		client.CloseIdle()
		if err := store.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

// runUntil runs the daemon until the status is as wanted.
func (w *world) runUntil(reached func([]daemon.ProductStatus) bool) {
	w.t.Helper()
	w.while(func(_ *daemon.Daemon, until func(func([]daemon.ProductStatus) bool)) { until(reached) })
}

// while runs the daemon as long as do does, which may wait until the status is as wanted.
func (w *world) while(do func(d *daemon.Daemon, until func(reached func([]daemon.ProductStatus) bool))) {
	w.t.Helper()
	d, end := w.daemon()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var ended sync.WaitGroup
	defer ended.Wait()
	ended.Go(func() {
		if err := d.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	defer cancel()
	do(d, func(reached func([]daemon.ProductStatus) bool) {
		w.t.Helper()
		for changed := d.Changed(); !reached(d.Status().Products); changed = d.Changed() {
			select {
			case <-changed:
			case <-ctx.Done():
				w.t.Fatalf("never reached; the status is %+v", d.Status())
			}
		}
	})
}

// rebuild makes a lost state file anew.
func (w *world) rebuild() (map[string]daemon.Rebuilt, error) {
	w.t.Helper()
	d, end := w.daemon()
	defer end()
	found := map[string]daemon.Rebuilt{}
	err := d.Rebuild(w.t.Context(), func(r daemon.Rebuilt) { found[r.Folder] = r })
	return found, err
}

// client speaks to the service as somebody else would.
func (w *world) client() *apiclient.Client {
	w.t.Helper()
	client, err := apiclient.New(apiclient.Options{BaseURL: w.url, Username: "studio", Password: "secret"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.CloseIdle)
	return client
}

func (w *world) describe(image int64, texts map[string]string) {
	w.t.Helper()
	if _, err := w.client().SetAltTexts(w.t.Context(), image, texts); err != nil {
		w.t.Fatal(err)
	}
}

// upload replaces the images of a product as somebody else would.
func (w *world) upload(product, name, content string) {
	w.t.Helper()
	c, ctx := w.client(), w.t.Context()
	form, err := c.Reupload(ctx, product, apiclient.ProductUpdate{}, 1)
	if err == nil {
		err = c.Upload(ctx, form, apiclient.File{
			Name: name, ContentType: "image/jpeg", Size: int64(len(content)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
		})
	}
	if err == nil {
		err = c.FinishUpload(ctx, product)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// titles lists the products on the service.
func (w *world) titles() []string {
	w.t.Helper()
	products, err := w.client().Products(w.t.Context(), apiclient.Filter{})
	if err != nil {
		w.t.Fatal(err)
	}
	var titles []string
	for _, p := range products {
		titles = append(titles, p.Title)
	}
	slices.Sort(titles)
	return titles
}

// sync makes one pass in a new life of the program and returns its verdict and the export.
func (w *world) sync() (map[string]daemon.ExportedProduct, error) {
	w.t.Helper()
	d, end := w.daemon()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	verdict := d.Sync(ctx)
	products := map[string]daemon.ExportedProduct{}
	err := d.Export(func(p daemon.ExportedProduct) error { products[p.Folder] = p; return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	return products, verdict
}

// published makes a pass that must publish everything.
func (w *world) published() map[string]daemon.ExportedProduct {
	w.t.Helper()
	products, err := w.sync()
	if err != nil {
		for name, p := range products {
			w.t.Logf("%s: %s, %s", name, p.State, p.Reason)
		}
		w.t.Fatal(err)
	}
	return products
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *world) mkdir(name string) {
	w.t.Helper()
	if err := os.MkdirAll(w.path(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, content string) {
	w.t.Helper()
	w.mkdir(filepath.ToSlash(filepath.Dir(name)))
	if err := os.WriteFile(w.path(name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// shoot writes small JPEGs whose content depends on name and take.
func (w *world) shoot(take string, names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.write(name, photo(take+name))
	}
}

// photo is a small JPEG that is another one for each seed.
func photo(seed string) string {
	img := image.NewGray(image.Rect(0, 0, 16, 16))
	for i, b := range []byte(strings.Repeat(seed, 256/len(seed)+1))[:256] {
		img.Pix[i] = color.Gray{Y: b * 7}.Y
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		panic(err)
	}
	return out.String()
}

func (w *world) log() io.Writer { return testLog{w.t} }

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}
