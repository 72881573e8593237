package demo

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"path/filepath"

	"spinsync/apiclient"
	"spinsync/apiclient/certificate"
)

// secure serves https on a listener where the flags ask for it. It returns the address to ask for,
// too.
func (f sandboxFlags) secure(listener net.Listener) (secured net.Listener, address string, err error) {
	var files certificate.Files
	switch {
	case (f.certFile == "") != (f.keyFile == ""):
		return listener, "", errors.New("name the certificate with --cert-file and its key with --key-file")
	case f.certFile != "" && f.tls:
		return listener, "", errors.New("name --tls for a certificate of its own, or --cert-file and --key-file")
	case f.certFile != "":
		files = certificate.Files{Certificate: f.certFile, Key: f.keyFile}
	case f.tls:
		files = f.ownFiles()
		_, err = files.Renew("spinsync sandbox", f.certificateNames())
	default:
		return listener, "http://" + listener.Addr().String(), nil
	}
	if err != nil {
		return listener, "", err
	}
	pair, err := tls.LoadX509KeyPair(files.Certificate, files.Key)
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return tls.NewListener(listener, settings), "https://" + listener.Addr().String(), err
}

func (f sandboxFlags) ownFiles() certificate.Files {
	dir := f.options.Dir
	return certificate.Files{
		Certificate: filepath.Join(dir, "certificate.pem"),
		Key:         filepath.Join(dir, "key.pem"),
		Authority:   filepath.Join(dir, "ca.pem"),
	}
}

// certificateNames are the names and addresses under which the sandbox may be reached. Those of the
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
		names = append(names, certificate.MachineNames()...)
	}
	return names
}
