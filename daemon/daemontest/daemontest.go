// Package daemontest is the world of tests with a daemon: a hosting service, a sync.toml, photos, and
// a daemon that works with them. Story has all of them in a bubble, where time is virtual. The other
// parts serve tests that need sockets.
package daemontest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// The user of Service and of Config, who may edit.
const (
	Username = "studio"
	Password = "the-secret"
)

// Service serves a sandbox on loopback until the test ends. It has a directory and, unless Users
// are given, the one user above.
func Service(t testing.TB, o sandbox.Options) (service *sandbox.Server, url string) {
	t.Helper()
	o.Dir = t.TempDir()
	if o.Users == nil {
		o.Users = []sandbox.User{{Name: Username, Password: Password, CanEdit: true}}
	}
	service, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		server.Close()
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	return service, server.URL
}

const template = `
[service]
base_url = '%s'
username = '%s'
password = '%s'
[state]
path = 'state.db'
[poll]
first = "5ms"
max = "20ms"
[[watch]]
path = 'shoots'
layout = "{project}/{sku}"
%s`

// Config watches dir/shoots, and keeps dir/state.db for a service. The lines of watch are added to
// the root's table; others may follow.
func Config(t testing.TB, dir, service, watch string) *config.Config {
	t.Helper()
	return Load(t, dir, fmt.Sprintf(template, service, Username, Password, watch))
}

// Load reads a text as dir/sync.toml.
func Load(t testing.TB, dir, text string) *config.Config {
	t.Helper()
	path := filepath.Join(dir, "sync.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Open makes a daemon with its Config, and with the state file and the service that the Config
// names. Without a log of its own it gets the log of the test. The returned function closes the
// state file and the connections.
func Open(t testing.TB, o daemon.Options) (*daemon.Daemon, func()) {
	t.Helper()
	d, _, end := open(t, o, nil, Committing)
	return d, end
}

// Committing is the plain hook around a commit of the state file.
func Committing(commit func() error) error { return commit() }

func open(
	t testing.TB, o daemon.Options, dial func(context.Context, string, string) (net.Conn, error), around func(commit func() error) error,
) (*daemon.Daemon, daemon.Options, func()) {
	t.Helper()
	service := o.Config.Service
	client := newClient(t, service, dial)
	account := syncstate.Account{BaseURL: service.BaseURL, Username: service.Username}
	store, err := syncstate.OpenObserved(o.Config.State.Path, account, around)
	if err != nil {
		t.Fatal(err)
	}
	o.Client, o.Store = client, store
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	d, err := daemon.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return d, o, func() {
		client.CloseIdle()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Start lets a daemon run, and others beside it, until the returned function is called. Another
// call does nothing.
func Start(t testing.TB, d *daemon.Daemon, beside ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := d.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, run := range beside {
		running.Go(func() { run(ctx) })
	}
	return sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
}

// Write makes a file, and the directories that lead to it.
func Write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Photo is a small JPEG that is another one for each seed.
func Photo(seed string) string {
	img := image.NewGray(image.Rect(0, 0, 16, 16))
	for i, b := range []byte(strings.Repeat(seed, 256/len(seed)+1))[:256] {
		img.Pix[i] = b * 7
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		panic(err) // into memory
	}
	return out.String()
}
