package main

import (
	"io"
	"log/slog"

	"spinsync/daemon/config"
)

func newLog(w io.Writer, c config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == config.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// commandLog is the log of a command that reports its work itself. It adds only warnings, in the
// command's own voice. The log as run writes it is for people who ask for everything, and for
// programs.
func commandLog(w io.Writer, c config.Log) *slog.Logger {
	if c.Level < slog.LevelInfo || c.Format == config.LogJSON {
		return newLog(w, c)
	}
	return slog.New(&voice{w: w, least: max(c.Level, slog.LevelWarn), said: &said{lines: map[string]bool{}}})
}
