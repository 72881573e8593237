package check

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/certificate"
	"spinsync/daemon/config"
)

// A certificate of the page that was not renewed gets a warning before it ends.
func TestPageCertificateAtItsEnd(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	c := config.Dashboard{CertFile: filepath.Join(dir, "page.crt"), KeyFile: filepath.Join(dir, "page.key")}
	made, err := certificate.Make("page", []string{"studio.local"}, now.Add(24*time.Hour))
	err = errors.Join(err, os.WriteFile(c.CertFile, made.Certificate, 0o600), os.WriteFile(c.KeyFile, made.Key, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for at, warnings := range map[time.Time]int{now: 1, now.Add(-30 * 24 * time.Hour): 0} {
		var r Report
		if examinePageFiles(c, at, &r); len(r.Rows) != warnings || r.failures != nil {
			t.Errorf("check says %v", r.Rows)
		}
	}
}
