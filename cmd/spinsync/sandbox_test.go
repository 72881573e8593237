package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/cmd/spinsync/cli"
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

// TestSandboxOverTLS: a client that trusts the printed file reaches the sandbox, also after a
// restart and under another name. The authority's key is stored nowhere.
func TestSandboxOverTLS(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "box"), map[string]string{"SPINSYNC_PASSWORD": "secret"}
	get := func(said map[string]string) {
		t.Helper()
		roots, err := cli.TrustRoots(said["ca_file"])
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
