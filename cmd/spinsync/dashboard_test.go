package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient/sandbox/certificate"
	"spinsync/daemon/config"
)

// A page that cannot be served at first comes when it can, and the log is not filled with it.
func TestPageIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		tries := 0
		go tryEachMinute(ctx, slog.New(slog.NewTextHandler(&log, nil)), func(ctx context.Context) error {
			if tries++; tries < 4 {
				return errors.New("cannot assign requested address")
			}
			<-ctx.Done()
			return nil
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if n := strings.Count(log.String(), "there is no page"); tries != 4 || n != 1 {
			t.Errorf("it was tried %d times and told %d times", tries, n)
		}
	})
}

// A renewed certificate is taken once both of its files are there, and check tells of one that
// nobody renewed.
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
				write(t, name, string(text))
			}
		}
	}
	renew([]string{"page.crt", "page.key"}, now.Add(time.Hour))
	old, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	page := &pageCertificate{certFile: c.CertFile, keyFile: c.KeyFile, log: slog.New(slog.DiscardHandler)}
	page.pair.Store(&old)
	renew([]string{"page.crt"}, now.Add(48*time.Hour))
	page.readAgain()
	if got, _ := page.get(nil); got != &old {
		t.Error("a certificate without its key is taken")
	}
	renew([]string{"page.crt", "page.key"}, now.Add(24*time.Hour))
	page.readAgain()
	if got, _ := page.get(nil); !got.Leaf.NotAfter.After(old.Leaf.NotAfter) {
		t.Errorf("the certificate ends %s", got.Leaf.NotAfter)
	}
	for at, warnings := range map[time.Time]int{now: 1, now.Add(-30 * 24 * time.Hour): 0} {
		var r report
		if examinePageFiles(c, at, &r); len(r.rows) != warnings || r.failed > 0 {
			t.Errorf("check says %v", r.rows)
		}
	}
}
