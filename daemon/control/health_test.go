package control

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
)

// TestHealth: a daemon whose loop takes no turn is not well, whatever its status says, and one that
// takes turns is.
func TestHealth(t *testing.T) {
	dir := t.TempDir()
	_, service := daemontest.Service(t, sandbox.Options{})
	c := daemontest.Config(t, dir, service, "")
	daemontest.Write(t, filepath.Join(dir, "shoots", "Summer", "SKU-1", "1.jpg"), daemontest.Photo("1"))
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	t.Cleanup(end)
	ask := func(ctx context.Context) (int, string) {
		w := httptest.NewRecorder()
		handler(d).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health", nil).WithContext(ctx))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if code, answer := ask(ended); code == http.StatusOK {
		t.Errorf("a daemon that stands still answers %d %s", code, answer)
	}
	t.Cleanup(daemontest.Start(t, d))
	if code, answer := ask(t.Context()); code != http.StatusOK || answer != `{"trouble":""}` {
		t.Errorf("a daemon that works answers %d %s", code, answer)
	}
}
