package browsertest

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/dashboard"
)

var onLoopback = dashboard.Options{Listen: "127.0.0.1:0"}

// TestDashboard lets the script play the photographer: it copies photos from the camera's directory
// into the watched one, and reads the page of a daemon that publishes them to a sandbox.
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

// TestLockedDashboard reads the page as other computers see it: over TLS, and with a password.
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

// studio starts a service, and a daemon with its page for the directory shoots in dir; all end with
// the test.
func studio(t *testing.T, dir string, o dashboard.Options) *dashboard.Dashboard {
	t.Helper()
	_, service := daemontest.Service(t, sandbox.Options{Processing: time.Second})
	c := daemontest.Config(t, dir, service, `
frames = 12
settle = "100ms"
quiet = "1s"
`)
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	t.Cleanup(end)
	o.Version = "0.0.0"
	page, err := dashboard.New(daemon.NewLive(d), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(daemontest.Start(t, d, page.Watch))
	return page
}
