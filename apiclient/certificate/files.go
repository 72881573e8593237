package certificate

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
)

// How long a certificate is valid, and how much of that must be left for it to be used again.
// Browsers take none that is valid for more than 825 days.
const (
	life = 365 * 24 * time.Hour
	left = 30 * 24 * time.Hour
)

var errNoName = errors.New("one is no host name")

// Files are those of a certificate of the program's own, all in PEM form.
type Files struct {
	Certificate, Key string
	Authority        string // for others to trust
}

// Renew keeps the present certificate while it is good for all names, so that people need not trust
// a new one each day. Else it makes one for the service, and reports that. Names that no certificate
// can hold are left out: Windows allows "Büro-PC".
func (f Files) Renew(service string, names []string) (made bool, err error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII })
	})
	if pair, err := tls.LoadX509KeyPair(f.Certificate, f.Key); err == nil && covers(pair.Leaf, names, time.Now()) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(f.Key), 0o700); err != nil {
		return false, err
	}
	pair, err := Make(service, names, time.Now().Add(life))
	if err != nil {
		return false, err
	}
	if usable, err := tls.X509KeyPair(pair.Certificate, pair.Key); err != nil || !covers(usable.Leaf, names, time.Now()) {
		return false, fmt.Errorf("no certificate can be for all of %q; correct the names (%w)", names, cmp.Or(err, errNoName))
	}
	return true, errors.Join(
		os.WriteFile(f.Authority, pair.Authority, 0o644),
		os.WriteFile(f.Certificate, pair.Certificate, 0o644),
		os.WriteFile(f.Key, pair.Key, 0o600),
	)
}

func covers(certificate *x509.Certificate, names []string, now time.Time) bool {
	other := func(name string) bool { return certificate.VerifyHostname(name) != nil }
	return !slices.ContainsFunc(names, other) && certificate.NotAfter.Sub(now) >= left
}

// MachineNames are the name of this machine and the addresses that it has now.
func MachineNames() []string {
	var names []string
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	addresses, _ := net.InterfaceAddrs()
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok {
			names = append(names, network.IP.String())
		}
	}
	return names
}
