package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"spinsync/daemon/config"
)

// commandLog is the log of a command that says itself what it does. It adds what is worth a warning, in the command's own
// voice; the log as run writes it is for those who ask for everything, and for programs.
func commandLog(w io.Writer, c config.Log) *slog.Logger {
	if c.Level < slog.LevelInfo || c.Format == config.LogJSON {
		return newLog(w, c)
	}
	return slog.New(&voice{w: w, least: max(c.Level, slog.LevelWarn), said: map[string]bool{}})
}

// A voice says each thing once, on a line as people read it. That work on a folder failed, or came to
// a stop, is told as the folder's state, and not here.
type voice struct {
	w     io.Writer
	least slog.Level

	mu   sync.Mutex
	said map[string]bool
}

func (v *voice) Enabled(_ context.Context, level slog.Level) bool { return level >= v.least }

func (v *voice) Handle(_ context.Context, r slog.Record) error {
	folder, failed, rest := "", false, []string{r.Message}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "folder":
			folder = a.Value.String() + ": "
		case "error", "reason":
			failed = true
			fallthrough
		default:
			rest = append(rest, a.Value.String())
		}
		return true
	})
	if failed && folder != "" && r.Level < slog.LevelError {
		return nil
	}
	line := fmt.Sprintf("%-9s  %s\n", "warning", printable(folder+strings.Join(rest, ": ")))
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.said[line] {
		return nil
	}
	v.said[line] = true
	_, err := io.WriteString(v.w, line)
	return err
}

// The daemon's log has neither groups nor fields of its own.
func (v *voice) WithAttrs([]slog.Attr) slog.Handler { return v }
func (v *voice) WithGroup(string) slog.Handler      { return v }
