package demo

import (
	"slices"
	"testing"
)

// TestCertificateNames: the names of the machine are left out on loopback, and a name that no
// certificate can hold prevents none.
func TestCertificateNames(t *testing.T) {
	f := sandboxFlags{listen: "127.0.0.1:0", tls: true}
	f.options.Dir = t.TempDir()
	f.options.PublicURL = "https://Büro-PC:8443"
	names := f.certificateNames()
	if want := []string{"localhost", "127.0.0.1", "::1", "127.0.0.1", "Büro-PC"}; !slices.Equal(names, want) {
		t.Errorf("on loopback: %q, want %q", names, want)
	}
	if _, err := f.ownFiles().Renew("spinsync sandbox", names); err != nil {
		t.Error(err)
	}
	f.listen = "0.0.0.0:0"
	if beyond := f.certificateNames(); len(beyond) <= len(names) {
		t.Errorf("beyond loopback: %q", beyond)
	}
}
