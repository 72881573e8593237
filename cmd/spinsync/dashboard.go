package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/dashboard"
)

// pageRetry is how often a page that cannot be served is tried again: its network may come up later, or its certificate be renewed.
const pageRetry = time.Minute

// showDashboard serves the page until the context ends. A page that cannot be served is logged once and tried again, and
// keeps nothing from being published.
func (w *work) showDashboard(ctx context.Context) {
	if w.config.Dashboard.Listen == "" {
		return
	}
	tryEachMinute(ctx, w.log, w.serveDashboard)
}

func tryEachMinute(ctx context.Context, log *slog.Logger, serve func(context.Context) error) {
	told := ""
	for ctx.Err() == nil {
		if err := serve(ctx); err != nil && err.Error() != told {
			told = err.Error()
			log.Error("there is no page; it is tried again each minute", "error", err)
		}
		select {
		case <-time.After(pageRetry):
		case <-ctx.Done():
		}
	}
}

func (w *work) serveDashboard(ctx context.Context) error {
	options, err := w.dashboardOptions()
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
	w.log.Info("the page is there", "address", scheme+"://"+listener.Addr().String())
	return page.Serve(ctx, listener)
}

func (w *work) dashboardOptions() (dashboard.Options, error) {
	c := w.config.Dashboard
	o := dashboard.Options{Listen: c.Listen, Hosts: c.Hosts, ReadOnly: c.ReadOnly, Version: version(), Log: w.log}
	var err error
	o.Password, o.Certificate, err = pageFiles(c)
	return o, err
}

// pageFiles reads what the page needs beyond loopback. Without files there is neither a password nor a certificate.
func pageFiles(c config.Dashboard) (password apiclient.Secret, certificate *tls.Certificate, err error) {
	if password, err = c.ResolvePassword(); err != nil || c.CertFile == "" {
		return password, nil, err
	}
	pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	return password, &pair, err
}
