package daemon_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/hosting"
	"spinsync/daemon/layout"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// worldsAtATime is how many tests with a world run beside each other. They wait for most of their
// time, so more of them go well together than there are processors.
const worldsAtATime = "12"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", worldsAtATime); err != nil { // -parallel overrules it
		panic(err)
	}
	os.Exit(m.Run())
}

// A world is a studio with one root and a hosting service of its own.
type world struct {
	t       *testing.T
	root    string
	state   string
	service interface {
		http.Handler
		Products() ([]sandbox.Product, error)
		RemoveProject(uuid string) error
	}
	url     string
	settle  string // "20ms" when empty
	toml    string // of the [[watch]] table
	project string // of all folders, which then lie in the root; empty: each lies in its own
	calls   *calls
	unread  func(path string) error // before each reading of a photo; nil spoils nothing
	stagger func(folder syncstate.Folder, frame string) time.Duration
	log     *slog.Logger // nil: that of the test
}

// newWorld makes a world that shares nothing with others, so that its test runs beside theirs.
func newWorld(t *testing.T, toml string, options ...func(*sandbox.Options)) *world {
	t.Parallel()
	return worldAlone(t, toml, options...)
}

// worldAlone makes the world of a test that runs beside no other.
func worldAlone(t *testing.T, toml string, options ...func(*sandbox.Options)) *world {
	w := newStudio(t, toml)
	o := sandbox.Options{Processing: time.Millisecond, Intercept: w.calls.intercept}
	for _, set := range options {
		set(&o)
	}
	w.service, w.url = daemontest.Service(t, o)
	return w
}

// newStudio makes a world without a service.
func newStudio(t *testing.T, toml string) *world {
	dir := t.TempDir()
	w := &world{t: t, root: filepath.Join(dir, "shoots"), state: filepath.Join(dir, "state.db"), toml: toml, calls: &calls{turn: make(chan struct{}, 1)}}
	w.mkdir("")
	return w
}

func (w *world) config() *config.Config {
	w.t.Helper()
	c := daemontest.Config(w.t, filepath.Dir(w.state), w.url, "settle = \""+cmp.Or(w.settle, "20ms")+"\"\n"+w.toml)
	c.Watch[0].Path = w.root
	if w.project != "" {
		flat, err := layout.Parse("{sku}")
		must(w.t, err)
		c.Watch[0].Project, c.Watch[0].Layout = w.project, flat
	}
	return c
}

// daemon opens the state file and makes a daemon on it; both end with the returned function.
func (w *world) daemon() (*daemon.Daemon, func()) {
	w.t.Helper()
	return daemontest.Open(w.t, daemon.Options{Config: w.config(), Log: w.log, Hooks: daemon.Hooks{
		Spoil: w.unread, Stagger: w.stagger, Ladder: hosting.Ladder{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond},
	}})
}

// runUntil runs the daemon until the status is as wanted.
func (w *world) runUntil(reached func([]status.ProductStatus) bool) {
	w.t.Helper()
	w.while(func(_ *daemon.Daemon, until await) { until(reached) })
}

// An await waits until the status is as wanted.
type await = func(reached func([]status.ProductStatus) bool)

// while runs the daemon as long as do does.
func (w *world) while(do func(d *daemon.Daemon, until await)) {
	w.t.Helper()
	d, end := w.daemon()
	defer end()
	defer daemontest.Start(w.t, d)()
	deadline := time.After(time.Minute)
	do(d, func(reached func([]status.ProductStatus) bool) {
		w.t.Helper()
		for changed := d.Changed(); !reached(d.Status().Products); changed = d.Changed() {
			select {
			case <-changed:
			case <-deadline:
				w.t.Fatalf("never reached; the status is %+v", d.Status())
			}
		}
	})
}

// rebuild makes a lost state file anew.
func (w *world) rebuild() (map[string]daemon.Forecast, error) {
	w.t.Helper()
	d, end := w.daemon()
	defer end()
	found := map[string]daemon.Forecast{}
	err := d.Rebuild(w.t.Context(), func(f daemon.Forecast) { found[f.Folder] = f })
	return found, err
}

func (w *world) account() syncstate.Account {
	return syncstate.Account{BaseURL: w.url, Username: daemontest.Username}
}

// key is that of a product folder in the state file.
func (w *world) key(folder string) syncstate.Folder {
	return syncstate.Folder{Root: w.root, Path: folder}
}

// inStore uses the state file while no daemon runs.
func (w *world) inStore(do func(*syncstate.Store) error) {
	w.t.Helper()
	store, err := syncstate.Open(w.state, w.account())
	if err != nil {
		w.t.Fatal(err)
	}
	if err := errors.Join(do(store), store.Close()); err != nil {
		w.t.Fatal(err)
	}
}

// client speaks to the service as somebody else would.
func (w *world) client() *apiclient.Client {
	w.t.Helper()
	client, err := apiclient.New(apiclient.Options{BaseURL: w.url, Username: daemontest.Username, Password: daemontest.Password})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.CloseIdle)
	return client
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
func (w *world) sync() (map[string]status.ExportedProduct, error) {
	w.t.Helper()
	d, end := w.daemon()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	verdict := d.Sync(ctx)
	products := map[string]status.ExportedProduct{}
	err := d.Export(func(p status.ExportedProduct) error { products[p.Folder] = p; return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	return products, verdict
}

// published makes a pass that must publish everything.
func (w *world) published() map[string]status.ExportedProduct {
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
	daemontest.Write(w.t, w.path(name), content)
}

// shoot writes small JPEGs whose content depends on name and take.
func (w *world) shoot(take string, names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.write(name, daemontest.Photo(take+name))
	}
}

const shortQuiet = `quiet = "60ms"
`

func count(products []status.ProductStatus, state status.State) (n int) {
	for _, p := range products {
		if p.State == state {
			n++
		}
	}
	return n
}

func retry(t *testing.T, d *daemon.Daemon, key syncstate.Folder) {
	t.Helper()
	order(t, d, daemon.Retry, key)
}

func removeAll(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// record reads what the state file holds of a folder.
func (w *world) record(folder string) syncstate.Record {
	w.t.Helper()
	var record syncstate.Record
	w.inStore(func(store *syncstate.Store) (err error) {
		record, err = store.Record(w.key(folder))
		return err
	})
	return record
}
