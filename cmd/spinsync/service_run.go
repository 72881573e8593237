package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon"
	"spinsync/daemon/config"
)

// daemonLog writes where the service manager reads along, else to standard error.
func (a *app) daemonLog(c config.Log) *slog.Logger {
	return slog.New(osservice.Log(a.stderr, a.env, func(w io.Writer) slog.Handler { return newLog(w, c).Handler() }))
}

// serveSupervised serves, and tells the service manager how it goes.
func (w *work) serveSupervised(ctx context.Context, env func(string) string) error {
	supervised := osservice.Supervised{
		Env:     env,
		Pulse:   w.Pulse,
		Summary: func() string { return statusLine(w.Status()) },
	}
	return supervised.Run(ctx, w.serve)
}

// statusLine is the daemon's status in a line.
func statusLine(s daemon.Status) string {
	text := counted(len(s.Products), "product folder")
	attention := 0
	for _, p := range s.Products {
		if p.State == daemon.Attention {
			attention++
		}
	}
	switch {
	case s.Paused:
		text += ", paused"
	case s.Service.Trouble != "":
		text += ", the hosting service does not answer"
	}
	if attention > 0 {
		text += fmt.Sprintf(", %d in need of attention", attention)
	}
	return text
}
