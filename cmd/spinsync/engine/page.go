package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/daemon/dashboard"
)

// pageRetry is how often a page that cannot be served is tried again: its network may come up
// later, or its certificate be renewed.
const pageRetry = time.Minute

// showDashboard serves the page until the context ends. A page that cannot be served is logged once
// and tried again, and keeps nothing from being published.
func (s *serving) showDashboard(ctx context.Context, c config.Dashboard, log *slog.Logger) {
	if c.Listen == "" {
		return
	}
	tryEachMinute(ctx, log, func(ctx context.Context) error { return s.serveDashboard(ctx, c, log) })
}

func tryEachMinute(ctx context.Context, log *slog.Logger, serve func(context.Context) error) {
	told := ""
	for ctx.Err() == nil {
		if err := serve(ctx); err != nil && err.Error() != told {
			told = err.Error()
			log.Error("the page cannot be served; spinsync tries again each minute", "error", err)
		}
		select {
		case <-time.After(pageRetry):
		case <-ctx.Done():
		}
	}
}

func (s *serving) serveDashboard(ctx context.Context, c config.Dashboard, log *slog.Logger) error {
	options, err := dashboardOptions(c, log)
	if err != nil {
		return err
	}
	options.Reload, options.Before = func() { s.ask(ctx) }, s.shown
	if s.shown, err = dashboard.New(s.Live, options); err != nil {
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
	log.Info("the page is served", "address", scheme+"://"+listener.Addr().String())
	return s.shown.Serve(ctx, listener)
}

// ask has sync.toml read again, and returns when that is done or the page ends.
func (s *serving) ask(ctx context.Context) {
	done := make(chan struct{})
	send(ctx, s.asked, done)
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func dashboardOptions(c config.Dashboard, log *slog.Logger) (dashboard.Options, error) {
	o := dashboard.Options{Listen: c.Listen, Hosts: c.Hosts, ReadOnly: c.ReadOnly, Version: cli.Version(), Log: log}
	password, pair, err := cli.PageFiles(c)
	o.Password = password
	if pair != nil && err == nil {
		o.Certificate = (&pageCertificate{certFile: c.CertFile, keyFile: c.KeyFile, log: log, pair: pair}).get
	}
	return o, err
}

// A pageCertificate is the page's certificate, which is read for each connection: it may have been
// renewed. Two files that do not go together, one of them being old yet, change nothing.
type pageCertificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	told string // the last error
}

func (c *pageCertificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.pair, c.told = &pair, ""
	case err.Error() != c.told:
		c.told = err.Error()
		c.log.Error("the certificate of the page was changed and cannot be used; the old one stays in use", "error", err)
	}
	return c.pair, nil
}
