package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"spinsync/apiclient"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/daemon/notify"
)

const runHelp = `Publishes for as long as it runs, in the foreground. SIGTERM and Ctrl-C stop it cleanly, with exit code 0, and a second one at once,
with 130. Its page is at http://127.0.0.1:8360, or where [dashboard] in sync.toml has it.

What stands under [upload] and [[upload.limits]] in sync.toml, and the password in password_file, hold some ten seconds after they were
changed there; the rest is read at the start. Other commands reach the running daemon by the state file. A second daemon on the same
state file, or on the same folder with another one, is refused with exit code 3.

The log goes to standard error, with level and format of [log] in sync.toml. For each view that goes live it tells frames, revision, and
upload_to_live_seconds: the time since the upload began, and so of the shoot too where frames are sent while they are taken.`

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use: "run", Short: "Publish for as long as it runs", Args: cobra.NoArgs, Long: runHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			return osservice.Host(c.Context(), func(ctx context.Context) error {
				configuration, err := a.config()
				if err != nil {
					return err
				}
				return a.runDaemon(ctx, configuration)
			})
		},
	}
}

// runDaemon runs until the context ends, which is no error.
func (a *app) runDaemon(ctx context.Context, c *config.Config) error {
	w, err := a.open(c, a.daemonLog(c.Log))
	if err != nil {
		return err
	}
	w.log.Info("started", "version", version(), "config", c.Path, "state", c.State.Path, "service", c.Service.BaseURL)
	err = w.serveSupervised(ctx, a.env)
	w.log.Info("stopped")
	return errors.Join(err, w.close())
}

// serve works, shows the page, tells of news and answers the other commands, until the context ends
// or one of the two fails.
func (w *work) serve(ctx context.Context) error {
	notifier, err := w.notifier()
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return w.Run(ctx) })
	g.Go(func() error {
		if err := control.Serve(ctx, w.Daemon, w.config.State.Path); err != nil {
			return fmt.Errorf("answer the other commands: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		follower := configFollower{w.config, w.env, w.log, w.SetUpload, w.TellSettings}
		follower.run(ctx)
		return nil
	})
	g.Go(func() error {
		follower := passwordFollower{w.config.Service, w.env, w.log, w.setPassword}
		follower.run(ctx)
		return nil
	})
	g.Go(func() error {
		giveMemoryBack(ctx, w.store)
		return nil
	})
	g.Go(func() error {
		w.showDashboard(ctx)
		return nil
	})
	g.Go(func() error {
		notifier.Run(ctx)
		return nil
	})
	return g.Wait()
}

func (w *work) setPassword(password apiclient.Secret) {
	w.client.SetPassword(password)
	w.PasswordChanged()
}

func (w *work) notifier() (*notify.Notifier, error) {
	c := w.config.Notify
	var roots *x509.CertPool
	if c.Webhook != "" { // reading the system's certificates takes longer than most of a start
		var err error
		if roots, err = trustRoots(w.config.Service.CAFile); err != nil {
			return nil, usageError{err}
		}
	}
	return notify.New(w.Status, notify.Options{
		Webhook: c.Webhook, RootCAs: roots, Command: c.Command, Environ: os.Environ(),
		Every: c.Every, Version: version(), Log: w.log, Diary: w.Daemon,
	}), nil
}
