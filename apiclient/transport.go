package apiclient

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"
)

// transports builds the client's HTTP clients. All speak HTTP/1.1 only: with several connections it
// is the faster one for uploads, and a request that a server left unprocessed is not sent again as
// HTTP/2 would.
type transports struct {
	options Options
	base    *url.URL
	fence   *fence
}

// control keeps connections to the service, for calls that may share them.
func (t transports) control() *http.Client {
	h := t.transport()
	h.MaxIdleConnsPerHost = 64 // a handshake costs more than most of the requests
	h.ResponseHeaderTimeout = answerTime
	return withoutRedirects(h)
}

// once uses a connection for one request only. The service may close a kept connection at the
// moment a request is written to it. The client then cannot know whether the request arrived.
func (t transports) once() *http.Client {
	h := t.transport()
	h.DisableKeepAlives = true
	return withoutRedirects(h)
}

// keptUploadConns is how many connections to an upload host wait for the next file, at least as
// many as uploads ever run side by side: a connection that is not kept costs each file a handshake.
const keptUploadConns = 256

// store keeps connections to upload hosts. It has neither cookies nor a password.
func (t transports) store() *http.Client {
	h := t.transport()
	d := &storeDialer{transports: t, config: t.tlsConfig()}
	h.Proxy = d.proxyFor
	h.DialContext = d.dial
	h.DialTLSContext = d.dialTLS
	h.MaxIdleConnsPerHost = keptUploadConns
	h.MaxIdleConns = 2 * keptUploadConns
	// Object stores close idle connections after some 20 s. A form sent into that moment is lost.
	h.IdleConnTimeout = 15 * time.Second
	return withoutRedirects(h)
}

func (t transports) transport() *http.Transport {
	h := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: checkProxyAnswer,
		DialContext:            t.dial,
		TLSClientConfig:        t.tlsConfig(),
		TLSHandshakeTimeout:    tlsTime,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		Protocols:              new(http.Protocols),
	}
	h.Protocols.SetHTTP1(true)
	return h
}

func (t transports) tlsConfig() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            t.options.RootCAs,
		ClientSessionCache: tls.NewLRUClientSessionCache(64),
	}
}

func withoutRedirects(h http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     h,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (t transports) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if t.options.DialContext != nil {
		return t.fence.around(t.options.DialContext(ctx, network, address))
	}
	d := net.Dialer{Timeout: dialTime}
	return t.fence.around(d.DialContext(ctx, network, address))
}

// storeDialer connects to upload hosts. Their names come from the network and must not open a way
// into the studio, so the address behind a name is checked, unless a proxy makes the connection.
type storeDialer struct {
	transports transports
	config     *tls.Config
	proxy      atomic.Pointer[url.URL] // the one used last
}

func (d *storeDialer) proxyFor(r *http.Request) (*url.URL, error) {
	proxy, err := http.ProxyFromEnvironment(r)
	if proxy != nil {
		d.proxy.Store(proxy)
	}
	return proxy, err
}

// dial connects to a proxy, or without TLS to an upload host on loopback, whose name was checked
// before.
func (d *storeDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.transports.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return newUploadConn(conn), nil
}

// dialTLS connects to an upload host, or to a proxy that is itself reached over TLS.
func (d *storeDialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dial := d.transports.dialPublic
	if proxy := d.proxy.Load(); proxy != nil && proxy.Hostname() == host {
		dial = d.transports.dial
	}
	conn, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	secured, err := d.secure(ctx, conn, host)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return newUploadConn(secured), nil
}

func (d *storeDialer) secure(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
	config := d.config.Clone()
	config.ServerName = host
	ctx, cancel := context.WithTimeout(ctx, tlsTime)
	defer cancel()
	secured := tls.Client(conn, config)
	return secured, secured.HandshakeContext(ctx)
}

// dialPublic refuses an address in a network that is not public, unless the service itself is in
// one.
func (t transports) dialPublic(ctx context.Context, network, address string) (net.Conn, error) {
	if t.options.DialContext != nil {
		return t.fence.around(t.options.DialContext(ctx, network, address))
	}
	d := net.Dialer{Timeout: dialTime, ControlContext: t.checkAddress}
	return t.fence.around(d.DialContext(ctx, network, address))
}

// checkAddress sees the address after the name was resolved.
func (t transports) checkAddress(ctx context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if isInternal(to.Addr()) && !resolvesInternally(ctx, t.base.Hostname()) {
		return internalHostError{to.Addr().String()}
	}
	return nil
}

// internalHostError refuses an upload host that is not public while the service is.
type internalHostError struct{ host string }

func (e internalHostError) Unwrap() error { return ErrPrivateHost }

func (e internalHostError) Error() string {
	return fmt.Sprintf("upload host %s is inside a private network and the service is not", e.host)
}

// proxyError is a proxy's refusal to connect.
type proxyError struct {
	host   string
	status string
}

func (e proxyError) Unwrap() error { return ErrProxy }

func (e proxyError) Error() string {
	return fmt.Sprintf("proxy %s answered %s, check the proxy settings of the environment", e.host, e.status)
}

func checkProxyAnswer(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusProxyAuthRequired {
		return proxyError{proxy.Host, printable(answer.Status)}
	}
	return nil
}
