package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
)

// startSandbox runs the command until stop is called, and returns the rows that it prints.
func startSandbox(
	t *testing.T, env map[string]string, rows int, args ...string,
) (said map[string]string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	printed, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		args = append([]string{"sandbox", "--listen", "127.0.0.1:0"}, args...)
		err := run(ctx, args, environment(env), strings.NewReader(""), out, io.Discard)
		out.CloseWithError(io.EOF)
		ended <- err
	}()
	said = map[string]string{}
	for lines := bufio.NewScanner(printed); len(said) < rows && lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		said[name] = strings.TrimSpace(value)
	}
	if len(said) < rows {
		t.Fatalf("the sandbox said %v and ended with %v", said, <-ended)
	}
	return said, func() error {
		cancel(errInterrupted)
		return <-ended
	}
}

// TestSandboxOverTLS: who trusts the file that is printed reaches the sandbox, also after a restart
// and under another name, and the key of what was trusted is nowhere.
func TestSandboxOverTLS(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "box"), map[string]string{"SPINSYNC_PASSWORD": "secret"}
	get := func(said map[string]string) {
		t.Helper()
		roots, err := trustRoots(said["ca_file"])
		if err != nil {
			t.Fatal(err)
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig.RootCAs = roots
		defer transport.CloseIdleConnections()
		answer, err := (&http.Client{Transport: transport}).Get(said["address"])
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if !strings.HasPrefix(said["address"], "https://") || answer.StatusCode != http.StatusOK {
			t.Errorf("%s answered %s", said["address"], answer.Status)
		}
	}
	certificate := func() string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "certificate.pem"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	said, stop := startSandbox(t, env, 3, "--data", dir, "--tls")
	get(said)
	stop()
	first := certificate()
	said, stop = startSandbox(t, env, 3, "--data", dir, "--tls")
	get(said)
	stop()
	if certificate() != first {
		t.Error("a restart makes another certificate, which nobody trusts")
	}
	said, stop = startSandbox(t, env, 3, "--data", dir, "--tls", "--public-url", "https://views.studio.local")
	stop()
	if said["address"] != "https://views.studio.local" || certificate() == first {
		t.Errorf("under another name the address is %s, and the certificate the same: %t", said["address"], certificate() == first)
	}
	pair := []string{"--cert-file", filepath.Join(dir, "certificate.pem"), "--key-file", filepath.Join(dir, "key.pem")}
	own, stop := startSandbox(t, env, 2, pair...)
	get(map[string]string{"address": own["address"], "ca_file": said["ca_file"]})
	stop()
}

// TestCertificateNames: the names of the machine are left out on loopback, and always those that no
// certificate can hold.
func TestCertificateNames(t *testing.T) {
	f := sandboxFlags{listen: "127.0.0.1:0", tls: true}
	f.options.Dir = t.TempDir()
	f.options.PublicURL = "https://Büro-PC:8443"
	names := f.certificateNames()
	if want := []string{"localhost", "127.0.0.1", "::1", "127.0.0.1"}; !slices.Equal(names, want) {
		t.Errorf("on loopback: %q, want %q", names, want)
	}
	if err := f.ownFiles().renew(names); err != nil {
		t.Error(err)
	}
	f.listen = "0.0.0.0:0"
	if beyond := f.certificateNames(); len(beyond) <= len(names) {
		t.Errorf("beyond loopback: %q", beyond)
	}
}

// TestEveryShapeHasAName: what the sandbox can answer otherwise is told by --shape, and
// docs/sandbox.md says how.
func TestEveryShapeHasAName(t *testing.T) {
	values := map[string]string{
		"hostname": "url", "filters": "ignored", "sources": "random", "upload-status": "201", "first-revision": "7",
		"list-lag":   "1s",
		"finish-lag": "1s", "page-size": "2", "storage-version": "1", "groups": "detail_:gallery,still_:additional",
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for name := range shapeSetters() {
		value := "x"
		if values[name] != "" {
			value = values[name]
		}
		shapes, err := parseShapes([]string{name + "=" + value})
		if err != nil {
			t.Error(err)
		}
		for field, value := range reflect.ValueOf(shapes).Fields() {
			if !value.IsZero() {
				set[field.Name] = true
			}
		}
		if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), "`"+name+"=") {
			t.Errorf("docs/sandbox.md does not tell of %s", name)
		}
	}
	for field := range reflect.TypeFor[sandbox.Shapes]().Fields() {
		if !set[field.Name] {
			t.Errorf("no --shape sets %s", field.Name)
		}
	}
}
