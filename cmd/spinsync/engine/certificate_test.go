package engine

import (
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient/sandbox/certificate"
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
	page := &pageCertificate{certFile: c.CertFile, keyFile: c.KeyFile, log: slog.New(slog.DiscardHandler), pair: &old}
	renew([]string{"page.crt"}, now.Add(48*time.Hour))
	if got, _ := page.get(nil); got != &old {
		t.Error("a certificate without its key is taken")
	}
	renew([]string{"page.crt", "page.key"}, now.Add(24*time.Hour))
	if got, _ := page.get(nil); !got.Leaf.NotAfter.After(old.Leaf.NotAfter) {
		t.Errorf("the certificate ends %s", got.Leaf.NotAfter)
	}
}
