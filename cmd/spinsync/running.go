package main

import (
	"context"
	"errors"

	"spinsync/daemon/config"
)

// runDaemon runs until the context ends, which is no error.
func runDaemon(ctx context.Context, a *app, c *config.Config) error {
	w, err := open(a, c, daemonLog(a, c.Log))
	if err != nil {
		return err
	}
	w.log.Info("started", "version", version(), "config", c.Path, "state", c.State.Path, "service", c.Service.BaseURL)
	err = w.serveSupervised(ctx)
	w.log.Info("stopped")
	return errors.Join(err, w.close())
}
