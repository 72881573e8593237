package engine

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon/control"
	"spinsync/daemon/notify"
	"spinsync/daemon/status"
)

// Serve works, shows the page, tells of news and answers the other commands, until the context ends
// or one of the two fails.
func (w *Engine) Serve(ctx context.Context) error {
	notifier, err := w.notifier()
	if err != nil {
		return err
	}
	settings := configFollower{w.Config, w.env, w.log, w.SetUpload, w.TellSettings}
	password := func(ctx context.Context) { followPassword(ctx, w.Config.Service, w.env, w.log, w.setPassword) }
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return w.Run(ctx) })
	g.Go(func() error {
		if err := control.Serve(ctx, w.Daemon, w.Config.State.Path); err != nil {
			return fmt.Errorf("answer the other commands: %w", err)
		}
		return nil
	})
	for _, beside := range []func(context.Context){
		settings.run, password, notifier.Run, w.showDashboard, w.giveMemoryBack,
	} {
		g.Go(func() error {
			beside(ctx)
			return nil
		})
	}
	return g.Wait()
}

func (w *Engine) setPassword(password apiclient.Secret) {
	w.Client.SetPassword(password)
	w.PasswordChanged()
}

func (w *Engine) notifier() (*notify.Notifier, error) {
	c := w.Config.Notify
	var roots *x509.CertPool
	if c.Webhook != "" { // reading the system's certificates takes longer than most of a start
		var err error
		if roots, err = cli.TrustRoots(w.Config.Service.CAFile); err != nil {
			return nil, cli.Usage(err)
		}
	}
	return notify.New(w.Status, notify.Options{
		Webhook: c.Webhook, RootCAs: roots, Command: c.Command, Environ: os.Environ(),
		Every: c.Every, Version: cli.Version(), Log: w.log, Diary: w.Daemon.Records,
	}), nil
}

// serveSupervised serves, and tells the service manager how it goes.
func (w *Engine) serveSupervised(ctx context.Context) error {
	summary := func() string { return statusLine(w.Status()) }
	return osservice.Supervised{Pulse: w.Pulse, Summary: summary}.Run(ctx, w.Serve)
}

// statusLine is the daemon's status in a line.
func statusLine(s status.Status) string {
	text := status.Counted(len(s.Products), "product folder")
	attention := 0
	for _, p := range s.Products {
		if p.State == status.Attention {
			attention++
		}
	}
	switch {
	case s.Paused:
		text += ", paused"
	case s.Service.Trouble != "":
		text += ", " + s.Service.Trouble
	}
	if attention > 0 {
		text += fmt.Sprintf(", %d in need of attention", attention)
	}
	return text
}

// Pass makes one pass, answers the other commands meanwhile, and tells of news.
func (w *Engine) Pass(ctx context.Context) error {
	notifier, err := w.notifier()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var beside errgroup.Group
	beside.Go(func() error {
		if err := control.Serve(ctx, w.Daemon, w.Config.State.Path); err != nil {
			w.log.Warn("other commands cannot reach this pass", "error", err) // it still publishes
		}
		return nil
	})
	beside.Go(func() error {
		notifier.Run(ctx)
		return nil
	})
	err = w.Sync(ctx)
	cancel()
	return errors.Join(err, beside.Wait())
}
