package daemontest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/layout"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A World is a studio with one root, and a hosting service of its own. Time in it is virtual: the
// service is reached in memory, the root is polled, and files have the time of the bubble.
type World struct {
	T     *testing.T
	Root  string
	State string // path of the state file

	Settle  string // "20ms" when empty
	TOML    string // of the [[watch]] table; other tables may follow
	Project string // of all folders, which then lie in the root; empty: each lies in its own

	URL     string
	Service HostingService
	Calls   Calls
	Dialled atomic.Int32 // connections to the service
	network *servicetest.Network

	Spoil   func(path string) error // before each reading of a directory or photo; nil spoils nothing
	Stagger func(folder syncstate.Folder, frame string) time.Duration
	Log     *slog.Logger // nil: that of the test
	opened  daemon.Options
}

// A HostingService is one that a test looks into.
type HostingService interface {
	http.Handler
	Products() ([]sandbox.Product, error)
	RemoveProject(uuid string) error
}

// Story tells a story beside others, in a bubble of testing/synctest and a world on the sandbox.
func Story(t *testing.T, toml string, tell func(*testing.T, *World), options ...func(*sandbox.Options)) {
	t.Helper()
	story(t, toml, tell, func(t *testing.T, w *World) HostingService {
		o := sandbox.Options{
			Dir: t.TempDir(), Users: []sandbox.User{{Name: Username, Password: Password, CanEdit: true}},
			Processing: time.Millisecond, NoSync: true, Intercept: w.Calls.intercept,
		}
		for _, set := range options {
			set(&o)
		}
		service, err := sandbox.New(o)
		Must(t, err)
		t.Cleanup(func() { Must(t, service.Close()) })
		return service
	})
}

// OddStory tells a story on the strict service. It has the plain habits but for those that choose
// gives it.
func OddStory(t *testing.T, toml string, choose func(*servicetest.Options), tell func(*testing.T, *World)) {
	t.Helper()
	story(t, toml, tell, func(t *testing.T, w *World) HostingService {
		o := servicetest.Options{
			Habits: new(servicetest.Plain()), Host: host, FormLifetime: time.Hour,
			Users: map[string]string{Username: Password}, Processing: time.Millisecond, Around: w.Calls.around,
		}
		choose(&o)
		service := servicetest.New(o)
		t.Cleanup(func() {
			for _, why := range service.Wrong() {
				t.Errorf("the interface does not allow %s", why)
			}
		})
		return service
	})
}

const host = "127.0.0.1:8361"

func story(t *testing.T, toml string, tell func(*testing.T, *World), serve func(*testing.T, *World) HostingService) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := &World{T: t, Root: filepath.Join(dir, "shoots"), State: filepath.Join(dir, "state.db"), TOML: toml, URL: "http://" + host}
		w.Calls.turn = make(chan struct{}, 1)
		w.Mkdir("")
		w.Service = serve(t, w)
		w.network = servicetest.Serve(t, w.Service)
		tell(t, w)
	})
}

// Beside is another studio on the same service, with a root and a state file of its own.
func (w *World) Beside() *World {
	w.T.Helper()
	dir := w.T.TempDir()
	other := &World{
		T: w.T, Root: filepath.Join(dir, "shoots"), State: filepath.Join(dir, "state.db"), Settle: w.Settle, TOML: w.TOML,
		URL: w.URL, Service: w.Service, network: w.network, Log: w.Log,
	}
	other.Mkdir("")
	return other
}

// Config is the sync.toml of now.
func (w *World) Config() *config.Config {
	w.T.Helper()
	settle := cmp.Or(w.Settle, "20ms")
	c := Config(w.T, filepath.Dir(w.State), w.URL, "settle = \""+settle+"\"\npoll = true\n"+w.TOML)
	if w.Project != "" {
		flat, err := layout.Parse("{sku}")
		Must(w.T, err)
		c.Watch[0].Project, c.Watch[0].Layout = w.Project, flat
	}
	return c
}

// Open makes a daemon on the state file. Both end with the returned function.
func (w *World) Open() (*daemon.Daemon, func()) {
	w.T.Helper()
	return w.OpenWith(daemon.Options{}, Committing)
}

// OpenWith is Open with options, and a hook around each commit of the state file.
func (w *World) OpenWith(o daemon.Options, around func(commit func() error) error) (*daemon.Daemon, func()) {
	w.T.Helper()
	if o.Config == nil {
		o.Config = w.Config()
	}
	o.Hooks.Drive.Spoil, o.Hooks.Stagger, o.Log = w.Spoil, w.Stagger, w.Log
	d, opened, end := open(w.T, o, w.dial, around)
	w.opened = opened
	return d, end
}

// Next makes the daemon that takes the place of another one in a reload, with a client of its own.
func (w *World) Next(before *daemon.Daemon) (*daemon.Daemon, error) {
	w.T.Helper()
	o := w.opened
	o.Config, o.Before, o.Client = w.Config(), before, w.Client()
	return daemon.New(o)
}

// RunUntil runs the daemon until the status is as wanted.
func (w *World) RunUntil(reached func([]status.ProductStatus) bool) {
	w.T.Helper()
	w.While(func(_ *daemon.Daemon, until Await) { until(reached) })
}

// An Await waits until the status is as wanted.
type Await = func(reached func([]status.ProductStatus) bool)

// In reports whether so many folders are in a state.
func In(state status.State, folders int) func([]status.ProductStatus) bool {
	return func(all []status.ProductStatus) bool {
		n := 0
		for _, p := range all {
			if p.State == state {
				n++
			}
		}
		return n == folders
	}
}

// patience is how long the status may take to be as wanted.
const patience = time.Hour

// While runs the daemon as long as do does.
func (w *World) While(do func(d *daemon.Daemon, until Await)) {
	w.T.Helper()
	d, end := w.Open()
	defer end()
	defer Start(w.T, d)()
	do(d, w.Awaiting(d))
}

// Awaiting waits for the status of a daemon that runs.
func (w *World) Awaiting(d *daemon.Daemon) Await {
	return func(reached func([]status.ProductStatus) bool) {
		w.T.Helper()
		deadline := time.After(patience)
		for changed := d.Changed(); !reached(d.Status().Products); changed = d.Changed() {
			select {
			case <-changed:
			case <-deadline:
				w.T.Fatalf("never reached; the status is %+v", d.Status())
			}
		}
	}
}

// Sync makes one pass in a new life of the program and returns its verdict and the export.
func (w *World) Sync() (map[string]status.ExportedProduct, error) {
	w.T.Helper()
	d, end := w.Open()
	defer end()
	verdict := d.Sync(w.T.Context())
	products := map[string]status.ExportedProduct{}
	Must(w.T, d.Export(func(p status.ExportedProduct) error { products[p.Folder] = p; return nil }))
	return products, verdict
}

// Published makes a pass that must publish everything.
func (w *World) Published() map[string]status.ExportedProduct {
	w.T.Helper()
	products, err := w.Sync()
	if err != nil {
		for name, p := range products {
			w.T.Logf("%s: %s, %s", name, p.State, p.Reason)
		}
		w.T.Fatal(err)
	}
	return products
}

// Rebuild rebuilds a lost state file.
func (w *World) Rebuild() (map[string]daemon.Forecast, error) {
	w.T.Helper()
	d, end := w.Open()
	defer end()
	found := map[string]daemon.Forecast{}
	err := d.Rebuild(w.T.Context(), func(f daemon.Forecast) { found[f.Folder] = f })
	return found, err
}

// Key is that of a product folder in the state file.
func (w *World) Key(folder string) syncstate.Folder {
	return syncstate.Folder{Root: w.Root, Path: folder}
}

// InStore uses the state file while no daemon runs.
func (w *World) InStore(do func(*syncstate.Store) error) {
	w.T.Helper()
	store, err := syncstate.Open(w.State, syncstate.Account{BaseURL: w.URL, Username: Username})
	Must(w.T, err)
	Must(w.T, errors.Join(do(store), store.Close()))
}

// Record reads what the state file holds of a folder.
func (w *World) Record(folder string) (record syncstate.Record) {
	w.T.Helper()
	w.InStore(func(store *syncstate.Store) (err error) {
		record, err = store.Record(w.Key(folder))
		return err
	})
	return record
}

// Amend changes a folder's record while no daemon runs.
func (w *World) Amend(folder string, change func(*syncstate.Record)) {
	w.T.Helper()
	w.InStore(func(store *syncstate.Store) error {
		return store.Update(w.Key(folder), func(r *syncstate.Record) error { change(r); return nil })
	})
}

// Client speaks to the service as somebody else would.
func (w *World) Client() *apiclient.Client {
	w.T.Helper()
	return newClient(w.T, config.Service{BaseURL: w.URL, Username: Username, Password: Password}, w.dial)
}

func (w *World) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	w.Dialled.Add(1)
	return w.network.Dial(ctx, "", "")
}

func newClient(t testing.TB, s config.Service, dial func(context.Context, string, string) (net.Conn, error)) *apiclient.Client {
	t.Helper()
	client, err := apiclient.New(apiclient.Options{BaseURL: s.BaseURL, Username: s.Username, Password: s.Password, DialContext: dial})
	Must(t, err)
	t.Cleanup(client.CloseIdle)
	return client
}

// Titles lists the products on the service.
func (w *World) Titles() (titles []string) {
	w.T.Helper()
	products, err := w.Client().Products(w.T.Context(), apiclient.Filter{})
	Must(w.T, err)
	for _, p := range products {
		titles = append(titles, p.Title)
	}
	slices.Sort(titles)
	return titles
}

// English lists the English alt texts of a product's images, as the service holds them.
func (w *World) English(product string) (texts []string) {
	w.T.Helper()
	images, err := w.Client().Images(w.T.Context(), product)
	Must(w.T, err)
	for _, image := range images {
		texts = append(texts, image.AltTexts["en"])
	}
	return texts
}

// Must ends a test that cannot go on.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Path is where a file or folder lies on the disk.
func (w *World) Path(name string) string { return filepath.Join(w.Root, filepath.FromSlash(name)) }

// Mkdir makes a directory below the root.
func (w *World) Mkdir(name string) {
	w.T.Helper()
	Must(w.T, os.MkdirAll(w.Path(name), 0o755))
	w.stamp()
}

// Write makes or changes a file below the root.
func (w *World) Write(name, content string) {
	w.T.Helper()
	Write(w.T, w.Path(name), content)
	now := time.Now()
	Must(w.T, os.Chtimes(w.Path(name), now, now))
	w.stamp()
}

// Shoot writes small JPEGs whose content depends on name and take.
func (w *World) Shoot(take string, names ...string) {
	w.T.Helper()
	for _, name := range names {
		w.Write(name, Photo(take+name))
	}
}

// Age gives files and folders the time of an hour ago.
func (w *World) Age(names ...string) {
	w.T.Helper()
	then := time.Now().Add(-time.Hour)
	for _, name := range names {
		Must(w.T, os.Chtimes(w.Path(name), then, then))
	}
}

// Remove takes files and folders away.
func (w *World) Remove(names ...string) {
	w.T.Helper()
	for _, name := range names {
		Must(w.T, os.RemoveAll(w.Path(name)))
	}
	w.stamp()
}

// Move gives a file or folder another name.
func (w *World) Move(from, to string) {
	w.T.Helper()
	Must(w.T, os.MkdirAll(filepath.Dir(w.Path(to)), 0o755))
	Must(w.T, os.Rename(w.Path(from), w.Path(to)))
	w.stamp()
}

// stamp gives what the system changed, which knows no virtual time, the time of the bubble.
func (w *World) stamp() {
	w.T.Helper()
	now := time.Now()
	err := filepath.WalkDir(filepath.Dir(w.Root), func(path string, e os.DirEntry, err error) error {
		var info os.FileInfo
		if err == nil {
			info, err = e.Info()
		}
		if err == nil && info.ModTime().After(now) {
			err = os.Chtimes(path, now, now)
		}
		if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
			return nil // closed by the test, or gone meanwhile
		}
		return err
	})
	Must(w.T, err)
}
