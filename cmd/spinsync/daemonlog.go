package main

import (
	"io"
	"log/slog"

	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon/config"
)

// daemonLog writes where the service manager reads along, else to standard error.
func daemonLog(a *app, c config.Log) *slog.Logger {
	return slog.New(osservice.Log(a.stderr, a.env, func(w io.Writer) slog.Handler { return newLog(w, c).Handler() }))
}
