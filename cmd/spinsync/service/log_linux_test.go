package service

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"testing"
)

// TestJournalIsKnownByItsStream: the variable alone, which a shell below a service inherits, is not
// enough.
func TestJournalIsKnownByItsStream(t *testing.T) {
	stream, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	info, err := stream.Stat()
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	here := fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
	if systemLog(stream, func(string) string { return here }) == nil {
		t.Error("the journal is not recognised")
	}
	if systemLog(stream, func(string) string { return "8:" + here }) != nil || systemLog(&bytes.Buffer{}, func(string) string { return here }) != nil {
		t.Error("another stream is taken for the journal")
	}
}

func TestJournalPriorities(t *testing.T) {
	var got bytes.Buffer
	put := journal(&got)
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if err := put(level, []byte(level.String()+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	if want := "<7>DEBUG\n<6>INFO\n<4>WARN\n<3>ERROR\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}
