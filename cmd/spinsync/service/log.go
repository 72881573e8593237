package service

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Log returns a handler for the daemon's log. Where the journal or the event log reads along, each
// line goes there with its priority and without a time, which they put to it; else it goes to
// stderr as format writes it, which launchd has in a file.
func Log(stderr io.Writer, env func(string) string, format func(io.Writer) slog.Handler) slog.Handler {
	if put := systemLog(stderr, env); put != nil {
		return newLineHandler(format, put)
	}
	return format(bounded(stderr, env))
}

// A putLine writes one line of the log, which ends in a line break.
type putLine func(level slog.Level, line []byte) error

// A lineHandler has each record written to a line, and puts the line where it belongs by its level.
type lineHandler struct {
	slog.Handler // writes to the line
	line         *line
	put          putLine
}

type line struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func newLineHandler(format func(io.Writer) slog.Handler, put putLine) slog.Handler {
	l := &line{}
	return lineHandler{format(&l.text), l, put}
}

func (h lineHandler) Handle(ctx context.Context, r slog.Record) error {
	h.line.mu.Lock()
	defer h.line.mu.Unlock()
	h.line.text.Reset()
	r.Time = time.Time{}
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	return h.put(r.Level, h.line.text.Bytes())
}

func (h lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return lineHandler{h.Handler.WithAttrs(attrs), h.line, h.put}
}

func (h lineHandler) WithGroup(name string) slog.Handler {
	return lineHandler{h.Handler.WithGroup(name), h.line, h.put}
}
