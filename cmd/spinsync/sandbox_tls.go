package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"spinsync/apiclient/hosts"
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
	var files sandboxTLS
	switch {
	case (f.certFile == "") != (f.keyFile == ""):
		return listener, "", errors.New("name the certificate with --cert-file and its key with --key-file")
	case f.certFile != "" && f.tls:
		return listener, "", errors.New("name --tls for a certificate of its own, or --cert-file and --key-file")
	case f.certFile != "":
		files = sandboxTLS{certFile: f.certFile, keyFile: f.keyFile}
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

// sandboxTLS are the files of a certificate, all in PEM form.
type sandboxTLS struct {
	certFile, keyFile string
	trustFile         string // for others to trust; empty for a certificate of one's own
}

func (f sandboxFlags) ownFiles() sandboxTLS {
	dir := f.options.Dir
	return sandboxTLS{
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
	if err == nil && !hosts.IsLoopback(host) {
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
func (t sandboxTLS) renew(names []string) error {
	if pair, err := tls.LoadX509KeyPair(t.certFile, t.keyFile); err == nil && covers(pair.Leaf, names, time.Now()) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.keyFile), 0o700); err != nil {
		return err
	}
	return t.make(names, time.Now())
}

func covers(certificate *x509.Certificate, names []string, now time.Time) bool {
	for _, name := range names {
		if certificate.VerifyHostname(name) != nil {
			return false
		}
	}
	return certificate.NotAfter.Sub(now) >= certificateLeft
}

// make writes a certificate, its key, and the authority that signed it. The authority's key is
// forgotten, so that no other certificate can be signed for the people who trust this authority.
func (t sandboxTLS) make(names []string, now time.Time) error {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	authority, leaf := certificateTexts(names, now)
	signed, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), authorityKey)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		writePEM(t.trustFile, "CERTIFICATE", signed, 0o644),
		writePEM(t.certFile, "CERTIFICATE", der, 0o644),
		writePEM(t.keyFile, "PRIVATE KEY", secret, 0o600),
	)
}

func certificateTexts(names []string, now time.Time) (authority, leaf *x509.Certificate) {
	authority = &x509.Certificate{
		Subject:   pkix.Name{CommonName: "spinsync sandbox, made " + now.Format(time.DateTime)},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf = &x509.Certificate{
		Subject:     pkix.Name{CommonName: "spinsync sandbox"},
		NotBefore:   authority.NotBefore,
		NotAfter:    authority.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		} else {
			leaf.DNSNames = append(leaf.DNSNames, name)
		}
	}
	return authority, leaf
}

func writePEM(path, kind string, der []byte, rights os.FileMode) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), rights)
}
