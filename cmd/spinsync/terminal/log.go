package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"spinsync/daemon/config"
)

// NewLog is the log of run, in the form that sync.toml asks for.
func NewLog(w io.Writer, c config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == config.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// CommandLog is the log of a command that reports its work itself. It adds only warnings, in the
// command's own voice. The log as run writes it is for people who ask for everything, and for
// programs.
func CommandLog(w io.Writer, c config.Log) *slog.Logger {
	if c.Level < slog.LevelInfo || c.Format == config.LogJSON {
		return NewLog(w, c)
	}
	return slog.New(&voice{w: w, least: max(c.Level, slog.LevelWarn), said: &sync.Map{}})
}

// A voice prints each thing once, on a line as people read it. That work on a folder failed or
// stopped is the folder's state, and no line here; so is why a root is offline.
type voice struct {
	w     io.Writer
	least slog.Level
	root  string    // that all is about, or ""
	said  *sync.Map // the lines of this voice, and of those made from it
}

func (v *voice) Enabled(_ context.Context, level slog.Level) bool { return level >= v.least }

func (v *voice) Handle(_ context.Context, r slog.Record) error {
	folder, failed, stopped, rest := "", false, false, []string{r.Message}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "folder":
			folder = a.Value.String()
		case "error", "reason":
			failed, stopped = true, a.Key == "reason"
			fallthrough
		default:
			rest = append(rest, a.Value.String())
		}
		return true
	})
	if (failed && folder != "" || stopped && v.root != "") && r.Level < slog.LevelError {
		return nil
	}
	if about := cmp.Or(folder, v.root); about != "" {
		rest = append([]string{about}, rest...)
	}
	line := fmt.Sprintf("%-9s  %s\n", "warning", Printable(strings.Join(rest, ": ")))
	if _, again := v.said.LoadOrStore(line, true); again {
		return nil
	}
	_, err := io.WriteString(v.w, line)
	return err
}

// WithAttrs keeps the root. The daemon's log has no groups, and no other fields of its own that
// people need.
func (v *voice) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *v
	for _, a := range attrs {
		if a.Key == "root" {
			with.root = a.Value.String()
		}
	}
	return &with
}

func (v *voice) WithGroup(string) slog.Handler { return v }
