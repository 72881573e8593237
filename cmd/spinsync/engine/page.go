package engine

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/certificate"
	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/daemon/dashboard"
	"spinsync/daemon/dashboard/qrcode"
)

// pageRetry is how often a page that cannot be served is tried again: its network may come up
// later, or its certificate be renewed.
const pageRetry = time.Minute

// showDashboard serves the page until the context ends. A page that cannot be served is logged once
// and tried again, and keeps nothing from being published.
func (s *serving) showDashboard(ctx context.Context, c config.Dashboard, statePath string, log *slog.Logger) {
	if c.Listen == "" {
		return
	}
	tryEachMinute(ctx, log, func(ctx context.Context) error { return s.serveDashboard(ctx, c, statePath, log) })
}

func tryEachMinute(ctx context.Context, log *slog.Logger, serve func(context.Context) error) {
	logged := ""
	for ctx.Err() == nil {
		if err := serve(ctx); err != nil && err.Error() != logged {
			logged = err.Error()
			log.Error("the page cannot be served; spinsync tries again each minute", "error", err)
		}
		select {
		case <-time.After(pageRetry):
		case <-ctx.Done():
		}
	}
}

func (s *serving) serveDashboard(ctx context.Context, c config.Dashboard, statePath string, log *slog.Logger) error {
	with, renew, err := withCertificate(c, statePath, log)
	if err != nil {
		return err
	}
	options, err := dashboardOptions(with, renew, log)
	if err != nil {
		return err
	}
	options.Address, options.OwnCertificate = addressElsewhere(c), with.CertFile != c.CertFile
	options.Reload, options.Before = func() { s.ask(ctx, true) }, s.shown
	if s.shown, err = dashboard.New(s.engine.Live, options); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", options.Listen)
	if err != nil {
		return fmt.Errorf("%w; name another address at listen in [dashboard] of sync.toml", err)
	}
	scheme := "http"
	if options.Certificate != nil {
		scheme = "https"
	}
	log.Info("the page is served", "address", cmp.Or(options.Address, scheme+"://"+listener.Addr().String()))
	s.showAddress(options.Address)
	return s.shown.Serve(ctx, listener)
}

// addressElsewhere is the address of the page for other screens; empty where none can reach it.
func addressElsewhere(c config.Dashboard) string {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil || port == "0" || apiclient.IsLoopback(host) {
		return ""
	}
	if host = pageHost(c, host); host == "" {
		return ""
	}
	return "https://" + net.JoinHostPort(host, port) + "/"
}

// pageHost is the name or address under which other screens ask for a page that listens there; empty
// where none is known.
func pageHost(c config.Dashboard, listens string) string {
	switch {
	case len(c.Hosts) > 0:
		return c.Hosts[0]
	case listens == "" || net.ParseIP(listens).IsUnspecified():
		return ownAddress()
	}
	return listens
}

// ownAddress is the address from which this machine reaches others; empty for none. Nothing is sent.
func ownAddress() string {
	conn, err := net.Dial("udp", "192.0.2.1:9")
	if err != nil {
		return ""
	}
	defer conn.Close()
	host, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	return host
}

// showAddress draws the page's address on a terminal.
func (s *serving) showAddress(address string) {
	if address == "" || !s.engine.call.Fancy(s.engine.call.Stderr) {
		return
	}
	if drawn, err := qrcode.Lines(address); err == nil {
		fmt.Fprintf(s.engine.call.Stderr, "\n%s\n%s\n\n", drawn, address)
	}
}

// withCertificate names a certificate of the page's own, next to the state file, where the page is
// for other computers and sync.toml names none. Renew makes it, and makes another before it ends.
func withCertificate(
	c config.Dashboard, statePath string, log *slog.Logger,
) (with config.Dashboard, renew func() error, err error) {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil || apiclient.IsLoopback(host) || c.CertFile != "" {
		return c, func() error { return nil }, err
	}
	own := certificate.Files{
		Certificate: statePath + ".page.crt", Key: statePath + ".page.key", Authority: statePath + ".page-ca.crt",
	}
	names := append([]string{"localhost"}, c.Hosts...)
	if asked := pageHost(c, host); len(c.Hosts) == 0 && asked != "" { // an address would change the certificate with the network
		names = append(names, asked)
	}
	renew = func() error {
		made, err := own.Renew("spinsync page", names)
		if made && err == nil {
			log.Warn("the page has a new certificate of its own; browsers warn of it until its authority is installed", "authority", own.Authority)
		}
		return err
	}
	c.CertFile, c.KeyFile = own.Certificate, own.Key
	return c, renew, renew()
}

func dashboardOptions(
	c config.Dashboard, renew func() error, log *slog.Logger,
) (dashboard.Options, error) {
	o := dashboard.Options{Listen: c.Listen, Hosts: c.Hosts, ReadOnly: c.ReadOnly, Version: cli.Version(), Log: log}
	password, pair, err := cli.PageFiles(c)
	o.Password = password
	if pair != nil && err == nil {
		o.Certificate = (&pageCertificate{certFile: c.CertFile, keyFile: c.KeyFile, renew: renew, log: log, pair: pair}).get
	}
	return o, err
}

// A pageCertificate is the page's certificate, which is read for each connection: it may have been
// renewed. Two files that do not go together, one of them being old yet, change nothing.
type pageCertificate struct {
	certFile, keyFile string
	renew             func() error // where it is spinsync's own
	log               *slog.Logger

	mu     sync.Mutex
	pair   *tls.Certificate
	logged string // the last error
}

func (c *pageCertificate) read() (tls.Certificate, error) {
	if err := c.renew(); err != nil {
		return tls.Certificate{}, err
	}
	return tls.LoadX509KeyPair(c.certFile, c.keyFile)
}

func (c *pageCertificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pair, err := c.read()
	switch {
	case err == nil:
		c.pair, c.logged = &pair, ""
	case err.Error() != c.logged:
		c.logged = err.Error()
		c.log.Error("the certificate of the page was changed and cannot be used; the old one stays in use", "error", err)
	}
	return c.pair, nil
}
