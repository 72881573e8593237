package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// newDaemon opens a daemon with one product folder that waits for another frame. It also returns
// the path of the state file.
func newDaemon(t *testing.T) (*daemon.Daemon, string) {
	t.Helper()
	dir := t.TempDir()
	_, service := daemontest.Service(t, sandbox.Options{})
	c := daemontest.Config(t, dir, service, "frames = 2\nquiet = \"20ms\"")
	daemontest.Write(t, filepath.Join(dir, "shoots", "Summer", "SKU-1", "1.jpg"), daemontest.Photo("1"))
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	t.Cleanup(end)
	return d, c.State.Path
}

// serve serves the control channel of a daemon until the returned function is called, or the test
// ends.
func serve(t *testing.T, d *daemon.Daemon, statePath string) (stop func()) {
	t.Helper()
	return serveLive(t, daemon.NewLive(d), statePath)
}

func serveLive(t *testing.T, d *daemon.Live, statePath string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := Serve(ctx, d, statePath); err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		serving.Wait()
	})
	t.Cleanup(stop)
	for !isReached(t, statePath) {
		runtime.Gosched()
	}
	return stop
}

// isReached reports whether a command finds a daemon.
func isReached(t *testing.T, statePath string) bool {
	t.Helper()
	_, err := Dial(t.Context(), statePath)
	if err != nil && !errors.Is(err, ErrNoDaemon) {
		t.Fatal(err)
	}
	return err == nil
}

// An entrance that cannot be made for a while, because the disk is full, or on Windows because a backup
// reads the file in its place, ends nothing: the commands reach the daemon once it can.
func TestEntranceThatCannotBeMade(t *testing.T) {
	d, statePath := newDaemon(t)
	held := filepath.Join(meetingFile(statePath), "held")
	if err := os.MkdirAll(held, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, daemon.NewLive(d), statePath) }()
	select {
	case err := <-ended:
		t.Fatalf("it ends without an entrance: %v", err)
	case <-time.After(2 * firstPause):
	}
	for _, path := range []string{held, filepath.Dir(held)} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for !isReached(t, statePath) {
		runtime.Gosched()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(meetingFile(statePath) + "*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A command reaches the daemon, which leaves no file behind. What a person asks of one folder reaches it, and the end of a pass names what is not published.
func TestVerbsReachTheDaemon(t *testing.T) {
	d, statePath := newDaemon(t)
	t.Cleanup(daemontest.Start(t, d))
	stop := serve(t, d, statePath)
	c, err := Dial(t.Context(), statePath)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Sync(t.Context()); !errors.Is(err, daemon.ErrUnpublished) {
		t.Errorf("a pass ends with %v", err)
	}
	folder := func() status.ProductStatus { return d.Status().Products[0] }
	key := folder().Key()
	if err := c.Do(t.Context(), daemon.Prioritize, key); err != nil || !folder().Priority {
		t.Errorf("priority %t, %v", folder().Priority, err)
	}
	if err := c.Do(t.Context(), daemon.EndPriority, key); err != nil || folder().Priority {
		t.Errorf("priority %t, %v", folder().Priority, err)
	}
	if err := c.Do(t.Context(), daemon.Pause, syncstate.Folder{}); err != nil || !d.Status().Paused {
		t.Errorf("paused %t, %v", d.Status().Paused, err)
	}
	if err := c.Do(t.Context(), daemon.Resume, syncstate.Folder{}); err != nil || d.Status().Paused {
		t.Errorf("paused %t, %v", d.Status().Paused, err)
	}
	if err := c.Do(t.Context(), daemon.Retry, syncstate.Folder{Root: key.Root, Path: "none"}); err == nil {
		t.Error("a folder that is not there is retried")
	}
	if _, err := c.Plan(t.Context()); err != nil {
		t.Error("the dry run:", err)
	}
	stop()
	if _, err := c.Status(t.Context()); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("after its end: %v", err)
	}
	if _, err := os.Lstat(meetingFile(statePath)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after its end the entrance stays: %v", err)
	}
}

// ending greets, and breaks off every other request.
type ending struct{ err error }

func (e ending) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/hello" {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}
	return nil, e.err
}

// A daemon that ends while it is asked for its status, or for a pass, counts as none. Whether it obeyed a
// verb is not known.
func TestDaemonThatEndsDuringARequest(t *testing.T) {
	for _, cut := range []error{io.EOF, &net.OpError{Op: "read", Err: os.NewSyscallError("read", errReset)}} {
		reach := func(context.Context, string) (http.RoundTripper, error) { return ending{cut}, nil }
		c, err := dial(t.Context(), "state.db", reach)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Status(t.Context()); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("%v: the status is %v", cut, err)
		}
		if err := c.Sync(t.Context()); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("%v: the pass is %v", cut, err)
		}
		if err := c.Do(t.Context(), daemon.Pause, syncstate.Folder{}); err == nil || errors.Is(err, ErrNoDaemon) {
			t.Errorf("%v: the pause is %v", cut, err)
		}
	}
}

// A daemon whose work has ended makes no pass any more, although its entrance is still there.
func TestPassOfADaemonThatHasEnded(t *testing.T) {
	d, statePath := newDaemon(t)
	serve(t, d, statePath)
	daemontest.Start(t, d)()
	c, err := Dial(t.Context(), statePath)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Sync(t.Context()); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("it ends with %v", err)
	}
}

// A sync leaves the state file alone when a service ends: a restart would fail, and the service be
// away until the sync is over.
func TestPassOfAServiceThatHasEnded(t *testing.T) {
	d, statePath := newDaemon(t)
	live := daemon.NewLive(d)
	live.TakeSettings = func(context.Context) {}
	serveLive(t, live, statePath)
	daemontest.Start(t, d)()
	c, err := Dial(t.Context(), statePath)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Sync(t.Context()); err == nil || errors.Is(err, ErrNoDaemon) {
		t.Errorf("it ends with %v", err)
	}
}

// The export of a daemon at work is the one that a command prints. One that breaks off is an error,
// and never a short list.
func TestExportReachesTheCommand(t *testing.T) {
	dir := t.TempDir()
	_, service := daemontest.Service(t, sandbox.Options{})
	c := daemontest.Config(t, dir, service, "")
	key := syncstate.Folder{Root: c.Watch[0].Path, Path: "Summer/SKU-1"}
	store, err := syncstate.Open(c.State.Path, syncstate.Account{BaseURL: service, Username: daemontest.Username})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(key, func(r *syncstate.Record) error {
		r.Product, r.Shown.State = syncstate.Product{UUID: "shoe", SKU: "SKU-1"}, string(status.Published)
		r.Published = &syncstate.Published{Revision: 2}
		return nil
	})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	serve(t, d, c.State.Path)
	client, err := Dial(t.Context(), c.State.Path)
	if err != nil {
		t.Fatal(err)
	}
	var exported []int64
	err = client.Export(t.Context(), func(p status.ExportedProduct) error {
		exported = append(exported, p.Revision)
		return nil
	})
	if err != nil || !slices.Equal(exported, []int64{2}) {
		t.Errorf("exported are the revisions %v, %v", exported, err)
	}
	end() // nothing can be read from the state file any more
	err = client.Export(t.Context(), func(status.ExportedProduct) error { return nil })
	if err == nil || errors.Is(err, ErrNoDaemon) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("the export ends with %v", err)
	}
}

// An export that fails half-way is no whole one, and the daemon is still there.
func TestExportThatBreaksOff(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		export(w, func(yield func(status.ExportedProduct) error) error {
			return errors.Join(yield(status.ExportedProduct{Folder: "Summer/SKU-1"}), errors.New("the disk is full"))
		})
	}))
	defer service.Close()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", service.Listener.Addr().String())
	}}
	defer transport.CloseIdleConnections()
	c := &Client{statePath: "state.db", http: &http.Client{Transport: transport}}
	err := c.Export(t.Context(), func(status.ExportedProduct) error { return nil })
	if err == nil || errors.Is(err, ErrNoDaemon) {
		t.Errorf("it ends with %v", err)
	}
}

// hanging answers no request before its context ends.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestDaemonThatHangs: a daemon that does not answer is still a daemon, and a command names its
// process. A command that is ended itself reports nothing about the daemon.
func TestDaemonThatHangs(t *testing.T) {
	_, statePath := newDaemon(t)
	process := fmt.Sprintf("(process %d ", os.Getpid())
	synctest.Test(t, func(t *testing.T) {
		reach := func(context.Context, string) (http.RoundTripper, error) { return hanging{}, nil }
		if _, err := dial(t.Context(), statePath, reach); err == nil || !strings.Contains(err.Error(), process) {
			t.Errorf("it is found to be %v", err)
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := &Client{statePath: statePath, http: &http.Client{Transport: hanging{}}}
		if _, err := c.Health(soon); err == nil || !strings.Contains(err.Error(), process) {
			t.Errorf("its health is %v", err)
		}
		if _, err := dial(soon, statePath, reach); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a command that ended returns %v", err)
		}
	})
}

// TestHealth: a daemon whose loop takes no turn is not well, whatever its status. A daemon whose loop
// takes turns is well.
func TestHealth(t *testing.T) {
	d, _ := newDaemon(t)
	ask := func(ctx context.Context) (int, string) {
		w := httptest.NewRecorder()
		handler(daemon.NewLive(d)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health", nil).WithContext(ctx))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if code, answer := ask(late); code == http.StatusOK {
		t.Errorf("a daemon that stands still answers %d %s", code, answer)
	}
	t.Cleanup(daemontest.Start(t, d))
	if code, answer := ask(t.Context()); code != http.StatusOK || answer != `{"trouble":""}` {
		t.Errorf("a daemon that works answers %d %s", code, answer)
	}
}

// All folders are never meant by what a question leaves out.
func TestUnreadableVerbsChangeNothing(t *testing.T) {
	d, _ := newDaemon(t)
	t.Cleanup(daemontest.Start(t, d))
	for len(d.Status().Products) == 0 {
		<-d.Changed()
	}
	key := d.Status().Products[0].Key()
	named, err := json.Marshal(map[string]string{"root": key.Root, "folder": key.Path})
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.Trim(string(named), "{}")
	for name, body := range map[string]string{
		"nothing":           "",
		"null":              "null",
		"an empty question": "{}",
		"a list":            "[]",
		"a form":            "all=yes",
		"no verb":           `{` + folder + `}`,
		"no verb, for all":  `{"all":true}`,
		"an unknown verb":   `{"verb":"delete",` + folder + `}`,
		"unknown, for all":  `{"verb":"Pause","all":true}`,
		"two verbs":         `{"verb":["pause","resume"],` + folder + `}`,
		"neither":           `{VERB}`,
		"a folder and all":  `{VERB,` + folder + `,"all":true}`,
		"a root alone":      `{VERB,"root":"/shoots"}`,
		"a folder alone":    `{VERB,"folder":"Summer/SKU-1"}`,
		"not all":           `{VERB,"all":false}`,
		"an unknown field":  `{VERB,` + folder + `,"of":1}`,
		"cut off":           `{VERB,` + folder,
		"more than one":     `{VERB,` + folder + `} {VERB,"all":true}`,
		"more than is read": `{VERB,` + folder + `}` + strings.Repeat(" ", 70<<10),
		"more than 64 KB":   strings.Repeat(" ", 70<<10) + `{VERB,` + folder + `}`,
	} {
		for _, verb := range []daemon.Verb{
			daemon.Retry, daemon.RetryAsIs, daemon.RetryNotMade, daemon.Forget, daemon.DeleteView,
			daemon.Pause, daemon.Resume, daemon.Prioritize, daemon.EndPriority,
		} {
			w := httptest.NewRecorder()
			question := strings.NewReader(strings.ReplaceAll(body, "VERB", fmt.Sprintf(`"verb":%q`, verb)))
			handler(daemon.NewLive(d)).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/verb", question))
			if w.Code/100 != 4 || !strings.Contains(w.Body.String(), `"message":`) {
				t.Errorf("%s to %s: %d %s", name, verb, w.Code, w.Body)
			}
		}
	}
	if s := d.Status(); s.Paused || s.Products[0].State == status.Paused || s.Products[0].Priority {
		t.Errorf("something changed: %+v", s)
	}
}
