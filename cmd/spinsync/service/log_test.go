package service

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"testing"
)

// TestLinesOfTheLogCarryTheirLevel, what they are about, and no time, which the system's log puts to
// them.
func TestLinesOfTheLogCarryTheirLevel(t *testing.T) {
	var got bytes.Buffer
	text := func(w io.Writer) slog.Handler {
		return slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelInfo})
	}
	put := func(level slog.Level, line []byte, fields map[string]string) error {
		fmt.Fprintf(&got, "%s|%v|", level, fields)
		got.Write(line)
		return nil
	}
	plain := slog.New(newLineHandler(text, put))
	log := plain.With("root", "/srv")
	log.Debug("not wanted")
	log.WithGroup("g").Info("read", "folder", 1)
	log.Warn("two\nlines", "folder", "SKU-1", "product", "uuid", "n", 1)
	plain.Error("broken")
	want := `INFO|map[ROOT:/srv]|level=INFO msg=read root=/srv g.folder=1
WARN|map[FOLDER:SKU-1 PRODUCT:uuid ROOT:/srv]|level=WARN msg="two\nlines" root=/srv folder=SKU-1 product=uuid n=1
ERROR|map[]|level=ERROR msg=broken
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
