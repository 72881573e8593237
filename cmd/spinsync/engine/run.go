package engine

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"

	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon/config"
)

// Run runs until the context ends, which is no error.
func Run(ctx context.Context, call *cli.Call, c *config.Config) error {
	w, err := Open(call, c, daemonLog(call, c.Log))
	if err != nil {
		return err
	}
	w.log.Info("started", "version", cli.Version(), "config", c.Path, "state", c.State.Path,
		"service", c.Service.BaseURL)
	err = w.serveSupervised(ctx)
	w.log.Info("stopped")
	return errors.Join(err, w.Close())
}

// daemonLog writes where the service manager reads along, else to standard error.
func daemonLog(call *cli.Call, c config.Log) *slog.Logger {
	handler := func(w io.Writer) slog.Handler { return terminal.NewLog(w, c).Handler() }
	return slog.New(osservice.Log(call.Stderr, call.Env, handler))
}
