package demo

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox/certificate"
)

// How long a certificate of the sandbox's own is valid, and how much of that must be left for it to
// be used again. Browsers take none that is valid for more than 825 days.
const (
	certificateLife = 365 * 24 * time.Hour
	certificateLeft = 30 * 24 * time.Hour
)

// secure serves https on a listener where the flags ask for it. It returns the address to ask for,
// too.
func (f sandboxFlags) secure(listener net.Listener) (secured net.Listener, address string, err error) {
	var files certificateFiles
	switch {
	case (f.certFile == "") != (f.keyFile == ""):
		return listener, "", errors.New("name the certificate with --cert-file and its key with --key-file")
	case f.certFile != "" && f.tls:
		return listener, "", errors.New("name --tls for a certificate of its own, or --cert-file and --key-file")
	case f.certFile != "":
		files = certificateFiles{certFile: f.certFile, keyFile: f.keyFile}
	case f.tls:
		files = f.ownFiles()
		err = files.renew(f.certificateNames())
	default:
		return listener, "http://" + listener.Addr().String(), nil
	}
	if err != nil {
		return listener, "", err
	}
	pair, err := tls.LoadX509KeyPair(files.certFile, files.keyFile)
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return tls.NewListener(listener, settings), "https://" + listener.Addr().String(), err
}

// certificateFiles are the files of a certificate, all in PEM form.
type certificateFiles struct {
	certFile, keyFile string
	trustFile         string // for others to trust; empty for a certificate of one's own
}

func (f sandboxFlags) ownFiles() certificateFiles {
	dir := f.options.Dir
	return certificateFiles{
		certFile:  filepath.Join(dir, "certificate.pem"),
		keyFile:   filepath.Join(dir, "key.pem"),
		trustFile: filepath.Join(dir, "ca.pem"),
	}
}

// certificateNames are the names and addresses by which the sandbox may be asked for. Those of the
// machine count only beyond loopback: they change with the network, and the authority with them.
func (f sandboxFlags) certificateNames() []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	host, _, err := net.SplitHostPort(f.listen)
	if err == nil && host != "" {
		names = append(names, host)
	}
	if u, err := url.Parse(f.options.PublicURL); err == nil && u.Hostname() != "" {
		names = append(names, u.Hostname())
	}
	if err == nil && !apiclient.IsLoopback(host) {
		names = append(names, machineNames()...)
	}
	return onlyASCII(names)
}

// machineNames are the name of this machine and the addresses that it has now.
func machineNames() []string {
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

// onlyASCII drops the names that no certificate can hold: Windows allows "Büro-PC".
func onlyASCII(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII })
	})
}

// renew keeps the present certificate while it is good for all names, so that people need not trust
// a new one each day. Else it makes one.
func (t certificateFiles) renew(names []string) error {
	if pair, err := tls.LoadX509KeyPair(t.certFile, t.keyFile); err == nil && covers(pair.Leaf, names, time.Now()) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.keyFile), 0o700); err != nil {
		return err
	}
	return t.make(names)
}

func covers(certificate *x509.Certificate, names []string, now time.Time) bool {
	other := func(name string) bool { return certificate.VerifyHostname(name) != nil }
	return !slices.ContainsFunc(names, other) && certificate.NotAfter.Sub(now) >= certificateLeft
}

// make writes a certificate, its key, and the authority that signed it.
func (t certificateFiles) make(names []string) error {
	made, err := certificate.Make("spinsync sandbox", names, time.Now().Add(certificateLife))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(t.trustFile, made.Authority, 0o644),
		os.WriteFile(t.certFile, made.Certificate, 0o644),
		os.WriteFile(t.keyFile, made.Key, 0o600),
	)
}
