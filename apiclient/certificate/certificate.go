// Package certificate makes TLS certificates of the program's own, for the page and the sandbox. Call
// Make with the names of the host.
package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"time"
)

// A Pair is a certificate with its key, and the authority that clients have to trust. All are in
// PEM form.
type Pair struct{ Certificate, Key, Authority []byte }

// Make makes a certificate for a service that is asked for by names and IP addresses. The key of
// the authority is forgotten, so that nothing else can be signed for those who trust it.
func Make(service string, names []string, until time.Time) (Pair, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	authority, leaf := templates(service, names, until)
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return Pair{}, err
	}
	signed, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), authorityKey)
	if err != nil {
		return Pair{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	return Pair{inPEM("CERTIFICATE", signed), inPEM("PRIVATE KEY", secret), inPEM("CERTIFICATE", root)}, err
}

func templates(service string, names []string, until time.Time) (authority, leaf *x509.Certificate) {
	now := time.Now()
	authority = &x509.Certificate{
		Subject:   pkix.Name{CommonName: service + ", made " + now.Format(time.DateTime)},
		NotBefore: now.Add(-time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf = &x509.Certificate{
		Subject:     pkix.Name{CommonName: service},
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

func inPEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
