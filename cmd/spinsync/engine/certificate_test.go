package engine

import (
	"bytes"
	"crypto/tls"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient/certificate"
	"spinsync/daemon/config"
)

// A renewed certificate is taken once both of its files are there.
func TestPageCertificateIsRenewed(t *testing.T) {
	dir := t.TempDir()
	c := config.Dashboard{CertFile: filepath.Join(dir, "page.crt"), KeyFile: filepath.Join(dir, "page.key")}
	now := time.Now()
	renew := func(names []string, until time.Time) {
		made, err := certificate.Make("page", []string{"studio.local"}, until)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{c.CertFile: made.Certificate, c.KeyFile: made.Key} {
			if slices.Contains(names, filepath.Base(name)) {
				if err := os.WriteFile(name, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	renew([]string{"page.crt", "page.key"}, now.Add(time.Hour))
	old, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	page := &pageCertificate{certFile: c.CertFile, keyFile: c.KeyFile, renew: func() error { return nil }, log: slog.New(slog.DiscardHandler), pair: &old}
	renew([]string{"page.crt"}, now.Add(48*time.Hour))
	if got, _ := page.get(nil); got != &old {
		t.Error("a certificate without its key is taken")
	}
	renew([]string{"page.crt", "page.key"}, now.Add(24*time.Hour))
	if got, _ := page.get(nil); !got.Leaf.NotAfter.After(old.Leaf.NotAfter) {
		t.Errorf("the certificate ends %s", got.Leaf.NotAfter)
	}
}

// A page for other computers has a certificate of its own where sync.toml names none: for its hosts,
// else for the name or address that it listens at. It is kept over a restart, and renewed before it ends.
func TestPageMakesItsCertificate(t *testing.T) {
	state, log := filepath.Join(t.TempDir(), "state.db"), slog.New(slog.DiscardHandler)
	listen := config.Dashboard{Listen: "0.0.0.0:8360", PasswordFile: "p", Hosts: []string{"studio.local"}}
	read := func() []byte {
		t.Helper()
		text, err := os.ReadFile(state + ".page.crt")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	c, renew, err := withCertificate(listen, state, log)
	if err != nil {
		t.Fatal(err)
	}
	page := &pageCertificate{certFile: c.CertFile, keyFile: c.KeyFile, renew: renew, log: log}
	pair, err := page.get(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(pair.Leaf.VerifyHostname("studio.local"), pair.Leaf.VerifyHostname("localhost")); err != nil {
		t.Error(err)
	}
	if n := len(pair.Leaf.IPAddresses); n > 0 {
		t.Errorf("the certificate of a name ends with one of %d addresses of the machine", n)
	}
	first := read()
	if _, _, err := withCertificate(listen, state, log); err != nil || !bytes.Equal(read(), first) {
		t.Errorf("another certificate after a restart, %v", err)
	}
	ends, err := certificate.Make("page", []string{"studio.local"}, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(c.CertFile, ends.Certificate, 0o600), os.WriteFile(c.KeyFile, ends.Key, 0o600)); err != nil {
		t.Fatal(err)
	}
	if pair, _ = page.get(nil); time.Until(pair.Leaf.NotAfter) < 24*time.Hour {
		t.Errorf("it ends at %s and is not renewed", pair.Leaf.NotAfter)
	}
	named, _, err := withCertificate(config.Dashboard{Listen: "studio-pc.lan:8360", PasswordFile: "p"}, state, log)
	if err != nil {
		t.Fatal(err)
	}
	if own, err := tls.LoadX509KeyPair(named.CertFile, named.KeyFile); err != nil || own.Leaf.VerifyHostname("studio-pc.lan") != nil {
		t.Errorf("it is not for the name at which the page listens: %v", err)
	}
	for _, none := range []config.Dashboard{{Listen: "127.0.0.1:8360"}, {Listen: ":8360", CertFile: "own", KeyFile: "key"}} {
		if c, _, err := withCertificate(none, state, log); err != nil || c.CertFile != none.CertFile {
			t.Errorf("at %s: %s, %v", none.Listen, c.CertFile, err)
		}
	}
	before := read()
	if _, _, err := withCertificate(config.Dashboard{Listen: ":8360", Hosts: []string{"."}}, state, log); err == nil || !bytes.Equal(read(), before) {
		t.Errorf("a name that no certificate can be for: %v", err)
	}
}
