package browsertest

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/dashboard"
	"spinsync/syncstate"
)

const studioConfig = `
[service]
base_url = %q
username = "studio"
password = "the-secret"
[state]
path = "state.db"
[poll]
first = "50ms"
max = "200ms"
[[watch]]
path = "shoots"
layout = "{project}/{sku}"
frames = 12
settle = "100ms"
quiet = "1s"
`

var onLoopback = dashboard.Options{Listen: "127.0.0.1:0"}

// TestDashboard lets the script play the photographer: it copies photos from the camera's directory into the watched one,
// and looks at the page of a daemon that publishes them to a sandbox.
func TestDashboard(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	camera, shoots := filepath.Join(dir, "camera"), filepath.Join(dir, "shoots")
	for _, d := range []string{camera, shoots} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := range shoot.Frames {
		var file bytes.Buffer
		if err := shoot.WriteFrame(&file, i, time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(camera, shoot.Name(i)), file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	drive(t, "dashboard.mjs", studio(t, dir, onLoopback), "CAMERA="+camera, "SHOOTS="+shoots)
}

// TestLockedDashboard looks at the page as other computers see it: over TLS, and with a password.
func TestLockedDashboard(t *testing.T) {
	browser(t)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "shoots", "Summer", "TEAPOT-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS() // for its certificate
	server.Close()
	page := studio(t, dir, dashboard.Options{
		Listen: "0.0.0.0:8360", Password: "open sesame",
		Certificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &server.TLS.Certificates[0], nil },
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := page.Serve(ctx, listener); err != nil {
			t.Error(err)
		}
	})
	defer serving.Wait()
	defer cancel()
	script(t, "locked.mjs", "https://"+listener.Addr().String())
}

// studio starts a service, and a daemon with its page for the watched directory in dir; all end with the test.
func studio(t *testing.T, dir string, o dashboard.Options) *dashboard.Dashboard {
	t.Helper()
	service, err := sandbox.New(sandbox.Options{
		Dir: t.TempDir(), Users: []sandbox.User{{Name: "studio", Password: "the-secret", CanEdit: true}}, Processing: time.Second,
	})
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
	path := filepath.Join(dir, "sync.toml")
	if err := os.WriteFile(path, fmt.Appendf(nil, studioConfig, server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, c, o)
}

func start(t *testing.T, c *config.Config, o dashboard.Options) *dashboard.Dashboard {
	t.Helper()
	store, err := syncstate.Open(c.State.Path, syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username})
	if err != nil {
		t.Fatal(err)
	}
	client, err := apiclient.New(apiclient.Options{BaseURL: c.Service.BaseURL, Username: c.Service.Username, Password: c.Service.Password})
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.New(daemon.Options{Config: c, Store: store, Client: client, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	o.Version = "0.0.0"
	page, err := dashboard.New(d, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := d.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	running.Go(func() { page.Watch(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		client.CloseIdle()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return page
}
