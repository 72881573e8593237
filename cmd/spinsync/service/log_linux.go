package service

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"strings"
	"syscall"

	"github.com/coreos/go-systemd/v22/journal"
)

// systemLog returns the journal when it is what stderr is connected to. A shell that a service
// started inherits the variable, but not the connection.
func systemLog(stderr io.Writer, env func(string) string) putLine {
	f, ok := stderr.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || env("JOURNAL_STREAM") != fmt.Sprintf("%d:%d", stat.Dev, stat.Ino) {
		return nil
	}
	return inJournal(stderr, journal.Send)
}

// inJournal sends lines to the journal's socket, as only there a line has fields. Where that takes
// none, a line goes to stderr, with the prefix that sd-daemon(3) gives a priority.
func inJournal(
	stderr io.Writer, send func(line string, priority journal.Priority, fields map[string]string) error,
) putLine {
	return func(level slog.Level, line []byte, fields map[string]string) error {
		all := map[string]string{"SYSLOG_IDENTIFIER": Name}
		maps.Copy(all, fields)
		if send(strings.TrimSuffix(string(line), "\n"), priority(level), all) == nil {
			return nil
		}
		_, err := fmt.Fprintf(stderr, "<%d>%s", priority(level), line)
		return err
	}
}

func priority(level slog.Level) journal.Priority {
	switch {
	case level >= slog.LevelError:
		return journal.PriErr
	case level >= slog.LevelWarn:
		return journal.PriWarning
	case level >= slog.LevelInfo:
		return journal.PriInfo
	}
	return journal.PriDebug
}
