package service

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// Log returns a handler for the daemon's log. Where the journal or the event log reads along, each
// line goes there with its priority and without a time, which they put to it; else it goes to
// stderr as format writes it, which launchd has in a file. The journal also gets the folder, root
// and product of a line as fields.
func Log(stderr io.Writer, env func(string) string, format func(io.Writer) slog.Handler) slog.Handler {
	if put := systemLog(stderr, env); put != nil {
		return newLineHandler(format, put)
	}
	return format(bounded(stderr, env))
}

// A putLine writes one line of the log, which ends in a line break. The fields are the line's
// subject; nil for none.
type putLine func(level slog.Level, line []byte, fields map[string]string) error

// fieldNames are the attributes that the journal gets as fields.
var fieldNames = map[string]string{"folder": "FOLDER", "root": "ROOT", "product": "PRODUCT"}

// fieldsWith are the fields with those of more attributes.
func fieldsWith(fields map[string]string, attrs ...slog.Attr) map[string]string {
	shared := true
	for _, a := range attrs {
		name, is := fieldNames[a.Key]
		if !is {
			continue
		}
		if shared {
			fields, shared = maps.Clone(fields), false
		}
		if fields == nil {
			fields = map[string]string{}
		}
		fields[name] = a.Value.String()
	}
	return fields
}

// A lineHandler has each record written to a line, and puts the line where it belongs by its level.
type lineHandler struct {
	slog.Handler // writes to the line
	line         *line
	put          putLine
	fields       map[string]string // of all lines
	grouped      bool              // attributes have other names now
}

type line struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func newLineHandler(format func(io.Writer) slog.Handler, put putLine) slog.Handler {
	l := &line{}
	return lineHandler{Handler: format(&l.text), line: l, put: put}
}

func (h lineHandler) Handle(ctx context.Context, r slog.Record) error {
	h.line.mu.Lock()
	defer h.line.mu.Unlock()
	h.line.text.Reset()
	r.Time = time.Time{}
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	fields := h.fields
	r.Attrs(func(a slog.Attr) bool {
		if !h.grouped {
			fields = fieldsWith(fields, a)
		}
		return true
	})
	return h.put(r.Level, h.line.text.Bytes(), fields)
}

func (h lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if !h.grouped {
		h.fields = fieldsWith(h.fields, attrs...)
	}
	h.Handler = h.Handler.WithAttrs(attrs)
	return h
}

func (h lineHandler) WithGroup(name string) slog.Handler {
	h.Handler, h.grouped = h.Handler.WithGroup(name), true
	return h
}
