package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/dashboard"
)

// pageRetry is how often a page that cannot be served is tried again: its network may come up
// later, or its certificate be renewed.
const pageRetry = time.Minute

// showDashboard serves the page until the context ends. A page that cannot be served is logged once
// and tried again, and keeps nothing from being published.
func (w *Engine) showDashboard(ctx context.Context) {
	if w.Config.Dashboard.Listen == "" {
		return
	}
	tryEachMinute(ctx, w.log, w.serveDashboard)
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

func (w *Engine) serveDashboard(ctx context.Context) error {
	options, renewed, err := w.dashboardOptions()
	if err != nil {
		return err
	}
	page, err := dashboard.New(w.Daemon, options)
	if err != nil {
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
	w.log.Info("the page is served", "address", scheme+"://"+listener.Addr().String())
	following, cancel := context.WithCancel(ctx)
	defer renewed.follow(following).Wait()
	defer cancel()
	return page.Serve(ctx, listener)
}

func (w *Engine) dashboardOptions() (dashboard.Options, *pageCertificate, error) {
	c := w.Config.Dashboard
	o := dashboard.Options{Listen: c.Listen, Hosts: c.Hosts, ReadOnly: c.ReadOnly, Version: cli.Version(), Log: w.log}
	password, pair, err := cli.PageFiles(c)
	o.Password = password
	if pair == nil || err != nil {
		return o, nil, err
	}
	renewed := &pageCertificate{certFile: c.CertFile, keyFile: c.KeyFile, log: w.log}
	renewed.pair.Store(pair)
	o.Certificate = renewed.get
	return o, renewed, nil
}

// A pageCertificate is the page's certificate, which is read again after its files have changed.
// Two files that do not go together, one of them being old yet, change nothing.
type pageCertificate struct {
	certFile, keyFile string
	log               *slog.Logger
	pair              atomic.Pointer[tls.Certificate]
}

func (c *pageCertificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.pair.Load(), nil
}

// follow follows both files until the context ends. No certificate has none to follow.
func (c *pageCertificate) follow(ctx context.Context) *sync.WaitGroup {
	var following sync.WaitGroup
	if c != nil {
		following.Go(func() { followFile(ctx, c.certFile, c.readAgain) })
		following.Go(func() { followFile(ctx, c.keyFile, c.readAgain) })
	}
	return &following
}

func (c *pageCertificate) readAgain() {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		c.log.Error("the certificate of the page was changed and cannot be used; the old one stays in use", "error", err)
		return
	}
	c.pair.Store(&pair)
	c.log.Info("the certificate of the page was changed; the new one is in use", "until", pair.Leaf.NotAfter)
}
