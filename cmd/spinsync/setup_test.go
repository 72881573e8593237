package main

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/daemon/config"
)

// A service with a certificate of its own: setup names the flag that helps, and writes down what it
// was given.
func TestSetupTakesCertificates(t *testing.T) {
	dir := t.TempDir()
	service := httptest.NewTLSServer(startService(t, "canary-4711").box)
	defer service.Close()
	ca := filepath.Join(dir, "proxy.pem")
	write(t, ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})))
	write(t, filepath.Join(dir, "shoots", "Summer", "SKU-1", "frame_01.jpg"), string(photo(0)))
	place := filepath.Join(dir, "conf", "sync.toml")
	answers := fmt.Sprintf("%s\nstudio\ncanary-4711\n%s\n", service.URL, filepath.Join(dir, "shoots"))
	setup := func(more ...string) error {
		args := append([]string{"setup", "--config", place}, more...)
		return run(t.Context(), args, environment(nil), strings.NewReader(answers), t.Output(), t.Output())
	}
	if err := setup(); !strings.Contains(fmt.Sprint(err), "name the file of its certificate with --ca-file") {
		t.Error(err)
	}
	if err := setup("--ca-file", ca); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(place, environment(map[string]string{"HOME": dir}))
	if err != nil {
		t.Fatal(err)
	}
	if c.Service.CAFile != ca {
		t.Errorf("ca_file is %q", c.Service.CAFile)
	}
}

// The example that a package put in place is filled in, with the mode it had. What a person wrote
// is not touched.
func TestSetupFillsInTheExample(t *testing.T) {
	dir := t.TempDir()
	service := startService(t, "canary-4711")
	example, err := os.ReadFile(filepath.Join("..", "..", "sync.toml.example"))
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, "conf", "sync.toml")
	write(t, place, string(example))
	write(t, filepath.Join(dir, "shoots", "Summer", "SKU-1", "frame_01.jpg"), string(photo(0)))
	setup := func() error {
		answers := fmt.Sprintf("%s\nstudio\ncanary-4711\n%s\n", service.url, filepath.Join(dir, "shoots"))
		return run(t.Context(), []string{"setup", "--config", place}, environment(map[string]string{"HOME": dir}), strings.NewReader(answers), t.Output(), t.Output())
	}
	if err := setup(); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(place, environment(map[string]string{"HOME": dir}))
	if err != nil || c.Service.BaseURL != service.url {
		t.Fatalf("the address is %v, %v", c, err)
	}
	if info, err := os.Stat(place); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if err := setup(); exitCode(err) != exitUsage {
		t.Errorf("setup over a file of a person: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
