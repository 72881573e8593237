package service

import (
	"bytes"
	"io"
	"log/slog"
	"testing"
)

// TestLinesOfTheLogCarryTheirLevel, and no time, which the system's log puts to them.
func TestLinesOfTheLogCarryTheirLevel(t *testing.T) {
	var got bytes.Buffer
	text := func(w io.Writer) slog.Handler {
		return slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelInfo})
	}
	put := func(level slog.Level, line []byte) error {
		got.WriteString(level.String() + "|")
		got.Write(line)
		return nil
	}
	log := slog.New(newLineHandler(text, put)).With("root", "/srv").WithGroup("g")
	log.Debug("not wanted")
	log.Info("read", "n", 1)
	log.Warn("two\nlines")
	log.Error("broken")
	want := `INFO|level=INFO msg=read root=/srv g.n=1
WARN|level=WARN msg="two\nlines" root=/srv
ERROR|level=ERROR msg=broken root=/srv
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestLogStaysOnStderrWithoutASystemsLog(t *testing.T) {
	var got bytes.Buffer
	env := func(name string) string { return map[string]string{"JOURNAL_STREAM": "1:2"}[name] }
	handler := Log(&got, env, func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) })
	slog.New(handler).Info("hello")
	if !bytes.HasPrefix(got.Bytes(), []byte("time=")) {
		t.Errorf("got %q", got.String())
	}
}
