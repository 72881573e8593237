package cli

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"spinsync/apiclient"
	"spinsync/daemon/config"
)

// Client returns the service as the configuration names it, with its password.
func (call *Call) Client(c *config.Config) (*apiclient.Client, error) {
	password, err := c.Service.ResolvePassword(call.Env, call.Keychain())
	if err != nil {
		return nil, Usage(err)
	}
	return call.Connect(c, password)
}

// Connect returns the service as the configuration names it, with another password.
func (call *Call) Connect(c *config.Config, password apiclient.Secret) (*apiclient.Client, error) {
	roots, err := TrustRoots(c.Service.CAFile)
	if err != nil {
		return nil, Usage(err)
	}
	return ConnectTrusting(roots, c, password)
}

// ConnectTrusting is Connect with trust roots that were read before; nil means the system's.
func ConnectTrusting(roots *x509.CertPool, c *config.Config, password apiclient.Secret) (*apiclient.Client, error) {
	client, err := apiclient.New(apiclient.Options{
		BaseURL: c.Service.BaseURL, Username: c.Service.Username, Password: password,
		RootCAs: roots, UserAgent: "spinsync/" + Version(),
	})
	if err != nil {
		return nil, Usage(err)
	}
	return client, nil
}

// TrustRoots adds the certificates of a file to the system's. Without a file it returns nil, which
// means the system's.
func TrustRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ca_file in [service]: %w; name a file that can be read", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("ca_file in [service]: %s holds no certificate; name a file in PEM form", file)
	}
	return roots, nil
}

// PageFiles reads what the page needs beyond loopback. Without files there is neither a password
// nor a certificate.
func PageFiles(c config.Dashboard) (password apiclient.Secret, certificate *tls.Certificate, err error) {
	if password, err = c.ResolvePassword(); err != nil || c.CertFile == "" {
		return password, nil, err
	}
	pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	return password, &pair, err
}

// SpeaksHTTP is the error for an address that was written with https and answers with http.
func SpeaksHTTP(address string) error {
	plain := strings.Replace(address, "https:", "http:", 1)
	return fmt.Errorf("%s speaks http, not https; on this machine itself write %s", address, plain)
}
