package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"spinsync/apiclient"
	"spinsync/apiclient/certificate"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/rootlock"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestFileIsFollowed: a changed file is read once it was still for five seconds, in whatever way it
// is written, and never while it is not there.
func TestFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sync.toml")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "")
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int32
		go followFile(t.Context(), path, func() { reads.Add(1) })
		time.Sleep(time.Second) // all else happens between two checks
		want := func(what string, n int32, after time.Duration) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := reads.Load(); got != n {
				t.Errorf("%s: it was read %d times, want %d", what, got, n)
			}
		}
		want("as it was", 0, 3*configTick)
		for i := range 4 {
			write(path, strings.Repeat("#", i+1))
			want("while it is written", 0, configTick)
		}
		want("still", 1, configTick)
		write(path+".new", "replaced")
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		want("replaced", 2, 2*configTick)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		want("gone", 2, 3*configTick)
	})
}

// A kitchen is an Engine that serves, with its sync.toml.
type kitchen struct {
	*serving
	t      *testing.T
	dir    string
	log    lockedBuffer
	serve  context.Context // ends when it does
	mayEnd error           // with which it may end; nil: none
}

// A lockedBuffer may be read while a log writes to it.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns what was written since it was called last.
func (b *lockedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// settings is a sync.toml without the table of a root, and one root its table.
const (
	settings = "[service]\nbase_url = \"http://127.0.0.1:1\"\nusername = \"studio\"\npassword = \"secret\"\n" +
		"[state]\npath = 'state.db'\n"
	oneRoot = "[[watch]]\npath = 'shoots'\nlayout = \"{sku}\"\nproject = \"Shoes\"\n"
	another = "[[watch]]\npath = 'more'\nlayout = \"{sku}\"\nproject = \"Shoes\"\n"
	page    = "[dashboard]\nlisten = \"127.0.0.1:0\"\n"
)

func openKitchen(t *testing.T) (*kitchen, *Engine) { return openKitchenWith(t, settings+page+oneRoot) }

func openKitchenWith(t *testing.T, text string) (*kitchen, *Engine) {
	k := &kitchen{t: t, dir: t.TempDir()}
	for _, name := range []string{"shoots", "more"} {
		if err := os.Mkdir(filepath.Join(k.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	k.write(text)
	call := &cli.Call{Env: func(string) string { return "" }, Stderr: &k.log, ConfigPath: filepath.Join(k.dir, "sync.toml")}
	c, err := call.Config()
	if err != nil {
		t.Fatal(err)
	}
	w, err := Open(call, c, daemonLog(call, c.Log))
	if err != nil {
		t.Fatal(err)
	}
	return k, w
}

func serveKitchen(t *testing.T) *kitchen {
	k, w := openKitchen(t)
	k.serveIt(w)
	return k
}

// serveIt has the engine serve until the test ends, or end is called.
func (k *kitchen) serveIt(w *Engine) (end func()) {
	ctx, cancel := context.WithCancel(k.t.Context())
	g, ctx := errgroup.WithContext(ctx)
	k.serving, k.serve = newServing(w, g, nil), ctx
	g.Go(func() error { return k.run(ctx) })
	end = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(g.Wait(), w.Close()); err != nil && !errors.Is(err, k.mayEnd) {
			k.t.Error(err)
		}
	})
	k.t.Cleanup(end)
	return end
}

func (k *kitchen) write(text string) {
	k.t.Helper()
	if err := os.WriteFile(filepath.Join(k.dir, "sync.toml"), []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

// reload has sync.toml read again, because a person asks for it or because it was changed, and
// returns the log of that.
func (k *kitchen) reload(asked bool) string {
	k.t.Helper()
	k.log.take()
	if asked {
		k.ask(k.serve, true)
		return k.log.take()
	}
	send(k.serve, k.changed, struct{}{})
	send(k.serve, k.passwords, apiclient.Secret("secret")) // taken once the reload is over
	return k.log.take()
}

func (k *kitchen) status() status.Status { return k.engine.Live.Daemon().Status() }

// TestReload: other settings put another daemon in the place of the one before. [upload] and the
// password do not. Nor does a wrong file: the status names its key and line.
func TestReload(t *testing.T) {
	for _, asked := range []bool{true, false} {
		k := serveKitchen(t)
		for _, step := range []struct {
			what, text string
			other      bool // daemon
			log, shown string
		}{
			{"as it was", settings + page + oneRoot, false, "", ""},
			{"a limit", settings + page + oneRoot + "[upload]\nlimit = \"5MB/s\"\n", false, "[upload] in sync.toml was changed", ""},
			{"a password", strings.Replace(settings, "secret", "better", 1) + page + oneRoot, false, "the password was changed", ""},
			{"a wrong key", settings + page + oneRoot + "colour = 1\n", false, "line 13", "line 13"},
			{"no TOML", settings + page + oneRoot + "[", false, "sync.toml is wrong", "line 13"},
			{"a folder that is not there", settings + page + oneRoot + strings.Replace(another, "more", "none", 1), false, "no such folder", "no such folder"},
			{"put right", strings.Replace(settings, "secret", "better", 1) + page + oneRoot, false, "sync.toml was put right", ""},
			{"another folder", settings + page + oneRoot + another, true, "the new settings are in use", ""},
			{"another wait", settings + page + oneRoot + "settle = \"7s\"\n" + another, true, "the new settings are in use", ""},
			{"another level of the log", settings + page + oneRoot + another + "[log]\nlevel = \"debug\"\n", true, "the new settings are in use", ""},
		} {
			before := k.engine.Live.Daemon()
			k.write(step.text)
			log := k.reload(asked)
			if other := k.engine.Live.Daemon() != before; other != step.other {
				t.Errorf("%s: another daemon: %t", step.what, other)
			}
			if !strings.Contains(log, step.log) || step.log == "" && strings.Contains(log, "sync.toml") {
				t.Errorf("%s: the log says %q", step.what, log)
			}
			if shown := k.status().Settings; !strings.Contains(shown, step.shown) || (step.shown == "") != (shown == "") {
				t.Errorf("%s: the status says %q", step.what, shown)
			}
		}
		if n := len(k.status().Roots); n != 2 {
			t.Errorf("%d roots are watched", n)
		}
	}
}

// TestPasswordComesWithItsAccount: the old service never gets the password of a new one. The new settings
// may wait, or may not be usable.
func TestPasswordComesWithItsAccount(t *testing.T) {
	k := serveKitchen(t)
	var mu sync.Mutex
	var got []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, password, _ := r.BasicAuth()
		got = append(got, password)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer service.Close()
	atService := strings.Replace(settings, "http://127.0.0.1:1", service.URL, 1)
	k.write(atService + page + oneRoot)
	k.reload(true)
	held := &rootlock.Lock{State: "elsewhere"}
	if err := held.Take(filepath.Join(k.dir, "more")); err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	for what, text := range map[string]string{
		"another service": strings.Replace(settings, "secret", "other", 1),
		"another user":    strings.NewReplacer("studio", "guest", "secret", "other").Replace(atService),
		"another source":  strings.Replace(atService, "password = \"secret\"", "password_file = 'other'", 1),
	} {
		if err := os.WriteFile(filepath.Join(k.dir, "other"), []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
		k.write(text + page + another)
		gets := func(how string) {
			t.Helper()
			k.engine.Client.Projects(t.Context())
			mu.Lock()
			defer mu.Unlock()
			if !slices.Contains(got, "secret") || slices.Contains(got, "other") {
				t.Errorf("%s %s: the service of now got the passwords %q", what, how, got)
			}
			got = nil
		}
		for range 2 { // the second one is taken once the first one is over
			send(t.Context(), k.changed, struct{}{})
		}
		gets("waits")
		if what != "another source" {
			send(t.Context(), k.passwords, apiclient.Secret("other"))
			send(t.Context(), k.changed, struct{}{})
			gets("waits, while its password_file changes")
		}
		k.reload(true)
		gets("is refused")
	}
}

// TestGraveChangeWaits: a file that no longer watches a folder, with which views would be deleted, or other
// records and pauses would count, waits until a person asks for the reload.
func TestGraveChangeWaits(t *testing.T) {
	for _, test := range []struct{ what, text, shown string }{
		{"another folder", settings + page + another, "shoots no more"},
		{"another service", strings.Replace(settings, ":1\"", ":2\"", 1) + page + oneRoot, "another account"},
		{"another user", strings.Replace(settings, "studio", "guest", 1) + page + oneRoot, "another account"},
		{"another state file", strings.Replace(settings, "state.db", "other.db", 1) + page + oneRoot, "another state file"},
		{"views to delete", settings + page + oneRoot + "on_remove = \"delete\"\n", "deletes the views of folders that are gone"},
		{"two of them", strings.Replace(settings, "studio", "guest", 1) + page + another, "no more and names another account"},
	} {
		k := serveKitchen(t)
		if err := k.engine.Live.Do(daemon.Pause, syncstate.Folder{}); err != nil {
			t.Fatal(err)
		}
		before := k.engine.Live.Daemon()
		k.write(test.text + "[upload]\nlimit = \"5MB/s\"\n")
		k.reload(false)
		k.reload(false)
		if s := k.status(); k.engine.Live.Daemon() != before || !s.Paused || !strings.Contains(s.Settings, test.shown) || !strings.Contains(s.Settings, "systemctl reload spinsync") {
			t.Errorf("%s: another daemon: %t, paused: %t; the status says %q", test.what, k.engine.Live.Daemon() != before, s.Paused, s.Settings)
		}
		if k.status().UploadLimit == nil {
			t.Errorf("%s: the limit waits too", test.what)
		}
		k.reload(true)
		if k.engine.Live.Daemon() == before || k.status().Settings != "" {
			t.Errorf("%s: another daemon: %t; the status says %q", test.what, k.engine.Live.Daemon() != before, k.status().Settings)
		}
	}
}

// TestSettingsThatCannotBeUsed: what shows only when the daemon is to start leaves the old settings
// in use. Messages go on with the state file that was opened again for them.
func TestSettingsThatCannotBeUsed(t *testing.T) {
	k := serveKitchen(t)
	other, err := syncstate.Open(filepath.Join(k.dir, "other.db"), syncstate.Account{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	k.reload(true) // they have begun
	store, messages := k.engine.store, k.messages.settings
	k.write(strings.Replace(settings, "state.db", "other.db", 1) + page + oneRoot)
	if log := k.reload(true); !strings.Contains(log, "in use") || !strings.Contains(k.status().Settings, "the old ones stay in use") {
		t.Errorf("the log says %q, the status %q", log, k.status().Settings)
	}
	if k.engine.store == store || reflect.DeepEqual(k.messages.settings, messages) {
		t.Error("the messages go on with a closed state file")
	}
	k.write(settings + page + oneRoot + another)
	if k.reload(true); len(k.status().Roots) != 2 || k.status().Settings != "" {
		t.Errorf("after it was corrected: %+v", k.status())
	}
}

// TestRefusedStateFileLeavesTheOldOne: a state file that was moved, and cannot be used at its new place,
// stays in use. A refused reload once made an empty one at its old place.
func TestRefusedStateFileLeavesTheOldOne(t *testing.T) {
	k := serveKitchen(t)
	k.mayEnd = syncstate.ErrReplaced // a change after the move ends the daemon
	key := syncstate.Folder{Root: k.engine.Config.Watch[0].Path, Path: "SKU-1"}
	err := k.engine.store.Update(key, func(r *syncstate.Record) error {
		r.Product = syncstate.Product{UUID: "shoe"}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	place := func(name string) string { return filepath.Join(k.dir, name) }
	err = errors.Join(os.Rename(place("state.db"), place("moved.db")), os.WriteFile(place("damaged.db"), []byte("damaged"), 0o600))
	if err != nil {
		t.Skip(err) // an open file cannot be moved here
	}
	for _, step := range []struct{ name, shown string }{{"damaged.db", "the old ones stay in use"}, {"moved.db", ""}} {
		k.write(strings.Replace(settings, "state.db", step.name, 1) + page + oneRoot)
		k.reload(true)
		if _, err := os.Lstat(place("state.db")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the old place has a file again: %v", step.name, err)
		}
		if errors.Is(k.engine.store.Err(), syncstate.ErrReplaced) {
			return
		}
		if shown := k.status().Settings; !strings.Contains(shown, step.shown) || (step.shown == "") != (shown == "") {
			t.Errorf("%s: the status says %q", step.name, shown)
		}
		if record, err := k.engine.store.Head(key); err != nil || record.Product.UUID != "shoe" {
			t.Errorf("%s: the record is %+v, %v", step.name, record, err)
		}
	}
}

// TestRefusedAccountLeavesNoDoubt: the records of the account at work are believed after another
// account's settings were refused, because another program publishes one of its folders.
func TestRefusedAccountLeavesNoDoubt(t *testing.T) {
	k := serveKitchen(t)
	k.mayEnd = syncstate.ErrReplaced // a change after the move ends the daemon
	key := syncstate.Folder{Root: k.engine.Config.Watch[0].Path, Path: "SKU-1"}
	err := k.engine.store.Update(key, func(r *syncstate.Record) error {
		r.Product, r.Published = syncstate.Product{UUID: "shoe"}, &syncstate.Published{}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	held := &rootlock.Lock{State: "elsewhere"}
	if err := held.Take(filepath.Join(k.dir, "more")); err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	k.write(strings.Replace(settings, "studio", "guest", 1) + page + oneRoot + another)
	if log := k.reload(true); !strings.Contains(log, "the old ones stay in use") {
		t.Errorf("the log says %q", log)
	}
	if record, err := k.engine.store.Head(key); err != nil || record.Doubted {
		t.Errorf("doubted: %t, %v", record.Doubted, err)
	}
}

// TestRefusedReloadNeedsNoOldFile: the old settings go on with the certificates that were read for
// them, also where that file is gone and another program publishes one of the new folders.
func TestRefusedReloadNeedsNoOldFile(t *testing.T) {
	k := serveKitchen(t)
	ca := filepath.Join(k.dir, "ca.pem")
	made, err := certificate.Make("ca", []string{"localhost"}, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ca, made.Certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	webhook := "[notify]\nwebhook = \"http://127.0.0.1:1\"\n"
	trusting := strings.Replace(settings, "[state]", "ca_file = 'ca.pem'\n[state]", 1)
	k.write(trusting + webhook + page + oneRoot)
	if k.reload(true); k.status().Settings != "" {
		t.Fatal(k.status().Settings)
	}
	held := &rootlock.Lock{State: "elsewhere"}
	if err := held.Take(filepath.Join(k.dir, "more")); err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if err := os.Remove(ca); err != nil {
		t.Fatal(err)
	}
	k.write(settings + webhook + page + oneRoot + another)
	if k.reload(true); !strings.Contains(k.status().Settings, "the old ones stay in use") {
		t.Errorf("the status says %q", k.status().Settings)
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if k.reload(true); k.status().Settings != "" || len(k.status().Roots) != 2 {
		t.Errorf("once the folder is free: %+v", k.status())
	}
}

// TestNoReloadWhileTheStateFileFails: the daemon that waits for the state file lives on.
func TestNoReloadWhileTheStateFileFails(t *testing.T) {
	k := serveKitchen(t)
	before := k.engine.Live.Daemon()
	if err := k.engine.store.Close(); err != nil {
		t.Fatal(err)
	}
	k.write(settings + page + oneRoot + another)
	if k.reload(true); k.engine.Live.Daemon() != before || !strings.Contains(k.status().Settings, "the state file cannot be used at present") {
		t.Errorf("another daemon: %t; the status says %q", k.engine.Live.Daemon() != before, k.status().Settings)
	}
	select {
	case <-k.running.ended:
		t.Errorf("it ended: %v", k.running.err)
	default:
	}
}

// TestStateFileThatFailsAtAStop: the next daemon has the file opened again.
func TestStateFileThatFailsAtAStop(t *testing.T) {
	_, w := openKitchen(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.open(w.Config, w.password, w.log, w.Live.Daemon()); err != nil || w.store.Err() != nil {
		t.Errorf("no next daemon: %v, %v", err, w.store.Err())
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestSilentDriveHoldsNoReloadUp: a new folder on a drive that does not answer is no mistake.
func TestSilentDriveHoldsNoReloadUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := make(chan struct{})
		defer close(silent)
		if err := unlessSilent(func() error { <-silent; return errors.New("late") }); err != nil {
			t.Error(err)
		}
		mistake := errors.New("no such folder")
		if err := unlessSilent(func() error { return mistake }); err != mistake {
			t.Error(err)
		}
	})
}

// TestReloadReadsNamedFiles: a person who asks for a reload gets the page's new password, too.
func TestReloadReadsNamedFiles(t *testing.T) {
	k := serveKitchen(t)
	secret := filepath.Join(k.dir, "page-password")
	for _, password := range []string{"long enough", "even longer than that"} {
		if err := os.WriteFile(secret, []byte(password), 0o600); err != nil {
			t.Fatal(err)
		}
		k.write(settings + page + "password_file = 'page-password'\n" + oneRoot)
		before := k.engine.Live.Daemon()
		if k.reload(true); k.engine.Live.Daemon() == before {
			t.Errorf("%s is not taken: %q", password, k.status().Settings)
		}
	}
}

// TestReloadKeepsTheLogLevel: the level of this run holds whatever sync.toml has.
func TestReloadKeepsTheLogLevel(t *testing.T) {
	k := serveKitchen(t)
	k.engine.call.LogLevel = new(slog.LevelDebug)
	k.write(settings + page + oneRoot + another)
	if k.reload(true); len(k.engine.Config.Watch) != 2 || k.engine.Config.Log.Level != slog.LevelDebug {
		t.Errorf("%d roots at level %s", len(k.engine.Config.Watch), k.engine.Config.Log.Level)
	}
}

// TestReloadTakesAnotherStateFile: the daemon's records are those of the new file, and the other
// commands find it there.
func TestReloadTakesAnotherStateFile(t *testing.T) {
	k := serveKitchen(t)
	if err := k.engine.Live.Do(daemon.Pause, syncstate.Folder{}); err != nil || !k.status().Paused {
		t.Fatalf("paused: %t, %v", k.status().Paused, err)
	}
	k.write(strings.Replace(settings, "state.db", "other.db", 1) + page + oneRoot)
	k.reload(true)
	if k.status().Paused {
		t.Error("the records are those of the old file")
	}
	for name, there := range map[string]bool{"state.db.control": false, "other.db.control": true} {
		for { // its server begins after the reload
			_, err := os.Stat(filepath.Join(k.dir, name))
			if (err == nil) == there {
				break
			}
			runtime.Gosched()
		}
	}
}

// TestPageOutlivesAReload: an open page hears of the new daemon over the connection that it has.
func TestPageOutlivesAReload(t *testing.T) {
	k := serveKitchen(t)
	const served = "address=http://"
	var address string
	for address == "" {
		_, after, _ := strings.Cut(k.log.take(), served)
		address, _, _ = strings.Cut(after, "\n")
	}
	answer, err := http.Get("http://" + address + "/stream?of=overview")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	until := func(text string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("the page never shows %s: %v", text, lines.Err())
	}
	until(filepath.Join(k.dir, "shoots"))
	k.write(settings + page + oneRoot + another)
	post, err := http.PostForm("http://"+address+"/reload", url.Values{"all": {"yes"}})
	if err != nil {
		t.Fatal(err)
	}
	post.Body.Close()
	until(filepath.Join(k.dir, "more"))
}

// TestReloadSendsNoNewsTwice: what the notifications of the old settings sent at their end, those of the
// new ones do not send again.
func TestReloadSendsNoNewsTwice(t *testing.T) {
	var messages atomic.Int32
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { messages.Add(1) }))
	defer hook.Close()
	k := serveKitchen(t)
	telling := func(every string) {
		t.Helper()
		k.write(settings + page + oneRoot + "settle = '10ms'\nquiet = '20ms'\n[notify]\nwebhook = '" + hook.URL + "'\nevery = '" + every + "'\n")
		if k.reload(true); k.status().Settings != "" {
			t.Fatal(k.status().Settings)
		}
	}
	telling("1h")
	time.Sleep(time.Second) // troubles are recorded to the second
	folder := filepath.Join(k.dir, "shoots", "SKU-1")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "product.toml"), []byte("titel = 1"), 0o600),
		os.WriteFile(filepath.Join(folder, "1.jpg"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for needed := false; !needed; time.Sleep(10 * time.Millisecond) {
		for _, p := range k.status().Products {
			needed = needed || p.State == status.Attention
		}
	}
	telling("2h")
	telling("3h")
	if n := messages.Load(); n != 1 {
		t.Errorf("%d messages about one folder", n)
	}
}

// TestPasswordFileIsFollowed: a password that is changed in password_file holds without a restart,
// and a file that cannot be used changes nothing.
func TestPasswordFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "password")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var set []string
		go followPassword(t.Context(), config.Service{PasswordFile: path}, func(string) string { return "" },
			slog.New(slog.NewTextHandler(&log, nil)), func(password apiclient.Secret) { set = append(set, password.Reveal()) })
		said := func(want string, passwords ...string) {
			t.Helper()
			time.Sleep(3 * configTick)
			synctest.Wait()
			if !strings.Contains(log.String(), want) || (want == "") != (log.Len() == 0) || !slices.Equal(set, passwords) {
				t.Errorf("the log says %q and the passwords set are %q, want %q and %q", log.String(), set, want, passwords)
			}
			log.Reset()
		}
		said("")
		write("correct")
		said("password_file was changed; the new password is in use", "correct")
		write("\n")
		said("the file is empty", "correct")
	})
}
