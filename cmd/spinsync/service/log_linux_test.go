package service

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"testing"

	"github.com/coreos/go-systemd/v22/journal"
	"github.com/google/go-cmp/cmp"
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

// A line goes to the journal with its priority and fields, and to stderr while the journal's socket
// takes none.
func TestJournalGetsPrioritiesAndFields(t *testing.T) {
	var stderr bytes.Buffer
	var sent []string
	var refused error
	put := inJournal(&stderr, func(line string, priority journal.Priority, fields map[string]string) error {
		if refused == nil {
			sent = append(sent, fmt.Sprintln(priority, line, fields))
		}
		return refused
	})
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	for _, refused = range []error{nil, syscall.ECONNREFUSED} {
		for _, level := range levels {
			if err := put(level, []byte(level.String()+"\n"), map[string]string{"FOLDER": "SKU-1"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	const fields = " map[FOLDER:SKU-1 SYSLOG_IDENTIFIER:spinsync]\n"
	if diff := cmp.Diff([]string{"7 DEBUG" + fields, "6 INFO" + fields, "4 WARN" + fields, "3 ERROR" + fields}, sent); diff != "" {
		t.Error(diff)
	}
	if want := "<7>DEBUG\n<6>INFO\n<4>WARN\n<3>ERROR\n"; stderr.String() != want {
		t.Errorf("got %q, want %q", stderr.String(), want)
	}
}
